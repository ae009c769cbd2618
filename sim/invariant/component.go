package invariant

import (
	"upsim/model"
	"upsim/model/skew"
)

// ComponentKind says what a component is.
type ComponentKind uint8

// The kinds of component; each has one rule, whose bit has this number.
const (
	APIServer ComponentKind = iota
	ControllerManager
	Scheduler
	CloudControllerManager
	Kubectl
)

// Component are the facts about one process, an instance of the control plane
// or the kubectl in use. Versions are minors of Kubernetes 1.
type Component struct {
	Kind ComponentKind
	// Minor is its own; 0 while it does not run.
	Minor int32
	// OldestAPI and NewestAPI are those of the API servers that run; 0 while none
	// does, when there is nothing to hold a version against.
	OldestAPI, NewestAPI int32
}

var componentRules = [...]Rule{
	APIServer:              {Name: "API server skew", Code: model.APIServerSkew, Worse: Farther, say: apart("", theOldest, theNewest)},
	ControllerManager:      {Name: "controller-manager skew", Code: model.ControllerManagerSkew, Worse: Farther, say: apart("", theOldest, theNewest)},
	Scheduler:              {Name: "scheduler skew", Code: model.SchedulerSkew, Worse: Farther, say: apart("", theOldest, theNewest)},
	CloudControllerManager: {Name: "cloud-controller-manager skew", Code: model.CloudControllerSkew, Worse: Farther, say: apart("", theOldest, theNewest)},
	Kubectl:                {Name: "kubectl skew", Code: model.KubectlSkew, Worse: Farther, say: apart("", theOldest, theNewest)},
}

// Class is Components.
func (c Component) Class() Class { return Components }

// Broken has the bit of the component's rule if it breaks it. Of two API
// servers that are too far apart it is the older one: that one has to move.
func (c Component) Broken() uint16 {
	if c.Minor == 0 || c.NewestAPI == 0 {
		return 0
	}
	minor, oldest, newest := int(c.Minor), int(c.OldestAPI), int(c.NewestAPI)
	allowed := false
	switch c.Kind {
	case APIServer:
		allowed = skew.APIServers(minor, newest)
	case Kubectl:
		allowed = skew.Kubectl(minor, oldest, newest)
	default:
		allowed = skew.Component(minor, oldest, newest)
	}
	return bit(int(c.Kind), !allowed)
}

// Figures are how much newer than an API server the component is, and that
// one's minor: of the oldest and the newest the one that is farther away.
func (c Component) Figures(int) (value, limit int32) {
	newer, older := c.Minor-c.OldestAPI, c.NewestAPI-c.Minor
	if c.Kind != APIServer && newer >= older {
		return newer, c.OldestAPI
	}
	return -older, c.NewestAPI
}
