package skew

import "upsim/model"

// Row is the policy for one component, filled in for the API servers at hand.
type Row struct {
	// Component is the name that the policy uses, such as kube-scheduler.
	Component string
	// Oldest and Newest are the minors allowed, without a patch; both are zero
	// where none is, since the API servers are too far apart.
	Oldest, Newest model.Version
	// Order is the component's turn in an upgrade, from 1; 0 has none.
	Order int
	Note  string
}

// Table is the policy for a cluster with API servers of these versions, in the
// order of an upgrade. The row of kube-apiserver says what another API server may have.
// It has no rows without a version.
func Table(servers ...model.Version) []Row {
	if len(servers) == 0 {
		return nil
	}
	oldest, newest := servers[0].Minor, servers[0].Minor
	for _, s := range servers {
		oldest, newest = min(oldest, s.Minor), max(newest, s.Minor)
	}
	rows := make([]Row, 0, len(policy))
	for i := range policy {
		l := &policy[i]
		row := Row{Component: l.component, Order: l.order, Note: l.note}
		if first, last := l.span(oldest, newest); first <= last {
			row.Oldest = model.Version{Major: 1, Minor: first, Patch: -1}
			row.Newest = model.Version{Major: 1, Minor: last, Patch: -1}
		}
		rows = append(rows, row)
	}
	return rows
}
