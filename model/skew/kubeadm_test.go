package skew

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"upsim/model"
)

func words(list []KubeadmRule) string {
	var s []string
	for _, r := range list {
		s = append(s, string(r))
	}
	return strings.Join(s, "+")
}

func versions(t testing.TB, text string) []model.Version {
	t.Helper()
	var list []model.Version
	for _, s := range strings.Fields(text) {
		list = append(list, v(t, strings.TrimPrefix(s, "v1.")))
	}
	return list
}

// kubeadmRows are the answers that kubeadm 1.34.4 gave.
func kubeadmRows(t *testing.T) [][]string {
	t.Helper()
	f, err := os.Open("testdata/kubeadm-policy.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "cluster,kubeadm,kubelets,target,mandatory,skippable" {
		t.Fatalf("the table's columns are %s", got)
	}
	if len(rows) != 325 {
		t.Fatalf("the table has %d rows, want 324 and a header", len(rows))
	}
	return rows[1:]
}

// Every answer that kubeadm 1.34.4 gave, for 324 combinations of cluster, kubelets and target.
func TestKubeadmTable(t *testing.T) {
	one := func(s string) model.Version { return versions(t, s)[0] }
	for _, r := range kubeadmRows(t) {
		m, s := Kubeadm(one(r[0]), one(r[1]), versions(t, r[2]), one(r[3]))
		if words(m) != r[4] || words(s) != r[5] {
			t.Errorf("cluster %s, kubeadm %s, kubelets %s, target %s:\n got mandatory %q, skippable %q\nwant mandatory %q, skippable %q",
				r[0], r[1], r[2], r[3], words(m), words(s), r[4], r[5])
		}
	}
}

// Another kubeadm answers by the same rules: each recorded answer with all its versions some minors older or newer. What
// differs is how old a kubelet may be before 1.29: not three minors older than the target, but one.
func TestKubeadmTableOfOtherMinors(t *testing.T) {
	const tooOld = string(KubeadmKubeletTooOld)
	for _, r := range kubeadmRows(t) {
		for by := -14; by <= 8; by++ {
			moved := func(text string) []model.Version {
				list := versions(t, text)
				for i := range list {
					list[i].Minor += by
				}
				return list
			}
			cluster, kubeadm, kubelets, target := moved(r[0])[0], moved(r[1])[0], moved(r[2]), moved(r[3])[0]
			want := r[5]
			if kubeadm.Minor < 29 {
				want = strings.TrimSuffix(strings.TrimSuffix(want, tooOld), "+")
				for _, k := range kubelets {
					if k.Minor+1 < target.Minor {
						want = strings.TrimPrefix(want+"+"+tooOld, "+")
						break
					}
				}
			}
			if m, s := Kubeadm(cluster, kubeadm, kubelets, target); words(m) != r[4] || words(s) != want {
				t.Errorf("cluster %s, kubeadm %s, kubelets %s, target %s:\n got mandatory %q, skippable %q\nwant mandatory %q, skippable %q",
					cluster, kubeadm, kubelets, target, words(m), words(s), r[4], want)
			}
		}
	}
}

