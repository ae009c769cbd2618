package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// stageWays vary the stages that an upgrade has: how many nodes the last takes at once, and the sizes of those that take a number or a
// share of the nodes. A smaller stage exposes less to what goes wrong, a larger one sees more, so that neither is the more careful.
func stageWays(sc *Scenario, sizes []string) (ways []Change) {
	all := sc.Upgrade.Nodes.Expand(&sc.Cluster)
	for _, n := range sizes {
		for _, last := range atOnce(all[len(all)-1].Replace, n) {
			for _, times := range []float64{1, 0.5, 2, 4} {
				way, ok := stageWay(sc, all, times, last)
				if ok && !slices.ContainsFunc(ways, func(c Change) bool { return c.Name == way.Name }) {
					ways = append(ways, way)
				}
			}
		}
	}
	return ways
}

// stageWay has the stages so many times as large, and keys for the last; ok is false where none of the nodes would be left for that.
func stageWay(sc *Scenario, all []Stage, times float64, last []KeyValue) (way Change, ok bool) {
	list := writtenStages(sc, all)
	workers, left := sc.Cluster.workerCount(), sc.Cluster.workerCount()
	var names []string
	for i, s := range all {
		switch {
		case s.Nodes.Count > 0:
			count := max(1, int(times*float64(s.Nodes.Count)))
			left -= count
			list[i]["nodes"] = json.RawMessage(fmt.Sprintf(`{"count":%d}`, count))
			names = append(names, fmt.Sprintf("%s.count=%d", s.Name, count))
		case s.Nodes.Percent > 0 && !s.Nodes.All():
			percent := min(100, max(1, int(times*float64(s.Nodes.Percent))))
			left -= (workers*percent + 99) / 100
			list[i]["nodes"] = json.RawMessage(fmt.Sprintf(`{"percent":%d}`, percent))
			names = append(names, fmt.Sprintf("%s.percent=%d", s.Name, percent))
		}
	}
	for _, k := range last {
		list[len(list)-1][k.Key] = json.RawMessage(k.Value)
		names = append(names, fmt.Sprintf("%s.%s=%s", all[len(all)-1].Name, k.Key, k.Value))
	}
	text, err := json.Marshal(list)
	if err != nil { // it was read from JSON
		panic(err)
	}
	return Change{Name: strings.Join(names, ","), Keys: []KeyValue{{"stages", string(text)}}}, times == 1 || left > 0
}

// writtenStages are the keys of the stages that the file has, or of those that a canary has where it says nothing, with the one for the
// nodes that no other takes.
func writtenStages(sc *Scenario, all []Stage) (list []map[string]json.RawMessage) {
	var written struct {
		Upgrade struct {
			Nodes struct{ Stages []map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(sc.Written, &written); err != nil { // the decoder wrote it
		panic(err)
	}
	list = written.Upgrade.Nodes.Stages
	if list == nil {
		for _, s := range sc.Upgrade.Nodes.Stages {
			list = append(list, map[string]json.RawMessage{"name": json.RawMessage(strconv.Quote(s.Name))})
			if s.Soak > 0 {
				list[len(list)-1]["soak"] = json.RawMessage(strconv.Quote(s.Soak.String()))
			}
		}
	}
	if len(all) > len(list) {
		list = append(list, map[string]json.RawMessage{"name": json.RawMessage(strconv.Quote(all[len(all)-1].Name))})
	}
	return list
}
