package ops

import (
	"fmt"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
)

// A Mask holds the factors of a dropout. Draw must fill it before each step of training.
type Mask struct {
	values []float32 // 0, or the factor of a value that is not dropped
	rate   float64   // probability of 0
}

// Draw drops each value with the mask's probability, rounded to a multiple of 2^-16. It scales the
// others so that the expectation of sums does not change.
func (m *Mask) Draw(r *rand.Rand) {
	const lanes = 4 // one random number of 64 bits gives four of 16 bits
	threshold := uint64(m.rate*(1<<16) + .5)
	keep := float32(1 / (1 - float64(threshold)/(1<<16)))
	scale := [2]float32{keep, 0}
	var bits uint64
	for i := range m.values {
		if i%lanes == 0 {
			bits = r.Uint64()
		}
		// The difference wraps around, and has its highest bit set, if the draw is below threshold.
		drop := (bits&0xffff - threshold) >> 63
		m.values[i] = scale[drop]
		bits >>= 16
	}
}

// Dropout returns x multiplied by a mask, and the mask, which the caller must draw. The rate must
// be at least 0 and below 1.
func Dropout(a *Arena, x *G.Node, rate float64) (*G.Node, *Mask, error) {
	if !(rate >= 0 && rate < 1) {
		return nil, nil, fmt.Errorf("the dropout rate must be at least 0 and below 1, got %v", rate)
	}
	k, n := rows(x), columns(x)
	m := &Mask{values: a.Floats(k * n), rate: rate}
	product := func(dst []float32, in [][]float32) {
		mask, x := m.values[:len(dst)], in[0][:len(dst)]
		for i := range dst {
			dst[i] = x[i] * mask[i]
		}
	}
	diff := map[int]gradient{0: func(_, grad *G.Node) (*G.Node, error) {
		return apply(a, "dropout's gradient", k, n, []*G.Node{grad}, nil, product)
	}}
	node, err := apply(a, "dropout", k, n, []*G.Node{x}, diff, product)
	return node, m, err
}
