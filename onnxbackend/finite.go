package onnxbackend

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// checkBag refuses a bag that does not fit the model, or has numbers that none can compute with.
func (m *Model) checkBag(bag *core.Bag) error {
	if _, err := m.input.fit(bag); err != nil {
		return err
	}
	if err := m.checkFinite(bag); err != nil {
		return err
	}
	return m.checkWhole(bag)
}

// checkWhole refuses a bag with numbers that the model's input, of an integer type, does not hold.
func (m *Model) checkWhole(bag *core.Bag) error {
	least, largest, ok := m.input.Type.Integer()
	if !ok || bag.Raw && m.card.Preprocess != nil {
		return nil
	}
	for at, v := range bag.Values {
		if x := float64(v); !(x >= least && x <= largest && x == math.Trunc(x)) {
			return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("%s, and the model's input takes numbers of %v", where(bag, at), m.input.Type)}
		}
	}
	return nil
}

// checkFinite refuses a bag with NaN or an infinity in a model that does not ask for such before it
// computes: on their way they may vanish, as in the maximum of NaN and 0, and the scores would look
// like others.
func (m *Model) checkFinite(bag *core.Bag) error {
	at := nonFinite(bag.Values)
	if at < 0 || m.asks(math.IsNaN(float64(bag.Values[at]))) {
		return nil
	}
	return &core.BagError{Bag: bag.Name, Reason: where(bag, at) + ", and the model does not look for missing or infinite values; leave the instance out or put a number there"}
}

// checkScores refuses a bag with NaN or an infinity where the model's scores show it.
func checkScores(bag *core.Bag, scores []float64) error {
	at := nonFinite(bag.Values)
	if at < 0 {
		return nil
	}
	for class, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("%s, and the model's score of class %d is %v for it; leave the instance out or put a number there", where(bag, at), class, s)}
		}
	}
	return nil
}

// where says what stands at a place of a bag's values.
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
	return fmt.Sprintf("its instance %d has %v as feature %s, counted from 0", at/stride, bag.Values[at], place)
}

// nonFinite returns the place of the first value that is NaN or infinite, -1 for none.
func nonFinite(values []float32) int {
	const block = 1024
	for lo := 0; lo < len(values); lo += block {
		part := values[lo:min(lo+block, len(values))]
		var a, b float32 // x - x is 0, or NaN where x is not finite
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

// asks reports whether a node tests values of the bag itself, moved at most, for NaN or infinity.
func (m *Model) asks(nan bool) bool {
	raw := map[int]bool{m.input.ID: true}
	for i := range m.g.Nodes {
		n := &m.g.Nodes[i]
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
