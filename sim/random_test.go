package sim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"upsim/model"
)

// TestRandomUpgrades plays random upgrades with everything that can go wrong:
// audited at every tick, twice, and with the plain event list, and holds the
// result against rules that every result must keep.
func TestRandomUpgrades(t *testing.T) {
	seen := map[Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomTrouble(rt)
		up := sc.Upgrades()[0]
		w, err := Compile(sc, up)
		if err != nil {
			rt.Fatal(err)
		}
		audited := w.Run(Options{Audit: true, MaxEvents: mostEvents})
		text := resultText(rt, audited)
		for name, o := range map[string]Options{"a second run": {MaxEvents: mostEvents}, "the plain event list": {MaxEvents: mostEvents, plainQueue: true},
			"a run that is watched":               {MaxEvents: mostEvents, Story: func(Step) {}},
			"an event for each write of a budget": {MaxEvents: mostEvents, watchBudgets: true}} {
			if o.watchBudgets && audited.Verdict == Stuck {
				continue // a write behind the last thing that happens is then there too, and is part of no result
			}
			if other := resultText(rt, w.Run(o)); !bytes.Equal(other, text) {
				rt.Fatalf("%s gives another result:\n%s\n%s", name, text, other)
			}
		}
		again, err := Compile(sc, up)
		if err != nil {
			rt.Fatal(err)
		}
		if other := resultText(rt, again.Run(Options{MaxEvents: mostEvents})); !bytes.Equal(other, text) {
			rt.Fatalf("compiled again, the result is another:\n%s\n%s", text, other)
		}
		checkResult(rt, sc, audited)
		seen[audited.Verdict]++
	})
	t.Logf("verdicts: %v", seen)
}

func resultText(rt *rapid.T, r *Result) []byte { return asText(rt, r) }

func asText(rt *rapid.T, x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		rt.Fatal(err)
	}
	return text
}

