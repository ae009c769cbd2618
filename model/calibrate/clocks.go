package calibrate

import "upsim/model"

// mostWrong is the share of times from which on clocks that do not agree spoil
// a quantity: what ends before it begins is only the visible part of what is shifted.
const mostWrong = 0.1

// Reasons for which clocks leave times out.
const (
	behindClock = "is of a node whose clock is behind the control plane's"
	wrongClocks = "is as doubtful as the others: the clocks do not agree for more than a tenth of the times"
)

// spoiled leaves a time out because of the clocks that measured it.
func (s *samples) spoiled(m sample, why string) {
	s.wrong[m.Quantity]++
	s.leave(m, why)
}

// distrust leaves all times of a quantity out of which clocks have spoiled too many.
func (s *samples) distrust() {
	for _, q := range quantities {
		all := s.series[q.Quantity]
		if all == nil {
			continue
		}
		n, wrong := len(all.values(all.subjects())), s.wrong[q.Quantity]
		if float64(wrong) > mostWrong*float64(wrong+n) {
			s.leaveMany(q.Quantity, wrongClocks, n, all.example)
			delete(s.series, q.Quantity)
		}
	}
}

// readClocks finds the nodes whose clock is behind that of the control plane: a
// pod is bound by the one and starts by the other, and none starts before it is
// bound. Between whole seconds a second is no proof. A clock that is ahead shows nothing.
func (c *Collector) readClocks() {
	for i := range c.pods {
		l := &c.pods[i]
		if l.kind == model.Static || l.bound == 0 {
			continue // the kubelet binds a static pod itself
		}
		for _, at := range []instant{l.begun, l.ready} {
			if at != 0 && l.bound.until(at) < -kubernetesStep {
				c.behind[l.node] = true
			}
		}
	}
}
