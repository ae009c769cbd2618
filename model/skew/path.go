package skew

import (
	"fmt"

	"upsim/model"
)

// CheckPath holds the way of an API server, from the version that it has
// through those of path, against the policy: no minor is skipped, "even a
// single one" (section kube-apiserver of the upgrade order), and none is taken
// back. Patches are free, also an older one of the same minor.
func CheckPath(from model.Version, path []model.Version) []model.Finding {
	var list []model.Finding
	for _, to := range path {
		subject := "control-plane/" + to.String()
		switch {
		case to.Minor > from.Minor+1:
			skipped := fmt.Sprintf("1.%d", from.Minor+1)
			if to.Minor > from.Minor+2 {
				skipped += fmt.Sprintf(" to 1.%d", to.Minor-1)
			}
			next := model.UpgradePath(from, to)[0]
			list = append(list, model.NewFinding(model.MinorSkipped, subject,
				fmt.Sprintf("%s to %s skips %s; an API server takes every minor in turn, the next is %s", from, to, skipped, next)))
		case to.Minor < from.Minor:
			list = append(list, model.NewFinding(model.ControlPlaneDowngrade, subject,
				fmt.Sprintf("%s to %s goes back to an older minor; etcd's data may already be in a form that %s cannot read", from, to, to)))
		}
		from = to
	}
	return list
}
