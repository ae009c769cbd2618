package scenarios

import (
	"io"

	"upsim/model"
)

// Plan reads the input as a plan for one of the scenarios, and returns that
// scenario with the plan as its one upgrade. Faults of the file come back as
// model.Diagnostics, all of them at once.
func (in *Input) Plan(among []*model.Scenario) (*model.Scenario, error) {
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
	sc, faults := model.DecodePlan(in.Name, data, among)
	if len(faults) > 0 {
		return nil, faults
	}
	return sc, nil
}
