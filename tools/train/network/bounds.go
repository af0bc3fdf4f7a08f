package network

import (
	"fmt"
	"slices"
)

// Limits of an architecture, which may come from a user's file. The paper's largest network has
// eight layers of at most 512 units and a million parameters.
const (
	maxLayers      = 64
	maxUnits       = 1 << 16 // units of a layer
	maxValues      = 1 << 24 // values of an instance
	maxParameters  = 1 << 26
	maxActivations = 1 << 28 // values of all layers for one bag, 1 GiB
)

// checkSizes returns an error for numbers above the limits. Products of four numbers below them do
// not overflow an int, which the other checks rely on.
func (a Architecture) checkSizes() error {
	if n := len(a.Convolutions) + len(a.Encoder) + len(a.Graph) + len(a.Head); n > maxLayers {
		return fmt.Errorf("a network of %d layers is too deep; at most %d are allowed", n,
			maxLayers)
	}
	values := 1
	for _, d := range a.Shape {
		if d > maxValues/values {
			return fmt.Errorf("instances of shape %v are too large; at most %d values are allowed",
				a.Shape, maxValues)
		}
		values *= max(d, 1)
	}
	units := slices.Concat(a.Encoder, a.Graph, a.Head, []int{a.Attention, a.Classes})
	for _, k := range a.Convolutions {
		units = append(units, k.Maps, k.Size)
	}
	if n := slices.Max(units); n > maxUnits {
		return fmt.Errorf("a layer of %d units, maps or pixels is too wide; at most %d are allowed",
			n,
			maxUnits)
	}
	return nil
}

// checkParameters returns an error for too many parameters. Other settings must be valid.
func (a Architecture) checkParameters() error {
	var l lister
	Assemble(a, &l)
	sum := 0.0 // float64 does not overflow here, and is exact below the limit
	for _, p := range l.parameters {
		sum += float64(p.Rows) * float64(p.Columns)
	}
	if sum > maxParameters {
		return fmt.Errorf("a network of %.3g parameters is too large; at most %d are allowed", sum,
			maxParameters)
	}
	return nil
}

// checkBag returns an error if the activations for a bag of k instances exceed maxActivations.
func (a Architecture) checkBag(k int) error {
	// Patches of a convolution exist for one picture at a time.
	each, once := float64(a.values()+a.Attention), 0.0
	for _, n := range slices.Concat(a.Encoder, a.Graph, a.Head) {
		each += float64(n)
	}
	for _, c := range a.convolutions() {
		each += float64(c.Maps) * float64(c.Positions())
		once += float64(c.Taps()) * float64(c.Positions())
	}
	if sum := float64(k)*each + once; sum > maxActivations {
		return fmt.Errorf("the layers compute %.3g values for a bag of %d instances, but at "+
			"most %d are allowed; use fewer maps or units, or smaller bags", sum, k, maxActivations)
	}
	return nil
}
