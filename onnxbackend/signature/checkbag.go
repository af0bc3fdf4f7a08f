package signature

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// Check returns a *core.BagError for a bag with numbers that the model cannot compute with: NaN and
// infinities that it does not test for, numbers that the input's integer type does not hold, and
// raw pixels of other channels than the card preprocesses.
func (f Fitted) Check() error {
	if err := f.s.checkFinite(f.Bag); err != nil {
		return err
	}
	if err := f.s.checkWhole(f.Bag); err != nil {
		return err
	}
	return f.checkPixels()
}

// checkPixels refuses raw pixels of other channels than the card preprocesses.
func (f Fitted) checkPixels() error {
	p, bag := f.s.card.Preprocess, f.Bag
	if !bag.Raw || p == nil {
		return nil
	}
	channels := 1
	if len(bag.Shape) == 3 {
		channels = bag.Shape[0]
	}
	for _, n := range []int{len(p.Mean), len(p.Std)} {
		if n != 1 && n != channels {
			return &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("its raw pixels of shape %v have "+
					"%d channels, and the model card preprocesses %d", bag.Shape, channels, n)}
		}
	}
	return nil
}

// checkWhole refuses numbers that the input's integer type does not hold.
func (s *Signature) checkWhole(bag *core.Bag) error {
	least, largest, ok := s.input.Type.Integer()
	if !ok || bag.Raw && s.card.Preprocess != nil {
		return nil
	}
	for at, v := range bag.Values {
		if x := float64(v); !(x >= least && x <= largest && x == math.Trunc(x)) {
			return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf(
				"%s, and the model's input takes numbers of %v", where(bag, at), s.input.Type)}
		}
	}
	return nil
}

// checkFinite refuses NaN and infinities unless the graph tests for them. Operators such as Max can
// replace a NaN by a number, so that the scores would be finite and wrong.
func (s *Signature) checkFinite(bag *core.Bag) error {
	at := nonFinite(bag.Values)
	if at < 0 || s.tests(math.IsNaN(float64(bag.Values[at]))) {
		return nil
	}
	return &core.BagError{Bag: bag.Name, Reason: where(bag, at) + ", and the model does not look " +
		"for missing or infinite values; leave the instance out or put a number there"}
}

// CheckScores returns a *core.BagError if the bag has NaN or infinities and its scores have too.
func CheckScores(bag *core.Bag, scores []float64) error {
	at := nonFinite(bag.Values)
	if at < 0 {
		return nil
	}
	for class, y := range scores {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("%s, and the model's score of "+
					"class %d is %v for it; leave the instance out or put a number there",
					where(bag, at), class, y)}
		}
	}
	return nil
}

// where names the instance and the feature of place at in a bag's values.
func where(bag *core.Bag, at int) string {
	stride := bag.Stride()
	feature := at % stride
	place := fmt.Sprint(feature)
	if len(bag.Shape) > 1 {
		index := make([]int, len(bag.Shape))
		for d := len(index) - 1; d >= 0; d-- {
			index[d], feature = feature%bag.Shape[d], feature/bag.Shape[d]
		}
		place = fmt.Sprint(index)
	}
	return fmt.Sprintf("its instance %d has %v as feature %s, counted from 0",
		at/stride, bag.Values[at], place)
}

// nonFinite returns the place of the first value that is NaN or infinite, or -1.
func nonFinite(values []float32) int {
	const block = 1024
	for lo := 0; lo < len(values); lo += block {
		part := values[lo:min(lo+block, len(values))]
		var a, b float32 // x - x is 0 if x is finite, and else NaN
		i := 0
		for ; i+1 < len(part); i += 2 {
			a += part[i] - part[i]
			b += part[i+1] - part[i+1]
		}
		for ; i < len(part); i++ {
			a += part[i] - part[i]
		}
		if a+b == 0 {
			continue
		}
		for i, v := range part {
			if v-v != 0 {
				return lo + i
			}
		}
	}
	return -1
}

// tests reports whether a node tests values of the bag for NaN, or else for infinities. Other nodes
// may move the values before. A model without a graph tests for neither, as far as is known.
func (s *Signature) tests(nan bool) bool {
	if s.graph == nil {
		return false
	}
	raw := map[int]bool{s.input.ID: true}
	for i := range s.graph.Run.Nodes {
		n := &s.graph.Run.Nodes[i]
		reads := false
		for _, id := range n.In {
			reads = reads || id >= 0 && raw[id]
		}
		if !reads {
			continue
		}
		switch n.Op {
		case "IsNaN":
			return true
		case "Equal":
			if n.In[0] == n.In[1] {
				return true
			}
		case "IsInf", "Clip", "Min", "Max":
			if !nan {
				return true
			}
		}
		if n.Row.Moves() || n.Row.Kind == ops.Assemble {
			for _, id := range n.Out {
				raw[id] = true
			}
		}
	}
	return false
}
