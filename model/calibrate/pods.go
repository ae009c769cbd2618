package calibrate

import (
	"time"

	"upsim/model"
)

// readyWithin bounds the time from a container's start to Ready: what comes
// later is taken for a pod that lost its readiness and has it again.
const readyWithin = 10 * time.Minute

// fromConditions says where the start of a pod is read.
const fromConditions = "conditions PodScheduled to Ready"

// startTimes takes the time from bound to Ready of every pod whose conditions still show its start.
func (c *Collector) startTimes() {
	trouble := make([]bool, len(c.pods))
	for uid := range c.troubled {
		if at, ok := c.podIndex[uid]; ok {
			trouble[at] = true
		}
	}
	for i := range c.pods {
		if l := &c.pods[i]; l.kind != model.Static {
			c.startTime(l, trouble[i])
		}
	}
}

func (c *Collector) startTime(l *life, trouble bool) {
	m := c.measured(Startup, l, fromConditions)
	boot, known := c.boot(l.node, l.bound)
	switch {
	case l.ready == 0 && l.stopped != 0, l.ready == 0 && l.asked != 0:
		// It goes; its start is past.
	case l.ready == 0:
		c.leave(m, "is not Ready")
	case !l.clean:
		c.leave(m, "has restarted, and its Ready is of the last time")
	case trouble:
		c.leave(m, "had an image or a container that failed (events Failed, BackOff)")
	case l.bound == 0:
		c.leave(m, "has no time of PodScheduled")
	case l.started != 0 && l.started.until(l.ready) > readyWithin:
		c.leave(m, "turned Ready more than 10m after its containers started, so not for the first time")
	case known && l.bound < boot:
		c.leave(m, "was bound before its node was Ready for the first time")
	default:
		c.takeOn(l.node, m, l.bound.until(l.ready))
	}
}
