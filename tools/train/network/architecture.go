package network

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Kind is one of the paper's four ways from instances to a bag.
type Kind string

// The four kinds.
const (
	MINet         Kind = "mi-net"          // pools embeddings, then classifies
	MINetInstance Kind = "mi-net-instance" // classifies instances (mi-Net), then pools
	MIAttn        Kind = "mi-attn"         // weighs embeddings by attention
	// passes messages between instances, weighs by clustering
	MIGNN Kind = "mi-gnn"
)

// Kinds lists them in the order of the paper's tables.
func Kinds() []Kind { return []Kind{MINet, MINetInstance, MIAttn, MIGNN} }

// A Pooling is how one row is made of many.
type Pooling string

// The three poolings.
const (
	Mean Pooling = "mean"
	Max  Pooling = "max"
	Sum  Pooling = "sum"
)

// A Kernel is a convolution by square kernels, followed by the rectifier and pooling by 2.
type Kernel struct{ Maps, Size int }

// An Architecture says what a network is made of. Widths are those of fully connected layers with a
// rectifier and dropout after each.
type Architecture struct {
	Kind    Kind
	Shape   []int // shape of an instance: [features] or [channels height width]
	Classes int
	// of the outputs, which decides on the loss: ScaleLogits, ScaleSigmoidLogits or ScaleRaw
	Scale        core.Scale
	Convolutions []Kernel // before the encoder; dropout after each
	Encoder      []int    // widths; the last is the embedding's
	Attention    int      // hidden width of mi-attn's attention
	Graph        []int    // widths of mi-gnn's layers
	Head         []int    // hidden widths of the classifier
	// of mi-net, mi-net-instance and mi-gnn, where "" weighs instances by its clustering
	Pool Pooling
	// Limit cuts values of a bag off beyond ±Limit; 0 cuts nothing.
	Limit   float64
	Dropout float64 // probability, from 0 up to, not including, 1
}

// convolutions returns the geometry of each convolution.
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

// values is the number of values of an instance.
func (a Architecture) values() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Check reports the first thing that makes an architecture impossible, or larger than the bounds of
// this package.
func (a Architecture) Check() error {
	if err := a.bounded(); err != nil {
		return err
	}
	if !slices.Contains(Kinds(), a.Kind) {
		return fmt.Errorf("there is no network %q; there are %v", a.Kind, Kinds())
	}
	if len(a.Shape) != 1 && len(a.Shape) != 3 || slices.Min(append([]int{1}, a.Shape...)) < 1 {
		return fmt.Errorf(
			"instances of shape %v are neither features nor pictures of channels, rows and columns",
			a.Shape)
	}
	if len(a.Convolutions) > 0 && len(a.Shape) != 3 {
		return fmt.Errorf("convolutions want pictures, and instances have shape %v", a.Shape)
	}
	for _, c := range a.convolutions() {
		if err := c.Check(); err != nil {
			return err
		}
	}
	switch {
	case a.Classes < 1 || a.Classes < 2 && a.Scale == core.ScaleLogits:
		return fmt.Errorf("%d classes leave nothing to decide", a.Classes)
	case a.Scale != core.ScaleLogits && a.Scale != core.ScaleSigmoidLogits &&
		a.Scale != core.ScaleRaw:
		return fmt.Errorf("there is no loss for outputs that are %q", a.Scale)
	case len(a.Encoder) == 0:
		return fmt.Errorf("the encoder has no layers")
	case slices.Min(slices.Concat(a.Encoder, a.Graph, a.Head, []int{1})) < 1:
		return fmt.Errorf("encoder %v, graph %v or head %v has a layer without units", a.Encoder,
			a.Graph, a.Head)
	case !(a.Dropout >= 0 && a.Dropout < 1):
		return fmt.Errorf("a dropout of %v is no probability below 1", a.Dropout)
	case !(a.Limit >= 0):
		return fmt.Errorf("a limit of %v is no number from 0", a.Limit)
	case a.Kind == MIAttn && a.Attention < 1:
		return fmt.Errorf("attention has no units")
	case a.Kind == MIGNN && len(a.Graph) == 0:
		return fmt.Errorf("there are no layers to pass messages")
	case a.Kind != MIAttn && !(a.Kind == MIGNN && a.Pool == "") && a.Pool != Mean &&
		a.Pool != Max && a.Pool != Sum:
		return fmt.Errorf("pooling %q is neither mean, max nor sum", a.Pool)
	}
	return a.small()
}
