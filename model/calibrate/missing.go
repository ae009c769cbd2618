package calibrate

import (
	"fmt"

	"upsim/model/kube"
)

// Missing is an assumption that the inputs do not tell, and what would.
type Missing struct {
	Quantity Quantity
	Why, Fix string
	// Command is what prints the input that is needed; empty where no command does.
	Command string
}

// missing lists the quantities that no estimate in use covers.
func (c *Collector) missing(list []Estimate) []Missing {
	used := map[Quantity]bool{}
	own := map[Quantity]bool{}
	seen := map[Quantity]string{}
	for _, e := range list {
		if e.Of != (Subject{}) {
			own[e.Quantity] = own[e.Quantity] || e.Apart
			continue
		}
		used[e.Quantity] = e.Use
		if e.Why != "" {
			seen[e.Quantity] = e.Why
		}
	}
	var out []Missing
	for _, q := range []Quantity{Startup, Shutdown, NodeUpgrade, NodeProvision, ControllerLatency, SchedulerLatency, TaintLag, DeletionLag} {
		if used[q] {
			continue
		}
		m := c.whyMissing(q)
		switch text := seen[q]; {
		case own[q]:
			m = Missing{q, "the workloads that were measured have times of their own", "pods of more workloads tell what the rest takes", ""}
		case text != "":
			m.Why = text
		case c.wrong[q] > 0 && c.series[q] == nil:
			m = Missing{q, "the clocks of the nodes and of the control plane do not agree", "set the clocks right, and measure pods that start and stop after that", ""}
		}
		out = append(out, m)
	}
	return out
}

// watchCommand prints how pods stop, which no snapshot is sure to catch.
const watchCommand = "kubectl get pods -A -o json --watch --output-watch-events"

func (c *Collector) whyMissing(q Quantity) Missing {
	recordings := 0
	for _, in := range c.inputs {
		if in.Recording {
			recordings++
		}
	}
	onlyRecordings := recordings == len(c.inputs)
	switch {
	case latency(q) && recordings == 0:
		return Missing{q, "Kubernetes' own times are whole seconds, too coarse for latencies of milliseconds", "only a recording of an upgrade tells it", ""}
	case onlyRecordings:
		return Missing{q, "the recordings do not have it", "a recording of an upgrade in which it happens more often tells it", ""}
	}
	switch q {
	case Startup:
		return Missing{q, "no pod tells its start", "give a snapshot of Ready pods", kube.TimesCommand}
	case Shutdown:
		why := "no pod tells its end"
		if n := c.unseen(); n > 0 {
			why = fmt.Sprintf("%d pods stopped, and nothing tells when they were gone", n)
		}
		return Missing{q, why, "watch pods while an upgrade runs", watchCommand}
	case NodeUpgrade:
		return Missing{q, "no node was cordoned and came back", "take snapshots while an upgrade runs, since events are kept for one hour by default", kube.TimesCommand}
	case NodeProvision:
		return Missing{q, "no snapshot tells when a new node was asked for", "take the time from the request until the node registers out of the provider's log, and add nodeBoot", ""}
	}
	return Missing{q, "the inputs do not have it", "only a recording of an upgrade tells it", ""}
}
