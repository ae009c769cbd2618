package invariant

import (
	"testing"

	"upsim/model"
)

func TestBudget(t *testing.T) {
	limits(t, []struct {
		facts Budget
		want  []model.Code
		say   string
	}{
		{facts: Budget{Desired: 4, Healthy: 3}},
		{facts: Budget{Desired: 4, Healthy: 3, FloorBroken: true}, want: []model.Code{model.BudgetFloorBroken},
			say: "SUBJECT has 3 healthy pods, it wants 4; something other than an allowed eviction took the rest"},
		{facts: Budget{RefusedSeconds: 299, LongSeconds: 300}},
		{facts: Budget{RefusedSeconds: 300, LongSeconds: 300}, want: []model.Code{model.BudgetRefusedLong},
			say: "SUBJECT has refused an eviction for 300 seconds, which is long (300 seconds)"},
		{facts: Budget{RefusedSeconds: 300}},
	})
}

func TestComponent(t *testing.T) {
	limits(t, []struct {
		facts Component
		want  []model.Code
		say   string
	}{
		{facts: Component{APIServer, 33, 33, 34}},
		{facts: Component{APIServer, 34, 33, 34}},
		{facts: Component{APIServer, 35, 33, 35}}, // the other one is at fault
		{facts: Component{APIServer, 33, 33, 35}, want: []model.Code{model.APIServerSkew},
			say: "SUBJECT is at 1.33, 2 minors older than the newest API server at 1.35"},

		{facts: Component{ControllerManager, 33, 33, 34}},
		{facts: Component{ControllerManager, 34, 33, 34}, want: []model.Code{model.ControllerManagerSkew},
			say: "SUBJECT is at 1.34, 1 minor newer than the oldest API server at 1.33"},
		{facts: Component{Scheduler, 33, 34, 34}},
		{facts: Component{Scheduler, 32, 34, 34}, want: []model.Code{model.SchedulerSkew},
			say: "SUBJECT is at 1.32, 2 minors older than the newest API server at 1.34"},
		{facts: Component{CloudControllerManager, 34, 34, 34}},
		{facts: Component{CloudControllerManager, 35, 34, 34}, want: []model.Code{model.CloudControllerSkew}},

		{facts: Component{Kubectl, 35, 34, 34}},
		{facts: Component{Kubectl, 33, 34, 34}},
		{facts: Component{Kubectl, 36, 34, 34}, want: []model.Code{model.KubectlSkew},
			say: "SUBJECT is at 1.36, 2 minors newer than the oldest API server at 1.34"},
		{facts: Component{Kubectl, 35, 33, 34}, want: []model.Code{model.KubectlSkew},
			say: "SUBJECT is at 1.35, 2 minors newer than the oldest API server at 1.33"},
		{facts: Component{Kubectl, 31, 30, 33}, want: []model.Code{model.KubectlSkew},
			say: "SUBJECT is at 1.31, 2 minors older than the newest API server at 1.33"},

		// One that does not run, and a time without API servers.
		{facts: Component{Scheduler, 0, 34, 34}},
		{facts: Component{Scheduler, 30, 0, 0}},
	})
}

func TestControlPlane(t *testing.T) {
	limits(t, []struct {
		facts ControlPlane
		want  []model.Code
		say   string
	}{
		{facts: ControlPlane{}},
		{facts: ControlPlane{APIServers: 3, APIServersUp: 1}},
		{facts: ControlPlane{APIServers: 3, APIServersUp: 0}, want: []model.Code{model.APIServerUnreachable},
			say: "none of the 3 API servers answers"},
		{facts: ControlPlane{APIServers: 1, APIServersUp: 0}, want: []model.Code{model.APIServerUnreachable},
			say: "the only API server does not answer"},

		{facts: ControlPlane{Members: 3, MembersUp: 2}},
		{facts: ControlPlane{Members: 3, MembersUp: 1}, want: []model.Code{model.EtcdQuorumLost},
			say: "1 of 3 etcd members are up; 2 make a quorum"},
		{facts: ControlPlane{Members: 4, MembersUp: 3}},
		{facts: ControlPlane{Members: 4, MembersUp: 2}, want: []model.Code{model.EtcdQuorumLost}},
		{facts: ControlPlane{Members: 2, MembersUp: 1}, want: []model.Code{model.EtcdQuorumLost}},
		{facts: ControlPlane{Members: 1, MembersUp: 0}, want: []model.Code{model.EtcdQuorumLost}, say: "the only etcd member is down"},
	})
}
