package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// Plan writes the rollout of an upgrade: as a table for people, or as the
// object of kind Plan that model.DecodePlan reads.
func Plan(w io.Writer, plan *model.Plan, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		return writeJSON(w, planRows(plan))
	case FormatYAML:
		return writeYAML(w, planRows(plan))
	case FormatTable:
		p := newPage(opts)
		p.plan(plan)
		return p.writeTo(w)
	}
	return fmt.Errorf("unknown format %q; the formats are %s, %s and %s", format, FormatTable, FormatJSON, FormatYAML)
}

// planRow is the published form of a plan.
type planRow struct {
	envelope
	Scenario string     `json:"scenario"`
	Strategy string     `json:"strategy"`
	From     string     `json:"from"`
	To       string     `json:"to"`
	Phases   []phaseRow `json:"phases"`
}

type phaseRow struct {
	Phase  string     `json:"phase"`
	To     string     `json:"to"`
	Stages []stageRow `json:"stages,omitzero"`
}

// stageRow has the keys of a scenario's stage, its numbers worked out, and what the nodes are told.
type stageRow struct {
	Name             string    `json:"name"`
	Pool             string    `json:"pool,omitempty"`
	Nodes            []string  `json:"nodes"`
	Label            string    `json:"label"`
	Commands         []string  `json:"commands"`
	Beside           bool      `json:"beside,omitempty"`
	Replace          string    `json:"replace"`
	MaxUnavailable   *int32    `json:"maxUnavailable,omitempty"`
	MaxSurge         *int32    `json:"maxSurge,omitempty"`
	SurgePerZone     bool      `json:"surgePerZone,omitempty"`
	Batch            *int32    `json:"batch,omitempty"`
	BatchSoak        string    `json:"batchSoak,omitempty"`
	PoolSoak         string    `json:"poolSoak,omitempty"`
	AtMost           int       `json:"atMost,omitempty"`
	Slots            string    `json:"slots"`
	Cordon           string    `json:"cordon"`
	Taint            string    `json:"taint,omitempty"`
	FirstAlone       bool      `json:"firstAlone,omitempty"`
	ProvisionTimeout string    `json:"provisionTimeout,omitempty"`
	Drain            *drainRow `json:"drain"`
	SoakPerNode      string    `json:"soakPerNode,omitempty"`
	NodeGate         *gateRow  `json:"nodeGate,omitempty"`
	Soak             string    `json:"soak"`
	Gate             *gateRow  `json:"gate,omitempty"`
	OnFailure        string    `json:"onFailure"`
}

type drainRow struct {
	IgnoreDaemonSets   bool   `json:"ignoreDaemonSets"`
	DeleteEmptyDirData bool   `json:"deleteEmptyDirData"`
	Force              bool   `json:"force"`
	DisableEviction    bool   `json:"disableEviction"`
	Evict              string `json:"evict"`
	Timeout            string `json:"timeout"`
	TimeoutCheck       string `json:"timeoutCheck,omitempty"`
	Retry              string `json:"retry"`
	RetryMax           string `json:"retryMax,omitempty"`
	GracePeriod        string `json:"gracePeriod,omitempty"`
	MaxGracePeriod     string `json:"maxGracePeriod,omitempty"`
	Attempts           int    `json:"attempts"`
	AttemptDelay       string `json:"attemptDelay,omitempty"`
	PostDrainDelay     string `json:"postDrainDelay,omitempty"`
	OnFailure          string `json:"onFailure"`
	OnAPIOutage        string `json:"onAPIOutage,omitempty"`
	MaxSkipped         *int32 `json:"maxSkipped,omitempty"`
}

type gateRow struct {
	NodesReady         bool   `json:"nodesReady"`
	WorkloadsAvailable bool   `json:"workloadsAvailable"`
	AvailableFor       string `json:"availableFor,omitempty"`
	Timeout            string `json:"timeout"`
	NoRegression       bool   `json:"noRegression,omitempty"`
	ErrorBudget        string `json:"errorBudget,omitempty"`
}

