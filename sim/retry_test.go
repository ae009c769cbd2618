package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"upsim/model"
)

// scenarioOf reads a scenario that is written in a test, with the round assumptions of the stories.
func scenarioOf(t testing.TB, text string) *model.Scenario {
	t.Helper()
	return storyScenario(t, "test", text)
}

func runOf(t testing.TB, text string, o Options) *Result {
	t.Helper()
	sc := scenarioOf(t, text)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	return w.Run(o)
}

// TestUnparkCountsTries parks one claim and takes it out again at its k-th try:
// between the refusal, which is counted at once, and that try lie k-1 refusals.
func TestUnparkCountsTries(t *testing.T) {
	sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2}]
  workloads:
  - {name: web, placement: [n1], podDisruptionBudget: {minAvailable: 1}}
upgrade: {to: v1.34.2, controlPlane: skip}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	const retry = 5_004_000 // kubectl's 5 s and half of the request's 8 ms
	for _, c := range []struct {
		after int64 // microseconds since the refusal was answered
		try   int64 // the number of the first try after that
	}{
		{0, 1}, {1, 1}, {retry - 1, 1}, {retry, 2}, {retry + 1, 2}, {2*retry - 1, 2}, {2 * retry, 3}, {1000*retry + 7, 1001},
	} {
		r := w.newRun(Options{})
		r.begin()
		r.loop()
		if len(r.budgets[0].parked) != 1 || r.refused != 1 {
			t.Fatalf("%d claims are parked and %d refused, want one", len(r.budgets[0].parked), r.refused)
		}
		id := r.budgets[0].parked[0].claim
		cl := &r.claims[id]
		cl.parked = 212_000 // the loop's end has counted what it had to; begin anew
		cl.counted = 0
		if r.budgets[0].period != retry {
			t.Fatalf("the period is %d", r.budgets[0].period)
		}
		at := r.tryAfter(cl, cl.parked+c.after)
		if want := 212_000 + c.try*retry; at != want {
			t.Errorf("%d us after the refusal the next try is at %d, want %d", c.after, at, want)
		}
		r.unparkClaim(id, at)
		if got := r.refused - 1; got != c.try-1 || r.workloads[0].refused != c.try || r.budgets[0].refused != c.try {
			t.Errorf("%d us after the refusal: %d refusals lie between, %d and %d in all; want %d and %d", c.after, got, r.workloads[0].refused, r.budgets[0].refused, c.try-1, c.try)
		}
		if len(r.budgets[0].parked) != 0 {
			t.Error("the claim is still parked")
		}
	}
}

// pollingRun is the reference for parked retries: every refused claim is woken for its very next try, as kubectl does it.
func pollingRun(t testing.TB, sc *model.Scenario, o Options) *Result {
	t.Helper()
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.newRun(o)
	started := false
	watchQueue(r, func() {
		if !started {
			return
		}
		for i := range r.claims {
			if r.claims[i].state == claimParked {
				cl := &r.claims[i]
				at := r.tryAfter(cl, r.now)
				if at < r.drains[cl.drain].deadline {
					r.wakeClaim(int32(i), at)
				}
			}
		}
	})
	r.opts.MaxEvents = 200_000
	r.begin()
	started = true
	r.loop()
	return r.result()
}

