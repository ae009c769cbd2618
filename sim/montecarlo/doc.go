// Package montecarlo runs one upgrade many times: over seeds, with other
// assumptions, and beside other upgrades. It reads no file and prints nothing; its results do not depend on the
// number of workers.
//
//	replicate.go    one upgrade or several with one seed after another, so many or until intervals are narrow
//	run.go          what is kept of one run
//	sample.go       what is kept of all
//	summary.go      percentiles, means and probabilities with their intervals
//	paired.go       the difference of two upgrades that met the same chance
//	bound.go        what a plan cannot be better than, without a run
//	search.go       the best of many plans, by successive halving
//	choice.go       several upgrades: the Pareto front of time, cost and risk, and which to take
//	ordered.go      any jobs at once, their answers in order
//	sensitivity.go  which assumptions move the result
//	varied.go       what is varied for that
package montecarlo