// checkResult holds a result against what its parts must agree on.
func checkResult(rt *rapid.T, sc *model.Scenario, r *Result) {
	var errors, behind, upgraded, joined, machines, drained int
	for _, f := range r.Reasons {
		if f.Severity == model.SeverityError {
			errors++
		}
		if f.Code == model.CutOff {
			rt.Fatalf("a run that does not end: %s", f.Message)
		}
		if f.Message == "" || f.Subject == "" {
			rt.Fatalf("a finding without words: %+v", f)
		}
	}
	workers, servers := 0, false // servers: a control-plane node is behind
	for _, n := range r.Nodes {
		if n.Pool == model.PoolControlPlane {
			if strings.HasSuffix(n.Name, "-new") {
				machines++
			}
			servers = servers || n.UpgradedAtSeconds == nil && !n.Removed
			continue
		}
		workers++
		if strings.HasSuffix(n.Name, "-new") || strings.Contains(n.Name, "-surge-") {
			joined++
		}
		if n.DrainResult != "none" { // also where what was left was deleted by force
			drained++
		}
		if n.UpgradedAtSeconds != nil {
			upgraded++
			if n.Kubelet != r.To {
				rt.Fatalf("%s was upgraded at %v, and has %s", n.Name, *n.UpgradedAtSeconds, n.Kubelet)
			}
			// A gate can stop an upgrade while a node of it is still on its way back.
			if *n.UpgradedAtSeconds > r.MakespanSeconds && r.Verdict != Aborted {
				rt.Fatalf("%s was upgraded at %v, after the end at %v", n.Name, *n.UpgradedAtSeconds, r.MakespanSeconds)
			}
		}
		if n.BlockedSeconds > n.DrainSeconds+0.000001 {
			rt.Fatalf("the drain of %s was held up for %v of %v s", n.Name, n.BlockedSeconds, n.DrainSeconds)
		}
	}
	// Of a node and the one that takes its place the result lists both; the versions at the end only what is there.
	total := 0
	for v, n := range r.FinalVersions {
		total += n
		if v != r.To {
			behind += n
		}
	}
	workers -= joined
	scaled := slices.ContainsFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.NodeScaledDown }) // an autoscaler has taken some
	if removed := workers + joined - total; removed < 0 || removed > drained && r.Verdict != Aborted && !scaled {  // a drain that was under way may end after the abort
		rt.Fatalf("of %d workers and %d new ones %d are left, and %d were drained", workers, joined, total, drained)
	} else if r.Verdict == Safe && removed != joined && !scaled {
		rt.Fatalf("%s, and %d new nodes came for %d old ones", r.Verdict, joined, removed)
	}
	checkSurge(rt, sc, r, joined, machines)
	switch r.Verdict {
	case Safe:
		if errors > 0 {
			rt.Fatal("safe, with an error")
		}
		if behind > 0 && len(sc.Upgrade.Nodes.Lag) == 0 && (sc.Upgrade.Nodes.Limit == 0 || upgraded < sc.Upgrade.Nodes.Limit) && !scaled {
			rt.Fatalf("safe, and %d of %d nodes are behind", behind, workers)
		}
	case Violated:
		if errors == 0 {
			rt.Fatal("violated, without an error")
		}
	case Stuck:
		// An extra node may be the one that cannot be drained, and nobody may be there to be told that the last node is back.
		if behind == 0 && !servers && !scaled && !newNodeMissing(r) && !slices.ContainsFunc(r.Nodes, func(n NodeResult) bool { return n.Extra && !n.Removed }) &&
			!slices.ContainsFunc(r.Reasons, func(f model.Finding) bool {
				return f.Code == model.APIServerUnreachable && f.Severity == model.SeverityError
			}) {
			rt.Fatal("stuck, and every node has the version")
		}
		if errors == 0 {
			rt.Fatal("stuck, without a proof")
		}
	case Aborted:
		if errors == 0 {
			rt.Fatal("aborted, without a reason")
		}
	}
	checkWentBack(rt, sc, r)
	var evictions, refused, failed, byBudget int64
	for _, x := range r.Workloads {
		evictions, refused, failed = evictions+x.Evictions, refused+x.EvictionsRefused, failed+x.EvictionErrors
		for what, s := range map[string]Seconds{"zero": x.SecondsZero, "below": x.SecondsBelow, "pending": x.SecondsPending, "below its floor": x.SecondsBelowFloor} {
			if s < 0 || s > r.MakespanSeconds {
				rt.Fatalf("%s was %s for %v of %v s", x.Name, what, s, r.MakespanSeconds)
			}
		}
		if x.SecondsZero > x.SecondsBelow || x.MinReady > 0 && x.SecondsZero > 0 || x.MinReady < 0 {
			rt.Fatalf("contradiction: %+v", x)
		}
	}
	for _, b := range r.Budgets {
		byBudget += b.Refused
		if b.SecondsExhausted < 0 || b.SecondsExhausted > r.MakespanSeconds {
			rt.Fatalf("%s was exhausted for %v of %v s", b.Name, b.SecondsExhausted, r.MakespanSeconds)
		}
	}
	if evictions != r.Evictions || refused != r.EvictionsRefused || failed != r.EvictionErrors || byBudget != refused {
		rt.Fatalf("sums: evictions %d of %d, refused %d and %d by budget of %d, errors %d of %d", evictions, r.Evictions, refused, byBudget, r.EvictionsRefused, failed, r.EvictionErrors)
	}
	for _, v := range r.Violations {
		if v.EndSeconds != nil && *v.EndSeconds < v.StartSeconds {
			rt.Fatalf("a violation that ends before it begins: %+v", v)
		}
	}
	if d := r.WorkingSeconds + r.WaitingSeconds - r.MakespanSeconds; d < -1e-6 || d > 1e-6 || r.WorkingSeconds < 0 || r.WaitingSeconds < 0 {
		rt.Fatalf("%v s of work and %v s of waiting make %v s", r.WorkingSeconds, r.WaitingSeconds, r.MakespanSeconds)
	}
	end, waited := Seconds(0), Seconds(0)
	for _, p := range r.Phases {
		if p.Name == "wait for window" {
			waited += p.EndSeconds - p.StartSeconds
		}
		if p.EndSeconds < p.StartSeconds || p.EndSeconds > r.MakespanSeconds {
			rt.Fatalf("phase %+v of %v s", p, r.MakespanSeconds)
		}
		end = max(end, p.EndSeconds)
	}
	if d := waited - r.WaitingSeconds; d < -1e-6 || d > 1e-6 {
		rt.Fatalf("waited %v s for windows, of which the phases have %v", r.WaitingSeconds, waited)
	}
	if r.Verdict != Aborted && end != r.MakespanSeconds {
		rt.Fatalf("the phases end at %v, the upgrade at %v", end, r.MakespanSeconds)
	}
}

