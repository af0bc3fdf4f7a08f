package network

import (
	"fmt"
	"slices"
)

// Bounds of an architecture, which may come from a file. The paper's largest network has eight
// layers of at most 512 units, and a million parameters.
const (
	mostLayers     = 64
	mostUnits      = 1 << 16 // of a layer
	mostValues     = 1 << 24 // of an instance
	mostParameters = 1 << 26
	mostActivated  = 1 << 28 // values that the layers make of a bag: 1 GiB
)

// bounded wants every number small enough to be reckoned with: no product of four of them leaves an
// int.
func (a Architecture) bounded() error {
	if n := len(a.Convolutions) + len(a.Encoder) + len(a.Graph) + len(a.Head); n > mostLayers {
		return fmt.Errorf("a network of %d layers is too deep; it may have %d", n, mostLayers)
	}
	values := 1
	for _, d := range a.Shape {
		if d > mostValues/values {
			return fmt.Errorf("instances of shape %v are too large; they may hold %d values",
				a.Shape, mostValues)
		}
		values *= max(d, 1)
	}
	units := slices.Concat(a.Encoder, a.Graph, a.Head, []int{a.Attention, a.Classes})
	for _, k := range a.Convolutions {
		units = append(units, k.Maps, k.Size)
	}
	if n := slices.Max(units); n > mostUnits {
		return fmt.Errorf("a layer of %d units, maps or pixels is too wide; it may have %d", n,
			mostUnits)
	}
	return nil
}

// small wants an architecture that is possible to have no more parameters than memory is spent on.
func (a Architecture) small() error {
	var l lister
	Assemble(a, &l)
	sum := 0.0 // no float64 overflows here, and below the bound each is exact
	for _, p := range l.parameters {
		sum += float64(p.Rows) * float64(p.Columns)
	}
	if sum > mostParameters {
		return fmt.Errorf("a network of %.3g parameters is too large; it may have %d", sum,
			mostParameters)
	}
	return nil
}

// fits wants what the layers make of a bag of k instances to have a place in memory.
func (a Architecture) fits(k int) error {
	each, once := float64(a.values()+a.Attention), 0.0
	for _, n := range slices.Concat(a.Encoder, a.Graph, a.Head) {
		each += float64(n)
	}
	for _, c := range a.convolutions() {
		each += float64(c.Maps) * float64(c.Positions())
		once += float64(c.Taps()) * float64(c.Positions())
	}
	if sum := float64(k)*each + once; sum > mostActivated {
		return fmt.Errorf("the layers make %.3g values of a bag of %d instances, and they may "+
			"make %d; take fewer maps or units, or smaller bags", sum, k, mostActivated)
	}
	return nil
}
