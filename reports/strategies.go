package reports

import (
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
	"upsim/sim"
)

// strategyRow is a strategy of the published JSON form.
type strategyRow struct {
	Name    string        `json:"name"`
	About   string        `json:"about"`
	System  bool          `json:"system"`
	Replace model.Replace `json:"replace"`
	AtOnce  string        `json:"atOnce"`
	// DrainLimitSeconds is null where a drain may take for ever.
	DrainLimitSeconds *float64             `json:"drainLimitSeconds"`
	OnFailure         model.OnDrainFailure `json:"onFailure"`
}

// Strategies writes the list of strategies: how each gets nodes to the new version, how many at once, and what it does when a drain is stuck.
func Strategies(w io.Writer, list []*model.Preset, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		rows := make([]strategyRow, 0, len(list))
		for _, s := range list {
			u := s.Nodes()
			row := strategyRow{s.Name, s.About, s.System, u.Replace, atOnce(&u), nil, u.Drain.OnFailure}
			if limit := drainLimit(&u.Drain).Seconds(); limit > 0 {
				row.DrainLimitSeconds = &limit
			}
			rows = append(rows, row)
		}
		return writeJSON(w, struct {
			envelope
			Strategies []strategyRow `json:"strategies"`
		}{envelopeOf("StrategyList"), rows})
	case FormatTable:
		p := newPage(opts)
		if len(list) == 0 {
			p.text(0, "There are no strategies.")
			return p.writeTo(w)
		}
		g := grid{columns: []column{
			{"NAME", false, false}, {"NODES", false, false}, {"AT-ONCE", false, true}, {"DRAIN-LIMIT", false, false}, {"WHEN-STUCK", false, true},
		}}
		for _, s := range list {
			u := s.Nodes()
			limit := "none"
			if d := drainLimit(&u.Drain); d > 0 {
				limit = span(d)
			}
			g.add(s.Name, string(u.Replace), atOnce(&u), limit, whenStuck(&u.Drain))
		}
		p.grid(&g, 0)
		return p.writeTo(w)
	}
	return unknownFormat(format)
}

// drainLimit is how long a node is drained at most, pauses between attempts included; 0 means for ever.
func drainLimit(d *model.Drain) time.Duration {
	if d.Timeout == 0 || d.OnFailure == model.DrainWait {
		return 0
	}
	return time.Duration(d.Attempts)*d.Timeout + time.Duration(d.Attempts-1)*d.AttemptDelay
}

func span(d time.Duration) string { return human(sim.Seconds(d.Seconds())) }

// atOnce says how many nodes are worked on at once.
func atOnce(u *model.NodeUpgrade) string {
	unavailable, surge := number(u.MaxUnavailable), number(u.MaxSurge)
	text := ""
	switch u.Replace {
	case model.ReplaceBlueGreen:
		text = "batches of " + number(u.Batch)
	case model.ReplaceSurge, model.ReplaceDetachSurge:
		if text = surge; unavailable != "0" {
			text = surge + " new, " + unavailable + " without"
		}
	case model.ReplaceTerminateFirst, model.ReplaceReimage:
		if text = unavailable; unavailable == "0" {
			text = surge
		}
		if surge != "0" {
			text += ", " + surge + " beside"
			if u.SurgePerZone {
				text += " in each zone"
			}
		}
	default:
		text = unavailable
	}
	if u.AtMost > 0 {
		text += fmt.Sprintf(", at most %d", u.AtMost)
	}
	switch u.Pools {
	case model.PoolsParallel:
		text += "; all pools"
	case model.PoolsSequential:
		text += "; pool by pool"
	}
	return text
}

func number(v intstr.IntOrString) string { return v.String() }

// whenStuck says what follows a drain that does not end.
func whenStuck(d *model.Drain) string {
	if drainLimit(d) == 0 {
		return "it waits for ever"
	}
	switch d.OnFailure {
	case model.DrainForceDelete:
		return "what is left is deleted"
	case model.DrainDeleteNode:
		return "the node is deleted"
	case model.DrainSkip:
		return "the node stays cordoned, the next goes"
	case model.DrainUncordonAndContinue:
		return "the node is uncordoned, the next goes"
	case model.DrainUncordonAndRetry:
		return "the node is uncordoned, and tried again later"
	case model.DrainUncordonAndFail:
		return "the node is uncordoned, the upgrade fails"
	case model.DrainFailStage:
		return "the pool fails, the next ones go"
	}
	return "the upgrade fails"
}