// The limits of other kubeadm versions, one on each side; versions are minors of Kubernetes 1. The expectations are
// worked out by hand from EnforceVersionPolicies (cmd/kubeadm/app/phases/upgrade/policy.go) and MinimumControlPlaneVersion,
// the minor before kubeadm's own (cmd/kubeadm/app/constants/constants.go).
func TestKubeadmOtherVersions(t *testing.T) {
	for _, c := range []struct{ name, cluster, kubeadm, kubelets, target, mandatory, skippable string }{
		{"1.28, a kubelet one minor older", "27.16", "28.15", "27.16 28.0", "28.15", "", ""},
		{"1.28, a kubelet two minors older", "27.16", "28.15", "27.16 26.15", "28.15", "", "kubeletTooOld"},
		{"1.28 to its older minor: its own limit counts", "27.3", "28.15", "25.1", "27.16", "", "kubeadmMinorTooNew+kubeletTooOld"},
		{"1.29, a kubelet three minors older", "28.15", "29.14", "26.15", "29.14", "", ""},
		{"1.29, a kubelet four minors older", "28.15", "29.14", "25.16", "29.14", "", "kubeletTooOld"},
		{"1.29 to 1.28: the newer kubeadm's limit counts", "27.16", "29.14", "25.16", "28.15", "", "kubeadmMinorTooNew"},
		{"1.20 on 1.18 kubelets, refused though the policy allowed it", "19.7", "20.2", "18.3", "20.2", "", "kubeletTooOld"},
		{"1.15 on 1.13", "13.0", "15.0", "13.0", "15.0", "skipsMinor", "kubeletTooOld"},
		{"1.28, the oldest target", "26.1", "28.15", "", "27.0", "", "kubeadmMinorTooNew"},
		{"1.28, a pre-release of the oldest minor", "26.1", "28.15", "", "27.0-rc.1", "belowMinimum", "kubeadmMinorTooNew+unstableTarget"},
		{"1.28, below the oldest target", "26.1", "28.15", "", "26.15", "belowMinimum", "kubeadmMinorTooNew"},
		{"1.28, a newer patch", "27.1", "28.4", "27.1", "28.5", "", "kubeadmPatchTooOld"},
		{"1.28, a newer minor", "28.4", "28.4", "28.4", "29.0", "kubeadmMinorTooOld", ""},
		{"1.31, its own version", "30.8", "31.4", "28.15", "31.4", "", ""},
		{"1.31, a kubelet four minors older", "30.8", "31.4", "27.16", "31.4", "", "kubeletTooOld"},
		{"1.31, the oldest target", "29.9", "31.4", "29.9", "30.0", "", "kubeadmMinorTooNew"},
		{"1.31, below the oldest target", "29.9", "31.4", "29.9", "29.10", "belowMinimum", "kubeadmMinorTooNew"},
		{"1.31, from two minors back", "29.9", "31.4", "29.9", "31.4", "skipsMinor", ""},
		{"1.31, a newer minor from two minors back", "30.8", "31.4", "30.8", "32.0", "skipsMinor+kubeadmMinorTooOld", ""},
		{"1.33, its own version again", "33.5", "33.5", "33.5", "33.5", "", ""},
		{"1.33, a newer patch with an old kubelet", "33.1", "33.1", "29.9", "33.5", "", "kubeadmPatchTooOld+kubeletTooOld"},
		{"1.33, a newer minor", "33.5", "33.5", "33.5", "34.2", "kubeadmMinorTooOld", ""},
		{"1.33, a release candidate of the newer minor", "33.5", "33.5", "33.5", "34.0-rc.1", "", "kubeadmMinorTooOld+unstableTarget"},
		{"1.33, back one minor", "33.5", "33.5", "32.9", "32.9", "", "kubeadmMinorTooNew"},
		{"1.33, back two minors and below the oldest target", "33.5", "33.5", "31.9", "31.9", "belowMinimum+downgradeTooFar", "kubeadmMinorTooNew"},
		{"1.35, its own version", "34.4", "35.1", "32.0", "35.1", "", ""},
		{"1.35, a kubelet four minors older", "34.4", "35.1", "31.9", "35.1", "", "kubeletTooOld"},
		{"1.35, below the oldest target", "32.3", "35.1", "", "33.13", "belowMinimum", "kubeadmMinorTooNew"},
		{"1.35, the oldest target", "33.3", "35.1", "", "34.0", "", "kubeadmMinorTooNew"},
		{"1.35, back one minor", "35.1", "35.1", "34.4", "34.4", "", "kubeadmMinorTooNew"},
		{"1.35, back two minors", "36.0", "35.1", "34.4", "34.4", "downgradeTooFar", "kubeadmMinorTooNew"},
		{"1.35, back two minors to a pre-release", "36.0", "35.1", "34.4", "34.5-beta.0", "", "downgradeTooFar+kubeadmMinorTooNew+unstableTarget"},
		{"1.35 from a pre-release to its release", "34.4", "35.0-rc.1", "34.4", "35.0", "", "kubeadmPatchTooOld"},
		{"1.35, an older pre-release of its own", "34.4", "35.0", "34.4", "35.0-rc.1", "", "unstableTarget"},
		{"1.35, a pre-release two minors on", "34.4", "35.1", "34.4", "36.0-alpha.1", "", "skipsMinor+kubeadmMinorTooOld+unstableTarget"},
		{"the first of all", "0.1", "0.1", "0.1", "0.1", "", ""},
		{"no kubelets", "34.4", "35.1", "", "35.1", "", ""},
	} {
		m, s := Kubeadm(v(t, c.cluster), v(t, c.kubeadm), versions(t, c.kubelets), v(t, c.target))
		if words(m) != c.mandatory || words(s) != c.skippable {
			t.Errorf("%s:\n got mandatory %q, skippable %q\nwant mandatory %q, skippable %q", c.name, words(m), words(s), c.mandatory, c.skippable)
		}
	}
}

// A kubeadm of the target's own version, as an operator installs it, has no
// mandatory error that the findings on the path do not name already.
func TestKubeadmOfTheTargetAddsNothingMandatory(t *testing.T) {
	names := map[KubeadmRule]model.Code{KubeadmSkipsMinor: model.MinorSkipped, KubeadmDowngradeTooFar: model.ControlPlaneDowngrade}
	refused := map[KubeadmRule]bool{}
	for from := 20; from < 40; from++ {
		for to := 20; to < 40; to++ {
			for _, patch := range []string{"0", "4", "0-alpha.1", "4-rc.0"} {
				cluster, target := model.Version{Major: 1, Minor: from, Patch: 3}, v(t, model.Version{Minor: to}.MinorString()[2:]+"."+patch)
				mandatory, _ := Kubeadm(cluster, target, []model.Version{cluster}, target)
				path := CheckPath(cluster, []model.Version{target})
				for _, r := range mandatory {
					refused[r] = true
					if len(path) != 1 || path[0].Code != names[r] {
						t.Errorf("%s to %s: kubeadm says %s, and the path's findings are %v", cluster, target, r, path)
					}
				}
			}
		}
	}
	if len(refused) != len(names) {
		t.Errorf("kubeadm refused for %v, want both of %v", refused, names)
	}
}
