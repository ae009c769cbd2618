package calibrate

import (
	"regexp"
	"slices"

	"upsim/model"
)

// cronJob is the kind of all runs of a CronJob, which a scenario does not have: there each run is a Job.
const cronJob model.Kind = "CronJob"

// run is the name of a CronJob's Job: the CronJob's, and the minutes since 1970 for which it was planned, here of 2019 to 2046:
// https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/cronjob/utils.go
// Controllers of others' write the seconds.
var run = regexp.MustCompile(`^(.+)-(?:(?:2[6-9]|3\d)\d{6}|(?:1[5-9]|2[0-3])\d{8})$`)

// workloadOf names a pod's workload. The pods of a Deployment are its
// ReplicaSet's, and a recording may name either; the runs of a CronJob are one workload.
func workloadOf(namespace, name string, kind model.Kind) Subject {
	switch kind {
	case model.ReplicaSet:
		kind = model.Deployment
	case model.Job, model.Custom:
		if of := run.FindStringSubmatch(name); of != nil {
			name, kind = of[1], cronJob
		}
	}
	return Subject{Namespace: namespace, Name: name, Kind: kind}
}

// kindless is the subject without its kind, under which all of its name are found.
func (s Subject) kindless() Subject {
	s.Kind = ""
	return s
}

// meet keeps that there is a workload of the subject's name and kind.
func (s *samples) meet(of Subject) {
	if of.Name == "" || of.Kind == "" {
		return
	}
	if s.kinds[of.kindless()] == nil {
		s.kinds[of.kindless()] = map[model.Kind]bool{}
	}
	s.kinds[of.kindless()][of.Kind] = true
}

// shared tells that a namespace has workloads of several kinds under the subject's name.
func (s *samples) shared(of Subject) bool { return len(s.kinds[of.kindless()]) > 1 }

// settleKinds takes the kind off where it says nothing. Times whose kind is
// not told are the only workload's of that name, and nobody's where there are several.
func (s *samples) settleKinds() {
	for _, q := range quantities {
		all := s.series[q.Quantity]
		if all == nil {
			continue
		}
		for _, of := range all.subjects() {
			times := all.of[of]
			only := of
			switch {
			case of.Name == "":
				continue
			case !s.shared(of):
				only.Kind = ""
				if s.kinds[of.kindless()][cronJob] {
					only.Kind = cronJob
				}
			case of.Kind == "":
				s.leaveMany(q.Quantity, "does not tell the kind of its workload, and there are several of that name", len(times), of.String())
				only = Subject{}
			}
			if only == of {
				continue
			}
			delete(all.of, of)
			if only != (Subject{}) {
				all.of[only] = slices.Concat(all.of[only], times)
			}
		}
		if len(all.of) == 0 {
			delete(s.series, q.Quantity)
		}
	}
}
