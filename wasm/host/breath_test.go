package host

import (
	"testing"

	"github.com/bagscope/bagscope/core"
)

// silent is an evaluator that is asked for nothing.
type silent struct{ core.Evaluator }

// calculating brings an arithmetic, and batches.
type calculating struct{ silent }

func (calculating) Arithmetic() core.Arithmetic { return core.PlainArithmetic() }
func (calculating) Batch() int                  { return 7 }

// What an evaluator offers besides evaluating must not be lost on the way to the core.
func TestWitnessPassesOn(t *testing.T) {
	with, without := witness{Evaluator: calculating{}}, witness{Evaluator: silent{}}
	if with.Arithmetic() == nil || without.Arithmetic() != nil {
		t.Errorf("the arithmetic is %v, and %v where there is none", with.Arithmetic(), without.Arithmetic())
	}
	if with.Batch() != 7 || without.Batch() != 0 {
		t.Errorf("a batch is %d, and %d where there is no wish", with.Batch(), without.Batch())
	}
}