func planRows(plan *model.Plan) planRow {
	out := planRow{envelopeOf(model.KindPlan), plan.Scenario, plan.Strategy, plan.From.String(), plan.To.String(), []phaseRow{}}
	for i, ph := range plan.Phases {
		row := phaseRow{Phase: model.PhaseControlPlane, To: ph.To.String()}
		if !ph.ControlPlane {
			row.Phase, row.Stages = model.PhaseNodes, []stageRow{}
			standIns := plan.StandIns(i)
			for k := range ph.Stages {
				row.Stages = append(row.Stages, stageRowOf(&ph.Stages[k], standIns))
			}
		}
		out.Phases = append(out.Phases, row)
	}
	return out
}

func stageRowOf(s *model.Stage, standIns map[string]bool) stageRow {
	row := stageRow{Name: s.Name, Pool: s.Nodes.Pool, Nodes: s.NodesAt(standIns), Label: model.StageLabel(s.Name), Beside: s.Beside,
		Replace: string(s.Replace), SurgePerZone: s.SurgePerZone, AtMost: s.AtMost,
		Slots: string(s.Slots), Cordon: string(s.Cordon), Taint: string(s.Taint), FirstAlone: s.FirstAlone, ProvisionTimeout: someDuration(s.ProvisionTimeout),
		Drain: drainRowOf(&s.Drain), SoakPerNode: someDuration(s.SoakPerNode), NodeGate: gateRowOf(s.NodeGate),
		Soak: duration(s.Soak), Gate: gateRowOf(s.Gate), OnFailure: string(s.OnFailure)}
	for _, name := range row.Nodes {
		row.Commands = append(row.Commands, model.LabelCommand(name, s.Name))
	}
	number := func(x intstr.IntOrString) *int32 { return &x.IntVal }
	switch s.Replace {
	case model.ReplaceBlueGreen:
		row.Batch, row.BatchSoak, row.PoolSoak = number(s.Batch), duration(s.BatchSoak), duration(s.PoolSoak)
	case model.ReplaceInPlace:
		row.MaxUnavailable = number(s.MaxUnavailable)
	default:
		row.MaxUnavailable, row.MaxSurge = number(s.MaxUnavailable), number(s.MaxSurge)
	}
	return row
}

func drainRowOf(d *model.Drain) *drainRow {
	row := &drainRow{IgnoreDaemonSets: d.IgnoreDaemonSets, DeleteEmptyDirData: d.DeleteEmptyDirData, Force: d.Force, DisableEviction: d.DisableEviction,
		Evict: string(d.Evict), Timeout: duration(d.Timeout), Retry: duration(d.Retry), RetryMax: someDuration(d.RetryMax),
		GracePeriod: ownDuration(d.GracePeriod), MaxGracePeriod: ownDuration(d.MaxGracePeriod), Attempts: d.Attempts,
		AttemptDelay: someDuration(d.AttemptDelay), PostDrainDelay: someDuration(d.PostDrainDelay), OnFailure: string(d.OnFailure)}
	if d.Timeout > 0 {
		row.TimeoutCheck = string(d.TimeoutCheck)
	}
	if d.OnAPIOutage != model.APIOutageFail {
		row.OnAPIOutage = string(d.OnAPIOutage)
	}
	if d.MaxSkipped != nil {
		row.MaxSkipped = &d.MaxSkipped.IntVal
	}
	return row
}

func gateRowOf(g *model.Gate) *gateRow {
	if g == nil {
		return nil
	}
	return &gateRow{g.NodesReady, g.WorkloadsAvailable, someDuration(g.AvailableFor), duration(g.Timeout), g.NoRegression, ownDuration(g.ErrorBudget)}
}

// duration is the time as scenarios have it, without the parts that are zero: 1h30m.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// someDuration is the same, nothing for no time.
func someDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return duration(d)
}

// ownDuration is a time that may not be given, where none means something else than 0s.
func ownDuration(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return duration(*d)
}

// plan writes the phases, then for each node phase its stages and their nodes.
func (p *page) plan(plan *model.Plan) {
	lead := "plan: "
	p.para(lead, cells(lead), fmt.Sprintf("%s, %s, %s -> %s", cmp.Or(plan.Scenario, "unnamed"), cmp.Or(plan.Strategy, "-"), plan.From, plan.To), len(lead))
	p.section("Phases")
	g := grid{columns: []column{{"", true, false}, {"WHAT", false, false}, {"TO", false, false}, {"STAGES", false, true}}}
	for i, ph := range plan.Phases {
		what, names := "control plane", make([]string, 0, len(ph.Stages))
		for k := range ph.Stages {
			names = append(names, ph.Stages[k].Name)
		}
		if !ph.ControlPlane {
			what = "nodes"
		}
		g.add(itoa(i+1), what, ph.To.String(), strings.Join(names, ", "))
	}
	p.grid(&g, tableIndent)
	for i, ph := range plan.Phases {
		if len(ph.Stages) > 0 {
			p.planStages(ph.Stages, fmt.Sprintf("phase %d", i+1), plan.StandIns(i))
		}
	}
	p.buf.WriteByte('\n')
	p.text(0, "Each node's stage goes with it as the label "+model.StageLabelKey+"; the commands that set it are in -o yaml and -o json, which run --plan simulates. Nothing reads it but you and your scripts: kubectl get nodes -l "+model.StageLabelKey+"=STAGE.")
}

