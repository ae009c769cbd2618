package model

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// drain reads how nodes are emptied. What it does not say stays as it is, so that a stage has the rest from upgrade.nodes.
func (d *decoder) drain(p *Drain, n *node) {
	if !d.object(n,
		may("ignoreDaemonSets", d.boolean(&p.IgnoreDaemonSets)),
		may("deleteEmptyDirData", d.boolean(&p.DeleteEmptyDirData)),
		may("force", d.boolean(&p.Force)),
		may("disableEviction", d.boolean(&p.DisableEviction)),
		may("evict", oneOf(d, &p.Evict, EvictParallel, EvictSequential, EvictGroups, EvictVolumesOneByOne)),
		may("timeout", d.duration(&p.Timeout)),
		may("timeoutCheck", oneOf(d, &p.TimeoutCheck, TimeoutAfterRetry, TimeoutExact)),
		may("retry", d.durationFrom(&p.Retry, ms)),
		may("retryMax", d.durationFrom(&p.RetryMax, ms)),
		may("gracePeriod", d.optSecondsOrDuration(&p.GracePeriod)),
		may("maxGracePeriod", d.optSecondsOrDuration(&p.MaxGracePeriod)),
		may("attempts", d.integer(&p.Attempts, 1, maxAttempts)),
		may("attemptDelay", d.duration(&p.AttemptDelay)),
		may("postDrainDelay", d.duration(&p.PostDrainDelay)),
		may("onFailure", oneOf(d, &p.OnFailure,
			DrainFail, DrainUncordonAndFail, DrainFailStage, DrainSkip, DrainUncordonAndContinue, DrainUncordonAndRetry, DrainForceDelete, DrainDeleteNode, DrainWait)),
		may("onAPIOutage", oneOf(d, &p.OnAPIOutage, APIOutageFail, APIOutageWait)),
		may("maxSkipped", func(v *node) {
			var most intstr.IntOrString
			before := len(d.found)
			if d.intOrPercent(&most, MaxNodesPerCluster)(v); len(d.found) == before {
				p.MaxSkipped = &most
			}
		}),
	) {
		return
	}
	if v := cmp.Or(n.get("retryMax"), n.get("retry")); v != nil && p.RetryMax > 0 && p.RetryMax < p.Retry && !d.faulty(v) {
		d.fault(v, "the pause after a refused eviction begins at retry (%v) and cannot end below it, at retryMax (%v)", p.Retry, p.RetryMax)
	}
	d.idleDrain(p, n)
}

// maxAttempts is far more drains of one node than any system makes before it gives up.
const maxAttempts = 100

// idleDrain refuses keys that would do nothing beside the others, and clears what a stage has from upgrade.nodes and has
// no use for.
func (d *decoder) idleDrain(p *Drain, n *node) {
	waits := p.OnFailure == DrainWait
	idle := func(key string, does bool, format string, args ...any) {
		if v := n.get(key); v != nil && !does && !d.faulty(v) {
			d.fault(v, "does nothing "+format, args...)
		}
	}
	idle("evict", !p.DisableEviction || p.Evict == EvictParallel, "with `disableEviction: true`: the pods are deleted and not evicted")
	idle("timeout", p.Timeout == 0 || !waits || !p.DisableEviction, "with `onFailure: wait` and `disableEviction: true`: the pods are deleted once")
	idle("timeoutCheck", p.Timeout > 0 || p.TimeoutCheck == TimeoutAfterRetry, "without a timeout")
	idle("onAPIOutage", !waits || p.OnAPIOutage == APIOutageWait, "with `onFailure: wait`, which drains until it succeeds")
	idle("attempts", !waits || p.Attempts == 1, "with `onFailure: wait`, which drains until it succeeds")
	idle("maxSkipped", p.OnFailure == DrainSkip, "without `onFailure: skip`")
	if waits {
		p.Attempts = 1
		idle("attemptDelay", p.Timeout > 0 || p.AttemptDelay == 0, "with `onFailure: wait` and no timeout that would end a drain")
	} else {
		idle("attemptDelay", p.Attempts > 1 || p.AttemptDelay == 0, "with one attempt; write `attempts`")
	}
	if p.DisableEviction {
		p.Evict = EvictParallel
	}
	if p.OnFailure != DrainSkip {
		p.MaxSkipped = nil
	}
}
