package main

import "strings"

// didYouMean is the hint at the known names that an unknown one begins, else at the one that is at most two letters away
// from it, or a third of its length, rounded up; otherwise where none is near.
func didYouMean(name string, known []string, otherwise string) string {
	const most, fewest = 4, 2 // names to offer; letters of a beginning
	letters := len(strings.TrimLeft(name, "-"))
	var begun []string
	best, least := "", min(max(2, (letters+2)/3)+1, letters) // never so far that no letter is the same
	for _, k := range known {
		if letters >= fewest && strings.HasPrefix(k, name) {
			begun = append(begun, k)
		}
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	switch {
	case 0 < len(begun) && len(begun) <= most:
		return "did you mean " + strings.Join(begun, " or ") + "?"
	case best != "":
		return "did you mean " + best + "?"
	}
	return otherwise
}

// distance is the number of letters to insert, delete or replace to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
