package network

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Kind is one of the paper's four networks. They differ in how instances become a bag.
type Kind string

// The four kinds.
const (
	MINet         Kind = "mi-net"          // pools embeddings, then classifies
	MINetInstance Kind = "mi-net-instance" // classifies instances (mi-Net), then pools
	MIAttn        Kind = "mi-attn"         // weights embeddings by attention
	MIGNN         Kind = "mi-gnn"          // passes messages, then weights by clustering
)

// Kinds returns the kinds in the order of the paper's tables.
func Kinds() []Kind { return []Kind{MINet, MINetInstance, MIAttn, MIGNN} }

// A Pooling combines the rows of all instances to one row.
type Pooling string

// The three poolings.
const (
	Mean Pooling = "mean"
	Max  Pooling = "max"
	Sum  Pooling = "sum"
)

// A Kernel is a convolution by square kernels, followed by the rectifier and pooling by 2.
type Kernel struct{ Maps, Size int }

// An Architecture is the structure of a network. Widths are the numbers of units of fully connected
// layers. A rectifier and dropout follow each.
type Architecture struct {
	Kind    Kind
	Shape   []int // shape of an instance: [features] or [channels height width]
	Classes int
	// Scale is the scale of the outputs, and determines the loss: core.ScaleLogits,
	// core.ScaleSigmoidLogits or core.ScaleRaw.
	Scale        core.Scale
	Convolutions []Kernel // layers before the encoder, each followed by dropout
	Encoder      []int    // widths; the last is that of the embedding
	Attention    int      // hidden width of mi-attn's attention
	Graph        []int    // widths of mi-gnn's layers
	Head         []int    // hidden widths of the classifier
	// Pool applies to mi-net, mi-net-instance and mi-gnn. In mi-gnn, "" weights instances by its
	// clustering.
	Pool Pooling
	// Limit clips the values of a bag to ±Limit; 0 clips nothing.
	Limit   float64
	Dropout float64 // probability, at least 0 and below 1
}

// convolutions returns the shape of each convolution, with the output of one as input of the next.
func (a Architecture) convolutions() []ops.Convolution {
	var out []ops.Convolution
	for i, k := range a.Convolutions {
		c := ops.Convolution{Channels: a.Shape[0], Height: a.Shape[1], Width: a.Shape[2],
			Maps: k.Maps, Kernel: k.Size}
		if i > 0 {
			c = out[i-1].Next(k.Maps, k.Size)
		}
		out = append(out, c)
	}
	return out
}

// values returns the number of values of an instance.
func (a Architecture) values() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Check returns an error for the first setting that is invalid or exceeds the limits of this
// package. A recipe may come from a user's file.
func (a Architecture) Check() error {
	if err := a.checkSizes(); err != nil {
		return err
	}
	if !slices.Contains(Kinds(), a.Kind) {
		return fmt.Errorf("the network %q is unknown; use one of %v", a.Kind, Kinds())
	}
	if len(a.Shape) != 1 && len(a.Shape) != 3 || slices.Min(append([]int{1}, a.Shape...)) < 1 {
		return fmt.Errorf(
			"instances of shape %v are neither features nor pictures of channels, rows and columns",
			a.Shape)
	}
	if len(a.Convolutions) > 0 && len(a.Shape) != 3 {
		return fmt.Errorf("convolutions need pictures, but instances have shape %v", a.Shape)
	}
	for _, c := range a.convolutions() {
		if err := c.Check(); err != nil {
			return err
		}
	}
	switch {
	case a.Classes < 1 || a.Classes < 2 && a.Scale == core.ScaleLogits:
		return fmt.Errorf("a network of scale logits needs at least 2 classes, others 1; got %d",
			a.Classes)
	case a.Scale != core.ScaleLogits && a.Scale != core.ScaleSigmoidLogits &&
		a.Scale != core.ScaleRaw:
		return fmt.Errorf("there is no loss for outputs of scale %q", a.Scale)
	case len(a.Encoder) == 0:
		return fmt.Errorf("the encoder has no layers")
	case slices.Min(slices.Concat(a.Encoder, a.Graph, a.Head, []int{1})) < 1:
		return fmt.Errorf("encoder %v, graph %v or head %v has a layer without units", a.Encoder,
			a.Graph, a.Head)
	case !(a.Dropout >= 0 && a.Dropout < 1):
		return fmt.Errorf("the dropout rate must be at least 0 and below 1, got %v", a.Dropout)
	case !(a.Limit >= 0):
		return fmt.Errorf("the limit must be a number of at least 0, got %v", a.Limit)
	case a.Kind == MIAttn && a.Attention < 1:
		return fmt.Errorf("the width of the attention must be at least 1")
	case a.Kind == MIGNN && len(a.Graph) == 0:
		return fmt.Errorf("mi-gnn needs at least one layer in graph")
	case a.Kind != MIAttn && !(a.Kind == MIGNN && a.Pool == "") && a.Pool != Mean &&
		a.Pool != Max && a.Pool != Sum:
		return fmt.Errorf("the pooling %q is unknown; use mean, max or sum", a.Pool)
	}
	return a.checkParameters()
}
