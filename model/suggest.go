package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// didYouMean is `; did you mean "…"?` with the known word nearest to the one
// written, or with those that it begins, or "" where none is near. Of a word that cannot be used yet it says so.
func didYouMean(word string, known []string, notYet ...string) string {
	near := nearest(word, known)
	switch {
	case near == "":
		return begunBy(word, known)
	case slices.Contains(notYet, near):
		return fmt.Sprintf("; %q is not supported yet", near)
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// begunBy is didYouMean for the beginning of some known words, unless it is too short to say which or begins too many.
func begunBy(word string, known []string) string {
	const most, fewest = 4, 2
	if len(word) < fewest {
		return ""
	}
	var words []string
	for _, k := range known {
		if len(k) > len(word) && strings.HasPrefix(k, word) {
			words = append(words, strconv.Quote(k))
		}
	}
	if len(words) == 0 || len(words) > most {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(words, " or "))
}

// anotherWord gives the key for a word that people know from elsewhere.
var anotherWord = map[string]string{
	"resources":              "requests",
	"resources.requests":     "requests",
	"cpu":                    "requests",
	"memory":                 "requests",
	"pdb":                    "podDisruptionBudget",
	"pdbs":                   "podDisruptionBudgets",
	"budget":                 "podDisruptionBudget",
	"budgets":                "podDisruptionBudgets",
	"gracePeriod":            "terminationGracePeriodSeconds",
	"terminationGracePeriod": "terminationGracePeriodSeconds",
	"antiAffinity":           "podAntiAffinity",
	"topologySpread":         "topologySpreadConstraints",
	"spread":                 "topologySpreadConstraints",
	"labelSelector":          "selector",
	"nodeGroups":             "nodePools",
	"deployments":            "workloads",
	"apps":                   "workloads",
	"pods":                   "workloads",
	"version":                "to",
	"target":                 "to",
	"parallel":               "maxUnavailable",
	"concurrency":            "maxUnavailable",
	"batchSize":              "batch",
	"deleteLocalData":        "deleteEmptyDirData",
	"delete-emptydir-data":   "deleteEmptyDirData",
	"ignore-daemonsets":      "ignoreDaemonSets",
	"disable-eviction":       "disableEviction",
	"size":                   "count",
	"nodeCount":              "count",
}

// nearest is the known word with the least edit distance to the one written, at
// most a third of its length; the first one of equals.
func nearest(word string, known []string) string {
	const longest = 100
	if len(word) > longest {
		return ""
	}
	best, found := max(1, len(word)/3)+1, ""
	for _, k := range known {
		if len(k) > longest || k == word {
			continue
		}
		if strings.EqualFold(k, word) {
			return k
		}
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < best {
			best, found = d, k
		}
	}
	return found
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
