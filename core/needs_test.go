package core_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// sized holds a number of bytes, and counts evaluations.
type sized struct {
	*games.Fake
	bytes int64
}

func (s sized) Bytes() int64 { return s.bytes }

// TestMemoryLimit checks that no coalition is evaluated if memory is too small, and that the error
// states what to do.
func TestMemoryLimit(t *testing.T) {
	const k, n = 1000, 500
	var evaluated atomic.Int64
	f := games.Logits(k)
	inner := f.Value
	f.Value = func(members []int) []float64 { evaluated.Add(1); return inner(members) }
	req := core.Request{
		Methods: []core.Method{
			methods.Single{},
			methods.RandomSHAP{Sampling: methods.Sampling{Samples: n}},
		},
	}
	need := req.Needs(f.Shape)
	if low, high := int64(4*n*k/8+3*8*n*n), int64(10_000_000); need < low || need > high {
		t.Errorf("%d coalitions of %d instances need %d bytes, and not between %d and %d", n, k,
			need, low, high)
	}
	for _, c := range []struct {
		held, memory int64
		way          string // "" where it fits
	}{{0, 0, ""}, {1e6, need + 1e6, ""}, {1e6, need + 1e6 - 1, "fewer samples"}, {need, need,
		"a part of the bag"}} {
		req.Memory = c.memory
		evaluated.Store(0)
		_, err := core.Explain(t.Context(), sized{f, c.held}, req)
		var short *quota.MemoryError
		switch {
		case c.way == "":
			must.Do(t, err, c, evaluated.Load())
			must.Equal(t, evaluated.Load() != 0, true, c, evaluated.Load())
		case !errors.As(err, &short) || !strings.Contains(err.Error(), c.way) ||
			evaluated.Load() > 0:
			t.Errorf("%+v: %v after %d evaluations", c, err, evaluated.Load())
		}
	}
	more := core.Request{
		Methods: []core.Method{methods.RandomSHAP{Sampling: methods.Sampling{Samples: 2 * n}}},
	}
	if got := more.Needs(f.Shape); got <= need {
		t.Errorf("twice the coalitions need %d bytes, not more than %d", got, need)
	}
	// MILLI may draw for each class, if no class is the negative one. Consensus of a model without
	// neighbours remembers the coalitions of 13 reference bags of each instance.
	for _, c := range []struct {
		m    core.Method
		n    int64 // coalitions remembered
		task core.Task
	}{{methods.MILLI{Sampling: methods.Sampling{Samples: n}}, n * 3, core.Task{Instances: k,
		Classes: 3, Negative: -1}},
		{methods.MILLI{Sampling: methods.Sampling{Samples: n}}, n, f.Shape}, {methods.Consensus{},
			13 * k, f.Shape},
		{methods.Consensus{}, 13 * k, core.Task{Instances: k, Classes: 500, Negative: 0}}} {
		alone := core.Request{Methods: []core.Method{c.m}}.Needs(c.task)
		none := core.Request{Methods: []core.Method{methods.Single{}}}.Needs(c.task)
		if low := c.n * (k/8 + 8*int64(c.task.Classes)); alone-none < low {
			t.Errorf("%s needs %d bytes more than Single, which is less than its coalitions, %d",
				c.m.Name(), alone-none, low)
		}
	}
}