// checkWentBack holds what is said of nodes that went back against the versions at the end.
func checkWentBack(rt *rapid.T, sc *model.Scenario, r *Result) {
	for _, f := range r.Reasons {
		if f.Code != model.GateFailed || !strings.Contains(f.Message, "rolled back: ") {
			continue
		}
		if all := !strings.Contains(f.Message, "did not go back") && !strings.Contains(f.Message, "away") && !strings.Contains(f.Message, "still there") && !strings.Contains(f.Message, "no node has gone back"); all && r.FinalVersions[r.To] > 0 {
			rt.Fatalf("%s; and %d nodes have %s at the end", f.Message, r.FinalVersions[r.To], r.To)
		}
		if r.Verdict != Aborted {
			rt.Fatalf("%s, and %s", r.Verdict, f.Message)
		}
	}
	bad := slices.ContainsFunc(sc.Faults, func(f model.Fault) bool { return f.Kind == model.BadVersion })
	if b := r.BlastRadius; !bad && b.Pods > 0 || b.Workloads > b.Pods || (b.Pods > 0) != (b.Workloads > 0) {
		rt.Fatalf("blast radius %+v", b)
	}
}

// newNodeMissing reports whether a new node came late, or not at all.
func newNodeMissing(r *Result) bool {
	return slices.ContainsFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.NoNewNode || f.Code == model.NewNodeMissing })
}

// checkSurge holds the figures of the extra nodes against each other and against what the strategy allows.
func checkSurge(rt *rapid.T, sc *model.Scenario, r *Result, joined, machines int) {
	peak, hours := r.Surge.PeakNodes, float64(r.Surge.NodeHours)
	if cp := &sc.Upgrade.ControlPlane; cp.MaxSurge == 0 {
		machines = 0 // each in the place of one that has gone
	}
	// Some may have been asked for that did not join before the end.
	short := newNodeMissing(r) || r.Verdict != Safe || slices.ContainsFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.NodeScaledDown })
	u := &sc.Upgrade.Nodes
	first := u.Replace == model.ReplaceSurge && u.MaxUnavailable == intstr.FromInt32(0) || u.Replace == model.ReplaceBlueGreen // new ones come before any old one goes
	if !short && (first && !deletesNodes(sc) && (peak > 0) != (joined+machines > 0) || peak > joined+min(machines, 1)) || hours < 0 || hours > float64(peak)*float64(r.MakespanSeconds)/3600+1e-9 {
		rt.Fatalf("%d new nodes, at most %d at once, %v node hours in %v s", joined, peak, hours, r.MakespanSeconds)
	}
	workers := 0
	for i := range sc.Cluster.Pools {
		workers += sc.Cluster.Pools[i].Count
	}
	// A percentage of the workers, rounded up, as the scenario format says; with hops each every hop has its own new nodes.
	if most, err := intstr.GetScaledValueFromIntOrPercent(&u.MaxSurge, workers, true); u.Replace == model.ReplaceSurge && u.Pools == model.PoolsTogether && len(u.Stages) == 0 && u.Drain.OnFailure == model.DrainFail && (err != nil || peak > most+min(machines, 1)) {
		rt.Fatalf("%d new nodes at once, maxSurge is %s", peak, u.MaxSurge.String())
	}
}

