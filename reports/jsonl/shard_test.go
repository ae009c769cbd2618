package jsonl

import (
	"fmt"
	"strings"
	"testing"
)

func TestShardFromEnv(t *testing.T) {
	for _, tc := range []struct {
		env, want, err string
	}{
		{"", "", ""},
		{"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1", "2/4", ""},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1", "0/4", ""},
		{"SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2", "2/3", ""},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1", "", "no plain range"},
		{"SLURM_ARRAY_TASK_ID=13 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2", "", "no plain range"},
		{"SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=3", "0/3", ""},
		{"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=3", "2/3", ""},
		{"SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=2", "2/3", ""},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=3", "", "no task 3 of a job array of 3 that counts from 0, and SLURM_ARRAY_TASK_MIN does not say"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=one", "", `SLURM_ARRAY_TASK_MIN is "one"`},
		{"SLURM_ARRAY_TASK_ID=1", "", `SLURM_ARRAY_TASK_COUNT is ""`},
		{"JOB_COMPLETION_INDEX=3 UPSIM_SHARDS=16", "3/16", ""},
		{"JOB_COMPLETION_INDEX=16 UPSIM_SHARDS=16", "", "there is no shard 16 of 16"},
		{"JOB_COMPLETION_INDEX=3", "", "nothing says how many shards"},
		{"JOB_COMPLETION_INDEX=a UPSIM_SHARDS=16", "", `JOB_COMPLETION_INDEX is "a"`},
		{"UPSIM_SHARDS=16", "", ""},
	} {
		env := map[string]string{}
		for _, word := range strings.Fields(tc.env) {
			k, v, _ := strings.Cut(word, "=")
			env[k] = v
		}
		s, from, err := ShardFromEnv(func(k string) string { return env[k] })
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v", tc.env, err)
			}
		case err != nil:
			t.Errorf("%s: %v", tc.env, err)
		case tc.want == "" && from != "", tc.want != "" && (s.String() != tc.want || env[from] == ""):
			t.Errorf("%s: shard %s, from %q", tc.env, s, from)
		}
	}
}

func TestParseShard(t *testing.T) {
	for _, s := range []string{"", "1", "4/4", "-1/4", "0/0", "1/2/3", "a/b", "0/100001", "1 /2"} {
		if got, err := ParseShard(s); err == nil {
			t.Errorf("%q is taken for %s", s, got)
		}
	}
	if got, err := ParseShard("3/4"); err != nil || got != (Shard{3, 4}) {
		t.Errorf("%v: %v", got, err)
	}
}

// Each unit belongs to one shard, whatever other files there are, and the shards are about equal.
func TestOwns(t *testing.T) {
	const files, seeds = 500, 4
	for _, of := range []int{1, 2, 3, 7} {
		counts := make([]int, of)
		for f := range files {
			for k := range seeds {
				owners := 0
				for i := range of {
					if (Shard{i, of}).Owns(fmt.Sprintf("fleet/%d.yaml", f), k+1) {
						owners++
						counts[i]++
					}
				}
				if owners != 1 {
					t.Fatalf("file %d with seed %d is in %d of %d shards", f, k, owners, of)
				}
			}
		}
		for i, n := range counts {
			if mean := files * seeds / of; n < mean*8/10 || n > mean*12/10 {
				t.Errorf("shard %d/%d has %d units, the mean is %d", i, of, n, mean)
			}
		}
	}
	// Fixed for ever: parts of one batch may be made by different builds of a version.
	if got := []bool{Shard{0, 3}.Owns("a.yaml", 1), Shard{1, 3}.Owns("a.yaml", 1), Shard{2, 3}.Owns("a.yaml", 1)}; fmt.Sprint(got) != ownersOfA {
		t.Errorf("a.yaml belongs to %v of three shards, not %s", got, ownersOfA)
	}
}

// sha256("a.yaml\x001") begins with the word whose remainder by 3 this is.
const ownersOfA = "[false true false]"
