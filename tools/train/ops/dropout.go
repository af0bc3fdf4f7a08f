package ops

import (
	"fmt"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
)

// A Mask says which values of a matrix dropout keeps. Draw fills it before each step of training.
type Mask struct {
	values []float32 // 0, or what a kept value is multiplied by
	rate   float64
}

// Draw drops each value with the mask's probability, rounded to a multiple of 2^-16, and scales the
// others up so that sums keep their expectation.
func (m *Mask) Draw(r *rand.Rand) {
	const lanes = 4 // draws of 16 bits out of one of 64
	threshold := uint64(m.rate*(1<<16) + .5)
	keep := float32(1 / (1 - float64(threshold)/(1<<16)))
	scale := [2]float32{keep, 0}
	var bits uint64
	for i := range m.values {
		if i%lanes == 0 {
			bits = r.Uint64()
		}
		drop := (bits&0xffff - threshold) >> 63
		m.values[i] = scale[drop]
		bits >>= 16
	}
}

// Dropout multiplies x by a mask, which it returns undrawn. Rates are from 0 up to, not including,
// 1.
func Dropout(a *Arena, x *G.Node, rate float64) (*G.Node, *Mask, error) {
	if !(rate >= 0 && rate < 1) {
		return nil, nil, fmt.Errorf("a dropout of %v is no probability below 1", rate)
	}
	k, n := rows(x), columns(x)
	m := &Mask{values: a.Take(k * n), rate: rate}
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