// deletesNodes reports whether a node whose drain fails is deleted, so that one may come without being one too many.
func deletesNodes(sc *model.Scenario) bool {
	for _, s := range sc.Upgrade.Nodes.Expand(&sc.Cluster) {
		if s.Drain.OnFailure == model.DrainDeleteNode {
			return true
		}
	}
	return false
}

// randomTrouble is randomScenario with placements, volumes, ports, priorities, a
// control plane of ours, stages with gates, and faults.
func randomTrouble(rt *rapid.T) *model.Scenario {
	d := rapid.IntRange
	chance := func(one int, what string) bool { return d(1, one).Draw(rt, what) == one } // the last one, so that rapid shrinks to less
	sc := randomScenario(rt)
	nodes := 0
	for i := range sc.Cluster.Pools {
		p := &sc.Cluster.Pools[i]
		p.Count = min(p.Count, 8)
		nodes += p.Count
	}
	some := func(what string) string {
		p := rapid.SampledFrom(sc.Cluster.Pools).Draw(rt, what+" pool")
		return p.NodeName(d(0, p.Count-1).Draw(rt, what))
	}
	for i := range sc.Cluster.Workloads {
		w := &sc.Cluster.Workloads[i]
		w.Priority = int32(100 * d(0, 2).Draw(rt, "priority"))
		if chance(6, "critical") {
			w.Priority = model.CriticalPriority
		}
		w.NeverPreempts = chance(4, "never preempts")
		w.MinReady = time.Duration(rapid.SampledFrom([]int{0, 0, 5, 40}).Draw(rt, "min ready")) * time.Second
		w.NeverReady = chance(12, "never ready")
		w.EmptyDir = chance(4, "emptyDir")
		if chance(5, "ports") {
			w.HostPorts = []int{80}
		}
		if w.Kind != model.DaemonSet {
			if chance(4, "volume") {
				detach := model.Const(time.Duration(d(0, 20).Draw(rt, "detach")) * time.Second)
				w.Volume = &model.Volume{Zonal: rapid.Bool().Draw(rt, "zonal"), Local: chance(3, "local"), Attach: &detach, Detach: &detach}
			}
			if w.Replicas > 0 && chance(4, "quorum") {
				behind := model.Const(time.Duration(d(0, 400).Draw(rt, "catch up")) * time.Second)
				w.Quorum, w.CatchUp = w.Replicas/2+1, &behind
			}
			for range d(0, min(3, w.Replicas)).Draw(rt, "placed") {
				w.Placement = append(w.Placement, some("placement"))
			}
		}
		if w.Budget != nil && chance(3, "min") {
			n := rapid.SampledFrom([]intstr.IntOrString{intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%"), intstr.FromString("100%")}).Draw(rt, "available")
			w.Budget = &model.Budget{MinAvailable: &n, AlwaysAllow: chance(3, "always allow")}
		}
	}
	if chance(3, "bare") {
		sc.Cluster.Workloads = append(sc.Cluster.Workloads, model.Workload{Name: "bare", Namespace: "default", Kind: model.BarePod, Count: 1, Replicas: 1, GracePeriod: 30 * time.Second})
	}
	if chance(4, "second budget") {
		n := intstr.FromInt32(1)
		sc.Cluster.Budgets = append(sc.Cluster.Budgets, model.Budget{Name: "all", Namespace: "default", MaxUnavailable: &n})
	}
	randomControlPlane(rt, sc)
	randomDrain(rt, &sc.Upgrade.Nodes.Drain)
	randomStages(rt, sc)
	u := &sc.Upgrade.Nodes
	u.Drain.Force = rapid.Bool().Draw(rt, "force")
	u.Drain.DisableEviction = chance(8, "disable eviction")
	if u.Drain.OnFailure == model.DrainFail && chance(3, "wait") {
		u.Drain.OnFailure = model.DrainWait
	}
	if u.Replace != model.ReplaceBlueGreen {
		if chance(4, "barrier") {
			u.Slots = model.SlotsBarrier
		}
		if chance(4, "cordon all") && u.Cordon == model.CordonOwn {
			u.Cordon = model.CordonAll
		}
	}
	if chance(5, "lag") {
		u.Lag = []string{sc.Cluster.Pools[0].Name}
	}
	if chance(4, "limit") {
		u.Limit = d(1, nodes).Draw(rt, "limited to")
	}
	if chance(4, "away") {
		f := model.Fault{Kind: model.NodeDoesNotReturn, Probability: 1, NodeNames: []string{some("away")}, For: time.Duration(d(1, 900).Draw(rt, "away for")) * time.Second}
		f.Forever = chance(3, "forever")
		sc.Faults = append(sc.Faults, f)
	}
	if chance(3, "bad") {
		sc.Faults = append(sc.Faults, model.Fault{Kind: model.BadVersion, Probability: float64(d(1, 4).Draw(rt, "probability")) / 4, Version: sc.Upgrade.To,
			Onset: time.Duration(d(0, 100).Draw(rt, "onset")) * time.Second, Detection: time.Duration(d(0, 100).Draw(rt, "detection")) * time.Second,
			Effect: rapid.SampledFrom([]model.BadVersionEffect{model.EffectNotReady, model.EffectBrokenWhileReady}).Draw(rt, "effect")})
	}
	if chance(4, "forgotten") {
		sc.Faults = append(sc.Faults, model.Fault{Kind: model.ForgottenUncordon, Probability: float64(d(1, 4).Draw(rt, "forgotten probability")) / 4})
	}
	randomFaults(rt, sc, some)
	if chance(4, "windows") {
		randomWindows(rt, &sc.Upgrade)
	}
	return sc
}

// randomWindows opens windows of some minutes on every day, which may overlap, so that an upgrade meets several.
func randomWindows(rt *rapid.T, u *model.Upgrade) {
	for range rapid.IntRange(1, 3).Draw(rt, "windows") {
		w := model.MaintenanceWindow{Open: rapid.IntRange(0, 24*60-1).Draw(rt, "open")}
		w.Close = (w.Open+rapid.IntRange(1, 90).Draw(rt, "minutes")-1)%(24*60) + 1
		for d := range model.Weekday(7) {
			w.Days = append(w.Days, d)
		}
		u.Windows = append(u.Windows, w)
	}
	u.Start = u.Windows[0].Open + rapid.SampledFrom([]int{0, 0, 30, 3 * 24 * 60}).Draw(rt, "start")
	u.WhenClosed = rapid.SampledFrom([]model.WhenClosed{model.ClosedPause, model.ClosedPause, model.ClosedFinish}).Draw(rt, "closed")
}

// randomFaults sometimes makes pods start slowly and new nodes rare.
func randomFaults(rt *rapid.T, sc *model.Scenario, some func(string) string) {
	d := rapid.IntRange
	chance := func(one int, what string) bool { return d(1, one).Draw(rt, what) == one }
	fault := func(kind model.FaultKind) model.Fault {
		name := string(kind)
		return model.Fault{Kind: kind, Probability: 1, At: time.Duration(d(0, 600).Draw(rt, name+" at")) * time.Second,
			For: time.Duration(d(1, 900).Draw(rt, name+" for")) * time.Second, Forever: chance(4, name+" forever")}
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(rt, "failures") {
		f := fault(model.NodeFailure)
		switch d(0, 3).Draw(rt, "which fail") {
		case 0:
			f.Rate, f.At, f.Forever = float64(d(1, 400).Draw(rt, "rate")), 0, chance(8, "lost")
		case 1:
			f.Probability = float64(d(1, 4).Draw(rt, "failing")) / 4
		case 2:
			if zones := zonesOf(sc); len(zones) > 0 {
				f.Zone = rapid.SampledFrom(zones).Draw(rt, "zone")
				break
			}
			fallthrough
		default:
			f.NodeNames = []string{some("fails")}
		}
		sc.Faults = append(sc.Faults, f)
	}
	if chance(4, "API servers out") {
		sc.Faults = append(sc.Faults, fault(model.APIServerOutage))
		for _, u := range drainsOf(sc) {
			if u.OnFailure != model.DrainWait && rapid.Bool().Draw(rt, "tries again") {
				u.OnAPIOutage = model.APIOutageWait
			}
		}
	}
	if chance(4, "autoscaler") {
		f := fault(model.ScaleDown)
		f.Unneeded = time.Duration(d(0, 900).Draw(rt, "unneeded")) * time.Second
		sc.Faults = append(sc.Faults, f)
	}
	if chance(4, "certificates") {
		f := model.Fault{Kind: model.KubeletCertificates, Probability: 1, Forever: true, Validity: time.Duration(d(600, 4000).Draw(rt, "validity")) * time.Second}
		f.Age = model.Const(f.Validity * time.Duration(d(0, 99).Draw(rt, "age")) / 100)
		sc.Faults = append(sc.Faults, f)
	}
	if chance(6, "slow images") {
		f := fault(model.SlowImages)
		f.Factor = float64(d(10, 100).Draw(rt, "factor")) / 10
		if chance(2, "some slow") {
			f.NodeNames = []string{some("slow")}
		}
		sc.Faults = append(sc.Faults, f)
	}
	if bringsNewNodes(sc) && chance(3, "no capacity") {
		f := fault(model.NoCapacity)
		if chance(2, "quota") {
			extra := d(0, 3).Draw(rt, "extra")
			f.Extra = &extra
		}
		if chance(2, "of a pool") {
			f.Pool = rapid.SampledFrom(sc.Cluster.Pools).Draw(rt, "pool without").Name
		}
		sc.Faults = append(sc.Faults, f)
	}
}

func drainsOf(sc *model.Scenario) []*model.Drain {
	drains := []*model.Drain{&sc.Upgrade.Nodes.Drain}
	for i := range sc.Upgrade.Nodes.Stages {
		drains = append(drains, &sc.Upgrade.Nodes.Stages[i].Drain)
	}
	return drains
}

func zonesOf(sc *model.Scenario) (zones []string) {
	for i := range sc.Cluster.Pools {
		zones = append(zones, sc.Cluster.Pools[i].Zones[:min(len(sc.Cluster.Pools[i].Zones), sc.Cluster.Pools[i].Count)]...)
	}
	return zones
}

// randomControlPlane sometimes has a control plane of ours go a minor up before the nodes, which may be far behind.
func randomControlPlane(rt *rapid.T, sc *model.Scenario) {
	d := rapid.IntRange
	if d(1, 2).Draw(rt, "control plane") == 1 {
		return
	}
	to := sc.Upgrade.To
	sc.Cluster.Version = model.Version{Major: 1, Minor: to.Minor - 1, Patch: 1}
	sc.Cluster.ControlPlane = model.ControlPlane{Replicas: d(1, 3).Draw(rt, "instances"), Etcd: model.EtcdStacked}
	sc.Upgrade.ControlPlane = model.ControlPlaneUpgrade{Backup: true}
	randomProcedure(rt, sc)
	for i := range sc.Cluster.Pools {
		v := model.Version{Major: 1, Minor: to.Minor - d(1, 4).Draw(rt, "behind"), Patch: 4}
		sc.Cluster.Pools[i].Kubelet, sc.Cluster.Pools[i].KubeProxy = v, v
	}
	if d(1, 2).Draw(rt, "each") == 1 {
		sc.Upgrade.Nodes.Hops = model.HopsEach
	}
}

// randomProcedure sometimes takes several instances at once, emulates, or replaces the machines.
func randomProcedure(rt *rapid.T, sc *model.Scenario) {
	d := rapid.IntRange
	c, u := &sc.Cluster.ControlPlane, &sc.Upgrade.ControlPlane
	if d(1, 4).Draw(rt, "external") == 4 {
		c.Etcd = model.EtcdExternal
	}
	sc.Assumptions.EtcdCatchUp = model.Const(time.Duration(rapid.SampledFrom([]int{0, 1, 30, 400}).Draw(rt, "catch up")) * time.Second)
	if d(1, 3).Draw(rt, "unsupported") == 3 {
		sc.Assumptions.UnsupportedKubelet = model.KubeletReportOnly
	}
	u.KubeletEndpoint = rapid.SampledFrom([]model.KubeletEndpoint{"", model.KubeletLocal, model.KubeletLoadBalancer}).Draw(rt, "endpoint")
	switch d(1, 4).Draw(rt, "procedure") {
	case 1:
		u.Workers = rapid.SampledFrom([]model.WorkersFollow{model.WorkersAfter, model.WorkersBeside}).Draw(rt, "workers")
		u.AtOnce = d(1, c.Replicas).Draw(rt, "instances at once")
	case 2:
		u.Kubelets = rapid.SampledFrom([]model.KubeletsFollow{model.KubeletsAfter, model.KubeletsWith}).Draw(rt, "kubelets")
		u.AtOnce = d(1, c.Replicas).Draw(rt, "instances at once")
	case 3:
		u.Emulation = &model.Emulation{Soak: time.Duration(d(0, 600).Draw(rt, "emulation")) * time.Second}
		if rapid.Bool().Draw(rt, "emulation's gate") {
			u.Emulation.Gate = &model.EmulationGate{Timeout: time.Duration(d(0, 600).Draw(rt, "emulation's gate timeout")) * time.Second}
		}
		u.AtOnce = d(1, c.Replicas).Draw(rt, "instances at once")
		u.Workers = rapid.SampledFrom([]model.WorkersFollow{model.WorkersAfter, model.WorkersBeside}).Draw(rt, "workers")
	case 4:
		u.Replace, u.MaxSurge, u.WaitForCatchUp = model.ReplaceMachines, 1, rapid.Bool().Draw(rt, "wait for catch-up")
		u.KeepEtcdVolume = c.Etcd == model.EtcdStacked && rapid.Bool().Draw(rt, "keep the volume")
		if u.KeepEtcdVolume || c.Replicas >= model.LeastForDeleteFirst && rapid.Bool().Draw(rt, "delete first") {
			u.MaxSurge = 0
			if !u.WaitForCatchUp {
				u.AtOnce = d(1, c.Replicas).Draw(rt, "machines at once")
			}
		}
	}
}

// randomDrain is a drain of one of the systems, or of none.
func randomDrain(rt *rapid.T, o *model.Drain) {
	d := rapid.IntRange
	chance := func(one int, what string) bool { return d(1, one).Draw(rt, what) == one }
	some := func(most int, what string) time.Duration {
		return time.Duration(d(0, most).Draw(rt, what)) * time.Second
	}
	o.Evict = rapid.SampledFrom([]model.EvictOrder{model.EvictParallel, model.EvictSequential, model.EvictGroups, model.EvictVolumesOneByOne}).Draw(rt, "evict")
	if chance(3, "another pause") {
		o.Retry = time.Duration(d(1, 200).Draw(rt, "retry")) * 100 * time.Millisecond
	}
	if chance(3, "backoff") {
		o.RetryMax = o.Retry + some(30, "retry at most")
	}
	if o.Timeout > 0 && chance(3, "exact") {
		o.TimeoutCheck = model.TimeoutExact
	}
	if chance(4, "grace at most") {
		grace := some(40, "grace")
		o.MaxGracePeriod = &grace
	}
	if chance(4, "delay") {
		o.PostDrainDelay = some(90, "after a drain")
	}
	if chance(2, "another reaction") {
		o.OnFailure = rapid.SampledFrom([]model.OnDrainFailure{model.DrainDeleteNode, model.DrainUncordonAndFail, model.DrainFailStage, model.DrainSkip, model.DrainWait}).Draw(rt, "reaction")
	}
	if o.OnFailure == model.DrainSkip && chance(2, "skipped at most") {
		most := intstr.FromInt32(int32(d(0, 3).Draw(rt, "skipped")))
		o.MaxSkipped = &most
	}
	if o.OnFailure == model.DrainWait {
		o.AttemptDelay = some(90, "between passes")
	} else if chance(3, "again") {
		o.Attempts, o.AttemptDelay = d(2, 4).Draw(rt, "attempts"), some(60, "between attempts")
	}
}

func randomStages(rt *rapid.T, sc *model.Scenario) {
	d := rapid.IntRange
	u := &sc.Upgrade.Nodes
	if u.NodeGate != nil {
		u.NodeGate = randomGate(rt, sc, "node gate")
	}
	if d(1, 2).Draw(rt, "canary") == 1 {
		return
	}
	u.Pools = model.PoolsTogether
	if u.Replace != model.ReplaceInPlace {
		u.Strategy = model.StrategyCustom // what differs from stage to stage in the ways of replacing is told in stories
		first, rest := model.Stage{Name: "a", Procedure: u.Procedure}, model.Stage{Name: "rest", Procedure: u.Procedure}
		first.Nodes.Count = d(1, 4).Draw(rt, "count")
		rest.Beside = d(1, 3).Draw(rt, "beside") == 3
		u.Stages = []model.Stage{first, rest}
		for i := range u.Stages {
			randomJudgement(rt, sc, &u.Stages[i])
		}
		return
	}
	u.Strategy = model.StrategyCanary
	for i := range d(1, 2).Draw(rt, "stages") {
		s := model.Stage{Name: string(rune('a' + i)), Procedure: u.Procedure}
		s.Beside = i > 0 && d(1, 3).Draw(rt, "beside") == 3
		s.MaxUnavailable, s.Soak = intstr.FromInt32(1), time.Duration(d(0, 120).Draw(rt, "soak"))*time.Second
		if d(1, 2).Draw(rt, "by count") == 1 {
			s.Nodes.Count = d(1, 3).Draw(rt, "count")
		} else {
			s.Nodes.Percent = d(1, 60).Draw(rt, "percent")
		}
		if d(1, 4).Draw(rt, "surge") == 4 {
			s.Replace, s.MaxSurge, s.MaxUnavailable = model.ReplaceSurge, intstr.FromInt32(1), intstr.FromInt32(0)
		}
		if d(1, 3).Draw(rt, "own drain") == 3 {
			s.Drain = model.DefaultDrain()
			s.Drain.Timeout = time.Duration(d(0, 60).Draw(rt, "own timeout")) * time.Second
			randomDrain(rt, &s.Drain)
		}
		randomJudgement(rt, sc, &s)
		u.Stages = append(u.Stages, s)
	}
}

// randomJudgement is a stage's gate, if it has one, and what follows when that fails.
func randomJudgement(rt *rapid.T, sc *model.Scenario, s *model.Stage) {
	d := rapid.IntRange
	if d(1, 3).Draw(rt, "gate") > 1 {
		s.Gate = randomGate(rt, sc, "gate")
	}
	reactions := []model.OnGateFailure{model.GateAbort, model.GatePause, model.GateRollback, model.GateRollback}
	if cp := &sc.Upgrade.ControlPlane; !cp.Skip && cp.Replace != model.ReplaceMachines {
		reactions = append(reactions, model.GateRestore)
	}
	s.OnFailure = rapid.SampledFrom(reactions).Draw(rt, "on failure")
}

func randomGate(rt *rapid.T, sc *model.Scenario, what string) *model.Gate {
	d := rapid.IntRange
	chance := func(one int, how string) bool { return d(1, one).Draw(rt, what+" "+how) == one }
	g := &model.Gate{NodesReady: true, WorkloadsAvailable: chance(2, "available"), NoRegression: chance(3, "regression"),
		Timeout: time.Duration(d(0, 200).Draw(rt, what+" timeout")) * time.Second}
	if most := int(g.Timeout/time.Second) - 1; most > 0 && chance(3, "holds for long") {
		g.AvailableFor = time.Duration(d(1, most).Draw(rt, what+" available for")) * time.Second
	}
	if chance(3, "budget") {
		budget := time.Duration(d(0, 300).Draw(rt, what+" error budget")) * time.Second
		g.ErrorBudget = &budget
	}
	return g
}
