package model

import (
	"math"
	"slices"
	"time"
)

// Number is one of the assumptions that is a number, by its name in the
// scenario file. One of the pointers is set, to where the assumptions have it.
type Number struct {
	Name  string
	Time  *Dist
	Fixed *time.Duration
	Rate  *float64
	Count *int

	least time.Duration // of Fixed
}

// Numbers are the assumptions that are numbers, in the order of the scenario file.
func (a *Assumptions) Numbers() []Number {
	return []Number{
		{Name: "startup", Time: &a.Startup},
		{Name: "shutdown", Time: &a.Shutdown},
		{Name: "nodeUpgrade", Time: &a.NodeUpgrade},
		{Name: "podsReadyAfterNode", Time: &a.PodsReadyAfterNode},
		{Name: "nodeProvision", Time: &a.NodeProvision},
		{Name: "nodeDelete", Time: &a.NodeDelete},
		{Name: "etcdBackup", Time: &a.EtcdBackup},
		{Name: "etcdRestart", Time: &a.EtcdRestart},
		{Name: "etcdCatchUp", Time: &a.EtcdCatchUp},
		{Name: "etcdRestore", Time: &a.EtcdRestore},
		{Name: "apiserverRestart", Time: &a.APIServerRestart},
		{Name: "componentRestart", Time: &a.ComponentRestart},
		{Name: "leaderElection", Time: &a.LeaderElection},
		{Name: "controllerLatency", Time: &a.ControllerLatency},
		{Name: "schedulerLatency", Time: &a.SchedulerLatency},
		{Name: "apiLatency", Time: &a.APILatency},
		{Name: "taintLag", Time: &a.TaintLag},
		{Name: "deletionLag", Time: &a.DeletionLag},
		{Name: "kubeletLag", Time: &a.KubeletLag},
		{Name: "kubectlStart", Time: &a.KubectlStart},
		{Name: "kubectlQPS", Rate: &a.KubectlQPS},
		{Name: "kubectlBurst", Count: &a.KubectlBurst},
		{Name: "deletionPoll", Fixed: &a.DeletionPoll, least: ms},
		{Name: "conflictRetry", Fixed: &a.ConflictRetry, least: ms},
		{Name: "controllerQPS", Rate: &a.ControllerQPS},
		{Name: "controllerBurst", Count: &a.ControllerBurst},
		{Name: "nodeMonitorGrace", Fixed: &a.NodeMonitorGrace},
		{Name: "unreachableToleration", Fixed: &a.UnreachableToleration},
		{Name: "forceDetach", Fixed: &a.ForceDetach},
	}
}

// Scale multiplies the number by a factor above 0; a count becomes another one, unless it is 1 already and to be less.
func (n Number) Scale(by float64) {
	switch {
	case n.Time != nil:
		*n.Time = n.Time.Scaled(by)
	case n.Fixed != nil:
		*n.Fixed = max(n.least, scaled(*n.Fixed, by))
	case n.Rate != nil:
		*n.Rate *= by
	case n.Count != nil:
		now := int(math.Round(float64(*n.Count) * by))
		switch {
		case by > 1:
			now = max(now, *n.Count+1)
		case by < 1:
			now = min(now, *n.Count-1)
		}
		*n.Count = max(1, now)
	}
}

// Scaled is the distribution of the time multiplied by a factor above 0.
func (d Dist) Scaled(by float64) Dist {
	for _, p := range []*time.Duration{&d.Value, &d.Min, &d.Mode, &d.Max, &d.Mean, &d.StdDev, &d.P50, &d.P99} {
		*p = scaled(*p, by)
	}
	d.Values = slices.Clone(d.Values)
	for i := range d.Values {
		d.Values[i] = scaled(d.Values[i], by)
	}
	return d
}

func scaled(d time.Duration, by float64) time.Duration {
	return clampDuration(math.Round(float64(d) * by))
}