// TestParkedRetriesAreThoseOfPolling holds the arithmetic of parked claims
// against tries that are really made. Requests take no time here, so that both
// keep the same phase, and a write conflict costs one millisecond.
func TestParkedRetriesAreThoseOfPolling(t *testing.T) {
	for _, c := range []struct {
		pods, allowed, atOnce    int
		startup, timeout, more   string
		leastRefused, leastEvict int64 // so that the case tests something
	}{
		{2, 1, 1, "3s", "0s", ", onFailure: skip", 1, 2}, {2, 1, 1, "13s", "0s", ", onFailure: skip", 3, 2}, {5, 1, 1, "13s", "0s", ", onFailure: skip", 20, 5}, {6, 2, 1, "8s", "0s", ", onFailure: skip", 4, 6},
		{9, 3, 1, "17s", "0s", ", onFailure: skip", 12, 9}, {6, 1, 2, "7s", "0s", ", onFailure: skip", 20, 6}, {8, 2, 3, "21s", "0s", ", onFailure: skip", 12, 8}, {6, 1, 2, "7s", "22s", ", onFailure: skip", 12, 3},
		{5, 1, 1, "13s", "0s", ", onFailure: skip, retry: 100ms, retryMax: 10s", 20, 5}, {6, 1, 2, "7s", "0s", ", onFailure: skip, retry: 300ms, retryMax: 4s", 20, 6}, {6, 1, 2, "7s", "22s", ", onFailure: skip, retry: 1s, retryMax: 3s", 12, 3},
		{5, 1, 1, "13s", "17s", ", onFailure: wait, attemptDelay: 20s", 20, 5}, {4, 1, 1, "7s", "6s", ", onFailure: wait, attemptDelay: 3s", 4, 4},
		{6, 2, 1, "31s", "12s", ", onFailure: wait, attemptDelay: 7s, retry: 1s, retryMax: 3s", 40, 6}, {5, 1, 1, "23s", "9s", ", onFailure: wait, attemptDelay: 5s, timeoutCheck: exact", 10, 5},
	} {
		t.Run(fmt.Sprintf("%d pods, %d at once, %d nodes, startup %s, timeout %s%s", c.pods, c.allowed, c.atOnce, c.startup, c.timeout, c.more), func(t *testing.T) {
			placement := strings.TrimSuffix(strings.Repeat("n1, n1, n2, ", 3), ", ")
			if c.atOnce == 1 {
				placement = strings.TrimSuffix(strings.Repeat("n1, ", c.pods), ", ")
			} else {
				placement = strings.Join(strings.Split(placement, ", ")[:c.pods], ", ")
			}
			sc := scenarioOf(t, fmt.Sprintf(`
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2, kubelet: v1.33.4}, {name: n3, kubelet: v1.33.4}, {name: n4}]
  workloads:
  - {name: web, replicas: %d, placement: [%s], startup: %s, podDisruptionBudget: {maxUnavailable: %d}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: %d, drain: {timeout: %s%s}}}
assumptions:
  apiLatency: 0s
  conflictRetry: 1ms
`, c.pods, placement, c.startup, c.allowed, c.atOnce, c.timeout, c.more))
			sc.Assumptions.KubectlQPS = 0
			w, err := Compile(sc, sc.Upgrades()[0])
			if err != nil {
				t.Fatal(err)
			}
			parked, polled := w.Run(Options{Audit: true}), pollingRun(t, sc, Options{Audit: true})
			if parked.Verdict != polled.Verdict || parked.EvictionsRefused != polled.EvictionsRefused || parked.Evictions != polled.Evictions {
				t.Errorf("parked: %s, refused %d, evictions %d; polled: %s, refused %d, evictions %d", parked.Verdict, parked.EvictionsRefused, parked.Evictions,
					polled.Verdict, polled.EvictionsRefused, polled.Evictions)
			}
			if d := time.Duration(float64(parked.MakespanSeconds-polled.MakespanSeconds) * 1e9).Abs(); d > 100*time.Millisecond {
				t.Errorf("parked: %.3f s, polled: %.3f s", float64(parked.MakespanSeconds), float64(polled.MakespanSeconds))
			}
			if polled.EvictionsRefused < c.leastRefused || polled.Evictions < c.leastEvict {
				t.Errorf("only %d refused and %d evicted", polled.EvictionsRefused, polled.Evictions)
			}
			t.Logf("refused %d/%d evictions %d/%d events %d/%d makespan %.3f/%.3f", parked.EvictionsRefused, polled.EvictionsRefused, parked.Evictions, polled.Evictions, parked.Engine.Events, polled.Engine.Events, float64(parked.MakespanSeconds), float64(polled.MakespanSeconds))
		})
	}
}
