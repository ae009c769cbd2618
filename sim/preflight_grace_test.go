package sim

import (
	"testing"
	"time"

	"upsim/model"
)

func TestPreflightGraces(t *testing.T) {
	const cut = "GracePeriodTooShort Deployment/default/web: its pods "
	minutes := func(n int) *time.Duration { d := time.Duration(n) * time.Minute; return &d }
	takes := func(d model.Dist) *model.Dist { return &d }
	for _, c := range []struct {
		name   string
		change func(w *model.Workload, up *model.Upgrade)
		want   string
	}{
		{"as long as it is given", func(w *model.Workload, _ *model.Upgrade) { w.Shutdown = takes(model.Const(time.Minute)) }, ""},
		{"longer", func(w *model.Workload, _ *model.Upgrade) { w.Shutdown = takes(model.Const(2 * time.Minute)) },
			cut + "take 2m to stop, and are killed after the terminationGracePeriodSeconds of 1m"},
		{"seldom longer", func(w *model.Workload, _ *model.Upgrade) {
			w.Shutdown = takes(model.LogNormalDist(30*time.Second, 3*time.Minute))
		}, cut + "may take 3m to stop, and are killed after the terminationGracePeriodSeconds of 1m"},
		{"a drain that gives more", func(w *model.Workload, up *model.Upgrade) {
			w.Shutdown, up.Nodes.Drain.GracePeriod = takes(model.Const(2*time.Minute)), minutes(2)
		}, ""},
		{"a drain that cuts what it gives", func(w *model.Workload, up *model.Upgrade) {
			w.Shutdown, w.GracePeriod, up.Nodes.Drain.MaxGracePeriod = takes(model.Const(90*time.Minute)), 2*time.Hour, minutes(60)
		}, cut + "take 1h30m to stop, and are killed after the drain's maxGracePeriod of 1h"},
		{"copies", func(w *model.Workload, _ *model.Upgrade) { w.Shutdown, w.Count = takes(model.Const(2*time.Minute)), 3 },
			"GracePeriodTooShort Deployment/default/web01: its pods take 2m to stop, and are killed after the terminationGracePeriodSeconds of 1m; the same holds for its 2 other copies"},
		{"a pod that stays", func(w *model.Workload, _ *model.Upgrade) {
			w.Shutdown, w.Kind = takes(model.Const(2*time.Minute)), model.DaemonSet
		}, ""},
	} {
		got := findingLines(preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 2, nil)
			w.GracePeriod = time.Minute
			up.Nodes.Drain.IgnoreDaemonSets = true
			c.change(&w, up)
			cl.Workloads = []model.Workload{w}
		}))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
