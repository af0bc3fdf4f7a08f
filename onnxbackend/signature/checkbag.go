package signature

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Check returns a *core.BagError for a bag with numbers that the model cannot compute with: NaN and
// infinities that it does not test for, numbers that the input's integer type does not hold, and
// raw pixels of other channels than the card preprocesses.
func (f Fitted) Check() error {
	return cmp.Or(f.checkFinite(), f.checkWhole(), f.checkPixels())
}

// checkFinite rejects NaN and infinities unless the graph tests for them. Operators such as Max can
// replace a NaN by a number, so that the scores would be finite and wrong.
func (f Fitted) checkFinite() error {
	at := tolerance.NonFinite(f.Bag.Values)
	if at < 0 || f.s.tests(math.IsNaN(float64(f.Bag.Values[at]))) {
		return nil
	}
	return bagError(f.Bag, "%s, and the model does not test for missing or infinite values; leave "+
		"the instance out or put a number there", where(f.Bag, at))
}

// checkWhole rejects numbers that the input's integer type does not hold. Raw pixels that
// the card preprocesses are not checked, because preprocessing changes them.
func (f Fitted) checkWhole() error {
	least, largest, ok := f.s.input.Type.Integer()
	if !ok || f.Bag.Raw && f.s.card.Preprocess != nil {
		return nil
	}
	for at, v := range f.Bag.Values {
		if x := float64(v); !(x >= least && x <= largest && x == math.Trunc(x)) {
			return bagError(f.Bag, "%s, and the model's input takes numbers of %v",
				where(f.Bag, at), f.s.input.Type)
		}
	}
	return nil
}

// checkPixels rejects raw pixels of other channels than the card preprocesses.
func (f Fitted) checkPixels() error {
	p, shape := f.s.card.Preprocess, f.Bag.Shape
	if !f.Bag.Raw || p == nil {
		return nil
	}
	channels := 1
	if len(shape) == 3 { // (channel, row, column)
		channels = shape[0]
	}
	for _, n := range []int{len(p.Mean), len(p.Std)} {
		if n != 1 && n != channels {
			return bagError(f.Bag,
				"its raw pixels of shape %v have %d channels, and the model card "+
					"preprocesses %d", shape, channels, n)
		}
	}
	return nil
}

// CheckScores returns a *core.BagError if the bag has NaN or infinities and its scores have too. A
// model that tests for them may still compute with one that it does not expect.
func CheckScores(bag *core.Bag, scores []float64) error {
	class := tolerance.NonFinite(scores)
	if class < 0 {
		return nil // a large bag is not read again
	}
	at := tolerance.NonFinite(bag.Values)
	if at < 0 {
		return nil
	}
	return bagError(bag,
		"%s, and the model's score of class %d is %v for it; leave the instance out "+
			"or put a number there", where(bag, at), class, scores[class])
}

// bagError returns a *core.BagError with a formatted reason.
func bagError(bag *core.Bag, reason string, args ...any) *core.BagError {
	return &core.BagError{Bag: bag.Name, Reason: msg.Sprintf(reason, args...)}
}

// where names the instance and the feature of place at in a bag's values.
func where(bag *core.Bag, at int) string {
	stride := bag.Stride()
	feature := at % stride
	place := strconv.Itoa(feature)
	if len(bag.Shape) > 1 {
		index := make([]int, len(bag.Shape))
		for d := len(index) - 1; d >= 0; d-- {
			index[d], feature = feature%bag.Shape[d], feature/bag.Shape[d]
		}
		place = msg.Sprintf("%v", index)
	}
	return msg.Sprintf("its instance %d has %v as feature %s, counted from 0",
		at/stride, bag.Values[at], place)
}

// testsInfinities has the operators that treat infinities as ordinary numbers, or test for them.
var testsInfinities = []string{"IsInf", "Clip", "Min", "Max"}

// tests reports whether a node tests values of the bag for NaN, or else for infinities. Nodes that
// only move values may lie between the bag and the test. A model without a graph counts as one that
// tests for neither.
func (s *Signature) tests(nan bool) bool {
	if s.graph == nil {
		return false
	}
	raw := map[int]bool{s.input.ID: true} // IDs of values that hold numbers of the bag unchanged
	for i := range s.graph.Run.Nodes {
		n := &s.graph.Run.Nodes[i]
		if !slices.ContainsFunc(n.In, func(id int) bool { return raw[id] }) {
			continue
		}
		switch {
		case n.Op == "IsNaN", n.Op == "Equal" && n.In[0] == n.In[1]: // only NaN differs from itself
			return true
		case !nan && slices.Contains(testsInfinities, n.Op):
			return true
		}
		if n.Row.Moves() || n.Row.Kind == ops.Assemble {
			for _, id := range n.Out {
				raw[id] = id >= 0 // -1 is an output that no node reads
			}
		}
	}
	return false
}
