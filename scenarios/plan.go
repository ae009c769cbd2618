package scenarios

import (
	"io"

	"upsim/model"
)

// PlanFile is the text of a plan.
type PlanFile struct {
	name string
	data []byte
}

// OpenPlan reads the file at the path, "-" for stdin, as a plan.
func OpenPlan(path string, stdin io.Reader) (*PlanFile, error) {
	in, err := Open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.size > MaxFileSize {
		return nil, tooLarge(in.Name)
	}
	data, err := io.ReadAll(io.LimitReader(in.reader, MaxFileSize+1))
	if err != nil {
		return nil, readError(in.Name, err)
	}
	if len(data) > MaxFileSize {
		return nil, tooLarge(in.Name)
	}
	return &PlanFile{in.Name, data}, nil
}

// Strategy is the one that the plan names; nothing where it names none.
func (p *PlanFile) Strategy() string { return model.PlannedStrategy(p.data) }

// Scenario finds the scenario among several that the plan is for, and returns it with the plan as its one upgrade. Faults of the
// file come back as model.Diagnostics, all of them at once.
func (p *PlanFile) Scenario(among []*model.Scenario) (*model.Scenario, error) {
	sc, faults := model.DecodePlan(p.name, p.data, among)
	if len(faults) > 0 {
		return nil, faults
	}
	return sc, nil
}
