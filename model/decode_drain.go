package model

import "cmp"

// drain reads how nodes are emptied. What it does not say stays as it is, so that a stage has the rest from upgrade.nodes.
func (d *decoder) drain(p *Drain, n *node) {
	if !d.object(n,
		may("ignoreDaemonSets", d.boolean(&p.IgnoreDaemonSets)),
		may("deleteEmptyDirData", d.boolean(&p.DeleteEmptyDirData)),
		may("force", d.boolean(&p.Force)),
		may("disableEviction", d.boolean(&p.DisableEviction)),
		may("timeout", d.duration(&p.Timeout)),
		may("retry", d.durationFrom(&p.Retry, ms)),
		may("retryMax", d.durationFrom(&p.RetryMax, ms)),
		may("gracePeriod", d.optSecondsOrDuration(&p.GracePeriod)),
		may("onFailure", oneOf(d, &p.OnFailure, "drain.onFailure",
			DrainFail, DrainSkip, DrainUncordonAndContinue, DrainUncordonAndRetry, DrainForceDelete, DrainWait)),
	) {
		return
	}
	if v := cmp.Or(n.get("retryMax"), n.get("retry")); v != nil && p.RetryMax > 0 && p.RetryMax < p.Retry && !d.faulty(v) {
		d.fault(v, "the pause after a refused eviction begins at retry (%v) and cannot end below it, at retryMax (%v)", p.Retry, p.RetryMax)
	}
	if v := n.get("timeout"); v != nil && p.Timeout > 0 && p.OnFailure == DrainWait {
		d.fault(v, "does nothing with `onFailure: wait`, which drains until it succeeds; remove one of the two")
	}
}
