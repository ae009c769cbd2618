package invariant

import (
	"fmt"

	"upsim/model"
)

// ControlPlane are the facts about the control plane as a whole.
type ControlPlane struct {
	// APIServers is how many API servers there are, APIServersUp how many of them answer.
	APIServers, APIServersUp int32
	// Members is how many voting members etcd has (0 where it is not ours to watch),
	// MembersUp how many of them are up.
	Members, MembersUp int32
}

// The rules of the control plane, as bits of its mask from 0 on.
const (
	apiServerUnreachable = iota
	etcdQuorumLost
)

var controlPlaneRules = [...]Rule{
	apiServerUnreachable: {Name: "API reachable", Code: model.APIServerUnreachable, say: func(_ string, d Detail) string {
		if d.Limit == 1 {
			return "the only API server does not answer"
		}
		return fmt.Sprintf("none of the %d API servers answers", d.Limit)
	}},
	etcdQuorumLost: {Name: "quorum", Code: model.EtcdQuorumLost, say: func(_ string, d Detail) string {
		if d.Limit == 1 {
			return "the only etcd member is down"
		}
		return fmt.Sprintf("%d%s of %d etcd members are up; %d make a quorum", d.At, fell(d), d.Limit, quorum(d.Limit))
	}},
}

// quorum is how many of an etcd cluster's members must be up for it to accept
// writes (https://etcd.io/docs/v3.5/faq/, "What is failure tolerance?").
func quorum(members int32) int32 { return members/2 + 1 }

// Class is ControlPlanes.
func (c ControlPlane) Class() Class { return ControlPlanes }

// Broken has a bit for each rule that is broken. A single etcd member is its own quorum.
func (c ControlPlane) Broken() uint16 {
	return bit(apiServerUnreachable, c.APIServers > 0 && c.APIServersUp == 0) |
		bit(etcdQuorumLost, c.Members > 0 && c.MembersUp < quorum(c.Members))
}

// Figures are the numbers behind a broken rule.
func (c ControlPlane) Figures(rule int) (value, limit int32) {
	if rule == etcdQuorumLost {
		return c.MembersUp, c.Members
	}
	return c.APIServersUp, c.APIServers
}
