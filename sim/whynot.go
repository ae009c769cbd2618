package sim

import (
	"fmt"
	"strings"
)

// obstacle is what keeps a pod off a node, as kube-scheduler's filters name it.
type obstacle uint8

const (
	obstacleNone obstacle = iota
	obstacleCordoned
	obstacleNotReady
	obstacleTaint
	obstacleSelector
	obstaclePods
	obstacleCPU
	obstacleMemory
	obstacleResource
	obstaclePorts
	obstacleNominated
	obstacleVolume
	obstacleAffinity
	obstacleSpread
	obstacles
)

var obstacleWords = [obstacles]string{
	obstacleCordoned: "cordoned", obstacleNotReady: "not ready", obstacleTaint: "a taint that it does not tolerate",
	obstacleSelector: "not matching its node selector or affinity", obstaclePods: "full of pods", obstacleCPU: "too little cpu",
	obstacleMemory: "too little memory", obstacleResource: "too little of another resource", obstaclePorts: "a host port in use",
	obstacleNominated: "with its room kept for a pod of higher priority", obstacleVolume: "out of reach of its volume", obstacleAffinity: "kept off by pod (anti-)affinity", obstacleSpread: "kept off by topology spread",
}

// whyNot says why no node takes the pod, in the way of kube-scheduler's event:
// how many nodes each filter kept it off. It looks at every node.
func (r *run) whyNot(p int32) string {
	pd := &r.pods[p]
	spec := &r.w.workloads[pd.workload]
	s := &r.w.shapes[spec.shape]
	if spec.con != nil {
		r.mark(spec.con, s)
	}
	var found [obstacles]int
	nodes := 0
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeRemoved != 0 || spec.kind == daemonSet && n != r.ownNode(r.owned(p)) {
			continue
		}
		nodes++
		found[r.obstacleOn(n, s, spec, pd)]++
	}
	var parts []string
	for o, k := range found {
		if o != int(obstacleNone) && k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, obstacleWords[o]))
		}
	}
	return fmt.Sprintf("of %s none takes it: %s", plural(nodes, "node", "nodes"), strings.Join(parts, ", "))
}

// obstacleOn is the first filter that keeps the pod off the node, in the order of feasible.
func (r *run) obstacleOn(n int32, s *shape, spec *workloadSpec, pd *pod) obstacle {
	nd := &r.nodes[n]
	fit := &s.fit[nd.class]
	switch {
	case nd.flags&nodeUnschedulable != 0 && s.tolerates&taintUnschedulable == 0, nd.taints&taintUnschedulable&^s.tolerates != 0:
		return obstacleCordoned
	case nd.taints&^s.tolerates != 0:
		return obstacleNotReady
	case !fit.selected:
		return obstacleSelector
	case fit.tainted:
		return obstacleTaint
	case nd.pods >= nd.maxPods:
		return obstaclePods
	case s.cpu > 0 && s.cpu > nd.cpu-nd.usedCPU:
		return obstacleCPU
	case s.memory > 0 && s.memory > nd.memory-nd.usedMemory:
		return obstacleMemory
	case !r.fits(n, nd, &shape{other: s.other}):
		return obstacleResource
	case !r.fits(n, nd, s):
		return obstaclePorts
	case len(r.nominee) > 0 && !r.fitsBesideNominated(n, nd, s, spec, pd):
		return obstacleNominated
	case spec.volume != 0 && !r.volumeAllows(n, spec, pd.slot):
		return obstacleVolume
	case spec.con != nil && !r.constraintsAllow(n, &constraints{avoid: spec.con.avoid, attract: spec.con.attract}):
		return obstacleAffinity
	case spec.con != nil && !r.constraintsAllow(n, spec.con):
		return obstacleSpread
	}
	return obstacleNone
}
