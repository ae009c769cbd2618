package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

// Where persistent volumes can be attached is where the workload's pods are held. db-0 stands on n1, in zone a.
func TestVolumesHoldPods(t *testing.T) {
	const (
		pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-0","namespace":"shop","ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db","controller":true}]},
 "spec":{"nodeName":"n1","containers":[],"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}}]},"status":{"phase":"Running"}}`
		claim   = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data-db-0","namespace":"shop"},"spec":{"volumeName":"pv-0"}}`
		unbound = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data-db-0","namespace":"shop"},"spec":{}}`
		ref     = `"claimRef":{"namespace":"shop","name":"data-db-0"}`
		missing = "VolumesUnknown Cluster: 1 workload mounts persistent volume claims whose PersistentVolumes are not in the input; they are taken to be attachable on every node."
		odd     = "ObjectNotUnderstood PersistentVolume/pv-0: f: PersistentVolume pv-0 is not understood: "
		follows = "; the volume is taken to be attachable on every node."
		set     = "its node affinity names neither one zone nor one node, which is all that a workload can be held to"
	)
	pv := func(spec string) string {
		return `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv-0"},"spec":{` + spec + `}}`
	}
	in := func(key string, values ...string) string {
		return fmt.Sprintf(`{"matchExpressions":[{"key":%q,"operator":"In","values":["%s"]}]}`, key, strings.Join(values, `","`))
	}
	terms := func(list ...string) string {
		return `"nodeAffinity":{"required":{"nodeSelectorTerms":[` + strings.Join(list, ",") + `]}}`
	}
	node := strings.Replace(nodeN1, `"labels":{`, `"labels":{"topology.csi.example/zone":"a","topology.kubernetes.io/region":"r",`, 1)
	for _, c := range []struct {
		name    string
		objects []string
		want    *model.Volume
		note    string
	}{
		{"in a zone, by the claim", []string{claim, pv(terms(in(model.LabelZone, "a")))}, &model.Volume{Zonal: true}, ""},
		{"in a zone, by the volume's claim alone", []string{pv(ref + "," + terms(in(model.LabelZone, "a")))}, &model.Volume{Zonal: true}, ""},
		{"in a zone, with an old label", []string{claim, pv(terms(in(labelZoneOld, "a")))}, &model.Volume{Zonal: true}, ""},
		{"in a zone, as a driver says it", []string{claim, pv(terms(in("topology.csi.example/zone", "a")))}, &model.Volume{Zonal: true}, ""},
		{"in a zone, by the volume's own label", []string{claim, strings.Replace(pv(""), `"pv-0"`, `"pv-0","labels":{"topology.kubernetes.io/zone":"a"}`, 1)}, &model.Volume{Zonal: true}, ""},
		{"on a node", []string{claim, pv(`"local":{"path":"/d"},` + terms(in(model.LabelHostname, "n1")))}, &model.Volume{Local: true}, ""},
		{"on a node, by its name alone", []string{claim, pv(terms(in(model.LabelHostname, "n1")))}, &model.Volume{Local: true}, ""},
		{"a directory", []string{claim, pv(`"hostPath":{"path":"/d"}`)}, &model.Volume{Local: true}, ""},
		{"anywhere", []string{claim, pv(`"nfs":{}`)}, nil, ""},
		{"anywhere in a region", []string{claim, pv(terms(in("topology.kubernetes.io/region", "r")))}, nil, ""},
		{"not bound yet", []string{unbound}, nil, ""},
		{"not in the input", nil, nil, missing},
		{"only the claim is in the input", []string{claim}, nil, missing},
		{"in two zones", []string{claim, pv(terms(in(model.LabelZone, "a", "b")))}, nil, odd + set + follows},
		{"in one of two zones", []string{claim, pv(terms(in(model.LabelZone, "a"), in(model.LabelZone, "b")))}, nil, odd + set + follows},
		{"in another zone", []string{claim, pv(terms(in(model.LabelZone, "b")))}, nil,
			odd + "it cannot be attached on node n1, where Pod shop/db-0 stands that mounts it" + follows},
		{"on another node", []string{claim, pv(`"local":{"path":"/d"},` + terms(in(model.LabelHostname, "n2")))}, nil,
			odd + "it cannot be attached on node n1, where Pod shop/db-0 stands that mounts it" + follows},
		{"not readable", []string{claim, pv(`"nodeAffinity":7`)}, nil, odd + "spec.nodeAffinity is a number" + follows + "\n" + missing},
	} {
		cl, notes := read(t, "f", plainList(append([]string{node, pod}, c.objects...)...))
		if diff := cmp.Diff(c.want, cl.Workloads[0].Volume); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		var lines []string
		for _, f := range notes {
			if f.Code != model.VersionInferred {
				lines = append(lines, fmt.Sprintf("%s %s: %s", f.Code, f.Subject, f.Message))
			}
		}
		if got := strings.Join(lines, "\n"); got != c.note {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.note)
		}
	}
}

// An ephemeral volume's claim has the pod's name and its own; a volume of several pods is noted once.
func TestVolumesOfSeveralPods(t *testing.T) {
	const (
		pods = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"w-%d","namespace":"shop","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"w","controller":true}]},
 "spec":{"nodeName":"n1","containers":[],"volumes":[%s]},"status":{"phase":"Running"}}`
		volume = `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"claimRef":{"namespace":"shop","name":"%s"},
 "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["%s"]}]}]}}}}`
		ephemeral = `{"name":"cache","ephemeral":{"volumeClaimTemplate":{}}}`
		shared    = `{"name":"data","persistentVolumeClaim":{"claimName":"shared"}}`
	)
	c, _ := read(t, "f", plainList(nodeN1, fmt.Sprintf(pods, 1, ephemeral), fmt.Sprintf(volume, "w-1-cache", "a")))
	if v := c.Workloads[0].Volume; v == nil || !v.Zonal || v.Local {
		t.Errorf("an ephemeral volume: %+v", v)
	}
	c, notes := read(t, "f", plainList(nodeN1, fmt.Sprintf(pods, 1, shared), fmt.Sprintf(pods, 2, shared), fmt.Sprintf(volume, "shared", "b")))
	odd := 0
	for _, f := range notes {
		if f.Code == model.ObjectNotUnderstood {
			odd++
		}
	}
	if odd != 1 || c.Workloads[0].Volume != nil {
		t.Errorf("a volume of two pods: %v, %+v", notes, c.Workloads[0].Volume)
	}
}
