package jsonl

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several equal shares of the work: number Index, from 0, of Of.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// MostShards bounds how many shares there can be.
const MostShards = 100_000

// NewShard checks the numbers.
func NewShard(index, of int) (Shard, error) {
	switch {
	case of < 1 || of > MostShards:
		return Shard{}, fmt.Errorf("the work can be split into 1 to %d shards, not %d", MostShards, of)
	case index < 0 || index >= of:
		return Shard{}, fmt.Errorf("there is no shard %d of %d: they are counted from 0 to %d", index, of, of-1)
	}
	return Shard{index, of}, nil
}

// ParseShard reads 3/16: the fourth of sixteen.
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, fmt.Errorf("%q is no shard; write INDEX/SHARDS, as 0/4 to 3/4", s)
	}
	return NewShard(index, of)
}

// String is 3/16.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// ShardFromEnv finds what an engine that starts many copies tells each of
// them: a Slurm job array (SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _STEP, of
// which the last two are 0 and 1 where they are not set), or a
// Kubernetes Indexed Job (JOB_COMPLETION_INDEX), which does not say how many
// there are, so that UPSIM_SHARDS must. The variable that gave the number is
// named; it is empty where there is none.
func ShardFromEnv(getenv func(string) string) (s Shard, from string, err error) {
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		from = "SLURM_ARRAY_TASK_ID"
		s, err = slurmShard(getenv)
	case getenv("JOB_COMPLETION_INDEX") != "":
		from = "JOB_COMPLETION_INDEX"
		if getenv("UPSIM_SHARDS") == "" {
			return s, from, fmt.Errorf("JOB_COMPLETION_INDEX is %s, and nothing says how many shards there are", getenv(from))
		}
		var index, of int
		if index, err = number(getenv, from); err == nil {
			of, err = number(getenv, "UPSIM_SHARDS")
		}
		if err == nil {
			s, err = NewShard(index, of)
		}
	}
	return s, from, err
}

// slurmShard counts the tasks of an array from its least number, in its steps.
func slurmShard(getenv func(string) string) (Shard, error) {
	var id, count, least int
	step := 1
	said := getenv("SLURM_ARRAY_TASK_MIN") != ""
	for _, v := range []struct {
		name string
		to   *int
	}{{"SLURM_ARRAY_TASK_ID", &id}, {"SLURM_ARRAY_TASK_COUNT", &count}, {"SLURM_ARRAY_TASK_MIN", &least}, {"SLURM_ARRAY_TASK_STEP", &step}} {
		if v.to != &id && v.to != &count && getenv(v.name) == "" {
			continue
		}
		var err error
		if *v.to, err = number(getenv, v.name); err != nil {
			return Shard{}, err
		}
	}
	if !said && step == 1 && id >= count {
		return Shard{}, fmt.Errorf("there is no task %d of a job array of %d that counts from 0, and SLURM_ARRAY_TASK_MIN does not say that it counts from another number", id, count)
	}
	if step < 1 || (id-least)%step != 0 || id < least || (id-least)/step >= count {
		return Shard{}, fmt.Errorf("the job array is no plain range: task %d of %d tasks from %d in steps of %d", id, count, least, step)
	}
	return NewShard((id-least)/step, count)
}

func number(getenv func(string) string, name string) (int, error) {
	n, err := strconv.Atoi(getenv(name))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q, not a number", name, getenv(name))
	}
	return n, nil
}

// Owns reports whether a scenario file's replication is the shard's to do. It
// depends on nothing but the file's path as it was named, the replication and
// the number of shards, so that a file more moves no other. Replications count
// from 1; 0, where there is but one, is the same.
func (s Shard) Owns(file string, replication int) bool {
	if s.Of <= 1 {
		return true
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", file, max(1, replication)))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.Index)
}
