package sim

import (
	"fmt"
	"strings"
	"testing"
)

// TestRestoreControlPlane takes the control plane back once its own part of the upgrade is over, in the place of the workers'
// phase: the kubelets of its nodes go back one after another, then everything is down for the restore, and is what it was.
func TestRestoreControlPlane(t *testing.T) {
	sc := storyScenario(t, "restore.txt", `cluster:
  version: v1.33.4
  controlPlane: {replicas: 2}
  nodes: [{name: n1}]
upgrade: {to: v1.34.2}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r := w.newRun(Options{Audit: true, Story: func(s Step) {
		if strings.HasPrefix(s.What, "upgraded") && s.At > 300e6 {
			fmt.Fprintln(&b, s)
		}
	}})
	watchQueue(r, func() {
		if r.cp.restores || len(r.cp.parts) == 0 || r.cp.part < len(r.cp.parts) {
			return
		}
		if x, _ := r.instead.(*watchedQueue).queue.Pop(); x.At != r.now || x.Data != pack(evPhase, 0, 0) {
			t.Fatalf("the next event is %+v, and not the workers' phase", x)
		}
		r.restoreControlPlane()
	})
	r.begin()
	r.loop()
	res := r.result()
	for _, p := range res.Phases {
		fmt.Fprintf(&b, "%s: %.3f to %.3f\n", p.Name, float64(p.StartSeconds), float64(p.EndSeconds))
	}
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		fmt.Fprintf(&b, "instance %d: %s %s %s, up %v, member %v, kubelet %s\n", i+1, w.version(in.api), w.version(in.kcm), w.version(in.scheduler), in.up(), in.votes(), w.version(r.nodes[in.node].kubelet))
	}
	fmt.Fprintln(&b, res.Verdict, res.ControlPlane)
	for _, f := range res.Reasons {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.Code, f.Message)
	}
	// Two instances of 50 s behind the snapshot, their kubelets 60.310 s each, the same back, 600 s for the restore. While one of two
	// members is replaced (20 s each) and during the restore there is no quorum.
	const want = `310.830 Node/cp-1 upgraded to v1.33.4
371.140 Node/cp-2 upgraded to v1.33.4
etcd snapshot before v1.34.2: 0.000 to 30.000
control plane to v1.34.2: 30.000 to 130.000
control-plane nodes to v1.34.2: 130.000 to 250.620
control-plane nodes back to v1.33.4: 250.620 to 371.240
control plane restored to v1.33.4: 371.240 to 971.240
instance 1: v1.33.4 v1.33.4 v1.33.4, up true, member true, kubelet v1.33.4
instance 2: v1.33.4 v1.33.4 v1.33.4, up true, member true, kubelet v1.33.4
aborted {640 640}
error APIServerUnreachable: none of the 2 API servers answers, from 30s and 2 times more, 10m40s in all
error EtcdQuorumLost: 1, later 0 of 2 etcd members are up; 2 make a quorum, from 30s and 2 times more, 10m40s in all
warning ControlPlaneRestored: the control plane is at v1.33.4 again, from the etcd snapshot of 0s: everything that was written in the 16m11s since is lost
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
