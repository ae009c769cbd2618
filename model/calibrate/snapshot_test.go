package calibrate

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

// calibrated reads the texts as one file each, f1, f2 …
func calibrated(t *testing.T, texts ...string) *Calibration {
	t.Helper()
	c := NewCollector()
	for i, text := range texts {
		if err := c.Add(fmt.Sprintf("f%d", i+1), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := c.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func upgradeFile(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/upgrade.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows are estimates as a line each: what, whose, of how many, from, to, the fit, and whether it is used.
func rows(list []Estimate) []string {
	var out []string
	for _, e := range list {
		fit := "-"
		if e.Fit != nil {
			fit = string(e.Fit.Kind) + fmt.Sprint(" ", e.Fit.Value)
			if e.Fit.Kind == model.Empirical {
				fit = fmt.Sprint(e.Fit.Values)
			}
		}
		use := ""
		if e.Use {
			use = " used"
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", e.Quantity, e.Of))+fmt.Sprintf(" %d %v-%v %s%s", e.N, e.Min, e.Max, fit, use))
	}
	return out
}

// wantUpgrade is worked out by hand from testdata/upgrade.json:
//
//	web    bound 12:01:00 Ready 12:01:12; :05 :17; 12:11:00 12:11:13; 12:21:30 12:21:42: 12, 12, 13, 12 s, mean 12.25
//	db     bound 12:00:10 Ready 12:00:50; 12:12:25 12:13:06; 12:22:25 12:23:05: 40, 41, 40 s, mean 40.33
//	web    asked to go 12:02:30 less 30 s of grace, ended 12:02:03; 12:02:01, :04; 12:12:00, :02: 3, 3, 2 s, mean 2.67
//	db     asked 11:59:43, ended 12:00:08; Killing 12:12:00, the next db-1 created 12:12:25; 12:22:00, 12:22:25: 25 s each
//	n1…n3  last Killing 12:02:30 Ready 12:07:00; 12:12:30 12:17:10; 12:22:30 12:27:05: 270, 280, 275 s
//	gpu    registered 12:00:00 Ready 12:00:40; 12:00:41; 12:10:00 12:10:40: 40, 41, 40 s; cp1 05:00:00 05:00:30: 30 s
var wantUpgrade = []string{
	"startup shop/db 3 40s-41s constant 40.3s used",
	"startup shop/web 4 12s-13s constant 12.3s used",
	"shutdown shop/db 3 25s-25s constant 25s used",
	"shutdown shop/web 3 2s-3s constant 2.7s used",
	"nodeUpgrade 3 4m30s-4m40s constant 4m35s used",
	"nodeBoot 4 30s-41s -", // four that differ are too few
	"nodeBoot pool control-plane 1 30s-30s -",
	"nodeBoot pool gpu 3 40s-41s constant 40.3s",
}

func TestSnapshotByHand(t *testing.T) {
	out := calibrated(t, upgradeFile(t))
	if diff := cmp.Diff(wantUpgrade, rows(out.Estimates)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var left []string
	for _, l := range out.LeftOut {
		left = append(left, fmt.Sprintf("%s %d %s: %s", l.Quantity, l.Count, l.Why, l.Example))
	}
	if diff := cmp.Diff([]string{
		"startup 1 has restarted, and its Ready is of the last time: Pod/shop/web-7d4b9c6f5d-r in f1",
		"startup 1 is not Ready: Pod/shop/web-7d4b9c6f5d-n in f1",
		"startup 1 turned Ready more than 10m after its containers started, so not for the first time: Pod/shop/web-7d4b9c6f5d-l in f1",
		"startup 1 had an image or a container that failed (events Failed, BackOff): Pod/shop/web-7d4b9c6f5d-b in f1",
	}, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if len(out.Notes) > 0 {
		t.Errorf("notes %v", out.Notes)
	}
}

// What is the same must come out the same: the file twice, packed, as a line an object, as a watch, and cut into two files.
func TestSameObjectsInOtherForms(t *testing.T) {
	whole := upgradeFile(t)
	want := rows(calibrated(t, whole).Estimates)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	objects := strings.Split(strings.TrimSuffix(strings.SplitN(whole, "\n", 2)[1], "\n]}\n"), ",\n")
	if len(objects) < 40 {
		t.Fatalf("%d objects", len(objects))
	}
	watch := ""
	for _, o := range objects {
		watch += `{"type":"MODIFIED","object":` + o + "}\n"
	}
	list := func(o []string) string { return `{"kind":"List","items":[` + strings.Join(o, ",") + `]}` }
	var reversed []string
	for i := range objects {
		reversed = append(reversed, objects[len(objects)-1-i])
	}
	for name, texts := range map[string][]string{
		"twice":              {whole, whole},
		"gzip":               {packed.String()},
		"lines":              {strings.Join(objects, "\n")},
		"watch":              {watch},
		"two files":          {list(objects[:20]), list(objects[20:])},
		"from back to front": {list(reversed)},
	} {
		if diff := cmp.Diff(want, rows(calibrated(t, texts...).Estimates)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A pod that is seen before and after a restart counts with its start, and once.
func TestEarlierSnapshotShowsTheStart(t *testing.T) {
	at := func(ready string, restarts int) string {
		return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"a","namespace":"x","uid":"u"},"status":{"conditions":[
			{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-30T12:00:00Z"},
			{"type":"Ready","status":"True","lastTransitionTime":"%s"}],"containerStatuses":[{"restartCount":%d}]}}`, ready, restarts)
	}
	early, late, flip := at("2026-11-30T12:00:09Z", 0), at("2026-11-30T12:30:00Z", 2), at("2026-11-30T12:05:00Z", 0)
	for name, texts := range map[string][]string{"early first": {early, late}, "late first": {late, early}, "lost its readiness": {early, flip}, "flip first": {flip, early}} {
		e := calibrated(t, texts...).Estimates
		if len(e) != 1 || e[0].N != 1 || e[0].Max != 9*time.Second {
			t.Errorf("%s: %v", name, rows(e))
		}
	}
	if out := calibrated(t, late); len(out.Estimates) != 0 || len(out.LeftOut) != 1 {
		t.Errorf("%v, left out %v", rows(out.Estimates), out.LeftOut)
	}
}

func nodeEvents(marks ...string) string {
	var list []string
	for _, m := range marks {
		at, reason, _ := strings.Cut(m, " ")
		list = append(list, fmt.Sprintf(`{"kind":"Event","involvedObject":{"kind":"Node","name":"n"},"reason":"%s","firstTimestamp":"2026-11-30T%sZ","source":{"component":"kubelet"}}`, reason, at))
	}
	return strings.Join(list, "\n")
}

func TestNodeUpgradeFromEvents(t *testing.T) {
	for name, tc := range map[string]struct {
		events []string
		want   string // the time, or why it is left out
	}{
		"ready":          {[]string{"10:00:00 NodeNotSchedulable", "10:01:00 NodeNotReady", "10:05:00 NodeReady", "10:05:03 NodeSchedulable"}, "5m0s"},
		"still cordoned": {[]string{"10:00:00 NodeNotSchedulable", "10:01:00 NodeNotReady", "10:05:00 NodeReady"}, "5m0s"},
		"no NotReady":    {[]string{"10:00:00 NodeNotSchedulable", "10:04:00 Starting", "10:05:03 NodeSchedulable"}, "5m3s"},
		"two reboots":    {[]string{"10:00:00 NodeNotSchedulable", "10:01:00 Rebooted", "10:02:00 NodeReady", "10:03:00 Rebooted", "10:05:00 NodeReady", "10:06:00 NodeSchedulable"}, "5m0s"},
		"in one second":  {[]string{"10:05:00 NodeSchedulable", "10:05:00 NodeReady", "10:04:00 Starting", "10:00:00 NodeNotSchedulable"}, "5m0s"},
		"only cordoned":  {[]string{"10:00:00 NodeNotSchedulable", "10:05:00 NodeSchedulable"}, "was cordoned and no restart of its kubelet is told"},
		"not back":       {[]string{"10:00:00 NodeNotSchedulable", "10:01:00 NodeNotReady"}, "is not Ready yet"},
		"no cordon":      {[]string{"10:01:00 NodeNotReady", "10:05:00 NodeReady"}, ""},
	} {
		out := calibrated(t, nodeEvents(tc.events...))
		got := ""
		for _, e := range out.Estimates {
			got += e.Max.String()
		}
		for _, l := range out.LeftOut {
			got += l.Why
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Two snapshots without any event: the taint's time in the one, the condition's in the other.
func TestNodeUpgradeFromTwoSnapshots(t *testing.T) {
	before := `{"kind":"Node","metadata":{"name":"n","creationTimestamp":"2026-11-01T00:00:00Z"},"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable","timeAdded":"2026-11-30T10:00:00Z"}]},
		"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-01T00:01:00Z"}]}}`
	after := `{"kind":"Node","metadata":{"name":"n","creationTimestamp":"2026-11-01T00:00:00Z"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-30T10:06:00Z"}]}}`
	want := []string{"nodeUpgrade 1 6m0s-6m0s -", "nodeBoot 1 1m0s-1m0s -"}
	if diff := cmp.Diff(want, rows(calibrated(t, before, after).Estimates)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Under OrderedReady the next db-1 is created only once db-0 is Ready, so what it waits for is not db-1's stop.
func TestStatefulSetThatWaited(t *testing.T) {
	member := func(name, uid, created, ready string) string {
		return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"%s","uid":"%s","creationTimestamp":"2026-11-30T%sZ","ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db","controller":true}]},
			"status":{"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-30T%sZ"},{"type":"Ready","status":"True","lastTransitionTime":"2026-11-30T%sZ"}]}}`, name, uid, created, created, ready)
	}
	killing := `{"kind":"Event","involvedObject":{"kind":"Pod","namespace":"default","name":"db-1","uid":"old"},"reason":"Killing","firstTimestamp":"2026-11-30T10:00:00Z"}`
	next := member("db-1", "new", "10:00:40", "10:00:50")
	for ready, want := range map[string]string{"09:00:00": "40s", "10:00:39": ""} {
		out := calibrated(t, member("db-0", "zero", "08:00:00", ready)+"\n"+killing+"\n"+next)
		got := ""
		for _, e := range out.Estimates {
			if e.Quantity == Shutdown {
				got = e.Max.String()
			}
		}
		if got != want {
			t.Errorf("db-0 Ready at %s: stop %q, want %q", ready, got, want)
		}
	}
}