func (p *page) planStages(stages []model.Stage, phase string, standIns map[string]bool) {
	p.section("Stages of " + phase)
	g := grid{columns: []column{{"STAGE", false, true}, {"NODES", true, false}, {"REPLACE", false, false}, {"AT-ONCE", false, true}, {"SLOTS", false, false},
		{"DRAIN", false, true}, {"SOAK", true, false}}}
	for i := range stages {
		s := &stages[i]
		name := s.Name
		if s.Beside {
			name += " (beside)"
		}
		g.add(name, itoa(len(s.Nodes.Names)), string(s.Replace), atOnceWords(s), string(s.Slots), drainWords(&s.Drain), someDuration(s.Soak))
	}
	p.grid(&g, tableIndent)
	for i := range stages {
		s := &stages[i]
		if s.NodeGate != nil {
			p.text(tableIndent, fmt.Sprintf("gate after each node of %s: %s, else %s", s.Name, gateWords(s.NodeGate), s.OnFailure))
		}
		if s.Gate != nil {
			p.text(tableIndent, fmt.Sprintf("gate after %s: %s, else %s", s.Name, gateWords(s.Gate), s.OnFailure))
		}
	}
	p.section("Nodes of " + phase + ", in their order")
	n := grid{columns: []column{{"NODE", false, true}, {"STAGE", false, true}, {"LABEL", false, true}}}
	total := 0
	for i := range stages {
		total += len(stages[i].Nodes.Names)
	}
	shown := p.limit(total, mostNodes)
	for i := range stages {
		names := stages[i].NodesAt(standIns)
		for _, name := range names[:min(len(names), max(0, shown-len(n.rows)))] {
			n.add(name, stages[i].Name, model.StageLabel(stages[i].Name))
		}
	}
	p.grid(&n, tableIndent)
	if hidden := total - shown; hidden > 0 {
		p.text(tableIndent, fmt.Sprintf("and %s more (-v shows all)", count(hidden, "node")))
	}
}

// atOnceWords says how many nodes a stage works on at once.
func atOnceWords(s *model.Stage) string {
	if s.Replace == model.ReplaceBlueGreen {
		return s.Batch.String() + " of a second set"
	}
	var parts []string
	if s.MaxUnavailable.IntVal > 0 {
		parts = append(parts, s.MaxUnavailable.String()+" unavailable")
	}
	if s.MaxSurge.IntVal > 0 {
		surge := s.MaxSurge.String() + " surge"
		if s.SurgePerZone {
			surge += " a zone"
		}
		parts = append(parts, surge)
	}
	if s.AtMost > 0 {
		parts = append(parts, fmt.Sprintf("at most %d", s.AtMost))
	}
	return strings.Join(parts, ", ")
}

// drainWords says what a drain does that gets no further.
func drainWords(d *model.Drain) string {
	switch {
	case d.Timeout == 0:
		return "no timeout, " + string(d.OnFailure)
	}
	return duration(d.Timeout) + ", then " + string(d.OnFailure)
}

// gateWords says what a gate asks for.
func gateWords(g *model.Gate) string {
	var parts []string
	if g.NodesReady {
		parts = append(parts, "nodes Ready")
	}
	if g.WorkloadsAvailable {
		parts = append(parts, "workloads available")
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing")
	}
	out := strings.Join(parts, " and ")
	if g.AvailableFor > 0 {
		out += " for " + duration(g.AvailableFor)
	}
	out += " within " + duration(g.Timeout)
	if g.NoRegression {
		out += ", no regression"
	}
	if g.ErrorBudget != nil {
		out += ", an error budget of " + duration(*g.ErrorBudget)
	}
	return out
}
