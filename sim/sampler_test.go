package sim

import (
	"math"
	"testing"
	"time"

	"upsim/model"
)

// TestTableIsClose holds draws from the table of a time that many pods take against the distribution itself, at every hundredth of a
// quantile of the table and in the tails, where they are the same.
func TestTableIsClose(t *testing.T) {
	for _, d := range []model.Dist{
		{Kind: model.LogNormal, P50: 8 * time.Second, P99: 90 * time.Second},
		{Kind: model.Exponential, Mean: 5 * time.Second},
		{Kind: model.Normal, Mean: 10 * time.Second, StdDev: 2 * time.Second},
	} {
		few, many := newSampler(d), newSampler(d)
		few.tabulate(manyDraws - 1)
		many.tabulate(manyDraws)
		if few.body != nil || many.body == nil {
			t.Fatalf("%s: a table for few draws, or none for many", d.Kind)
		}
		before := int64(-1)
		const step = math.MaxUint64 / (100 * tableSize)
		for k := range uint64(100 * tableSize) {
			h := k*step + step/2
			want, got := few.at(h), many.at(h)
			if tail := h>>54 < tailSize || h>>54 >= tableSize-tailSize; tail && got != want || math.Abs(float64(got-want)) > float64(want)/1000+2 {
				t.Fatalf("%s, draw %#x: %d µs, the distribution gives %d", d.Kind, h, got, want)
			}
			if got < before {
				t.Fatalf("%s, draw %#x: %d µs behind %d", d.Kind, h, got, before)
			}
			before = got
		}
	}
}

// TestNoTableWithoutNeed: what is quick to work out, or has jumps between which nothing lies, is always drawn as it is.
func TestNoTableWithoutNeed(t *testing.T) {
	for _, d := range []model.Dist{
		{Kind: model.Constant, Value: time.Second},
		{Kind: model.Uniform, Max: time.Second},
		{Kind: model.Empirical, Values: []time.Duration{time.Second, time.Minute}},
	} {
		s := newSampler(d)
		if s.tabulate(1 << 20); s.body != nil {
			t.Errorf("%s has a table", d.Kind)
		}
	}
}
