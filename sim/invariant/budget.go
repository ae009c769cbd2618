package invariant

import (
	"fmt"

	"upsim/model"
)

// Budget are the facts about a PodDisruptionBudget whose selector picks the
// pods of several workloads. (What a workload's own budget wants stands with
// the workload.)
type Budget struct {
	// Desired is how many healthy pods it wants, Healthy how many there are.
	Desired, Healthy int32
	// FloorBroken: there are fewer than it wants by something other than
	// evictions that it allowed.
	FloorBroken bool
	// RefusedSeconds is for how long the claimant that has waited longest has
	// been refused, LongSeconds what counts as long; 0 asks for nothing.
	RefusedSeconds, LongSeconds int32
}

// The rules of a budget, as bits of its mask from 0 on.
const (
	sharedFloorBroken = iota
	refusedLong
)

var budgetRules = [...]Rule{
	sharedFloorBroken: {Name: "budget", Code: model.BudgetFloorBroken, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s%s, it wants %d; something other than an allowed eviction took the rest",
			subject, count(d.At, "healthy pod", "healthy pods"), fell(d), d.Limit)
	}},
	refusedLong: {Name: "eviction", Code: model.BudgetRefusedLong, Worse: Higher, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has refused an eviction for %s, which is long (%s)", subject, count(d.Worst, "second", "seconds"), count(d.Limit, "second", "seconds"))
	}},
}

// Class is Budgets.
func (b Budget) Class() Class { return Budgets }

// Broken has a bit for each rule that is broken.
func (b Budget) Broken() uint16 {
	return bit(sharedFloorBroken, b.FloorBroken) |
		bit(refusedLong, b.LongSeconds > 0 && b.RefusedSeconds >= b.LongSeconds)
}

// Figures are the numbers behind a broken rule.
func (b Budget) Figures(rule int) (value, limit int32) {
	if rule == refusedLong {
		return b.RefusedSeconds, b.LongSeconds
	}
	return b.Healthy, b.Desired
}
