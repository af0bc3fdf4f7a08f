package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A Link is one node of a chain: Conv, MaxPool and activations of which each alone reads what the
// one before it made.
type Link struct {
	Name string
	Node *Node
	Func Func             // of the node alone
	In   []*tensor.Tensor // its inputs: constants, but for the first, which is nil here
}

// newChain makes the function of a Conv and what is chained to it: side by side in lanes where the
// bag has pictures enough, else link by link. Both give the same numbers.
func newChain(n *Node) (Func, error) {
	links, layers := n.Chain, newLaneLayers(n.Chain, n.packs)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if x := in[0]; x.Rank() > 0 && kernel.LanesPay(x.Shape[0]) {
			if l := fitLanes(layers, x); l != nil {
				return l.run(m, out[0], x)
			}
		}
		return linkByLink(m, links, out[0], in[0])
	}, nil
}

// linkByLink computes a chain as if it were none. Its errors name the link.
func linkByLink(m *machine.Machine, links []Link, out, x *tensor.Tensor) error {
	var between [2]tensor.Tensor // what the links before the last make, in turn
	for i := range links {
		l, to := &links[i], &between[i%2]
		if i == len(links)-1 {
			to = out
		}
		in := append([]*tensor.Tensor{x}, l.In[1:]...)
		err := l.Func(m, in, []*tensor.Tensor{to})
		m.EndNode()
		if err != nil {
			return fault.InNode(l.Name, l.Node.Op, err)
		}
		if i > 0 {
			m.Release(x)
		}
		x = to
	}
	return nil
}

// A laneLayer is a Conv or a MaxPool with the activations behind it.
type laneLayer struct {
	window
	w, bias *tensor.Tensor // of a Conv; w is nil for a MaxPool
	conv    kernel.ConvRow // what is known of it before the sizes are
	acts    []epilogue     // applied to rows that are made
}

func newLaneLayers(links []Link, p *Packs) []*laneLayer {
	var layers []*laneLayer
	for i := range links {
		n := links[i].Node
		if n.Op == "Conv" || n.Op == "MaxPool" {
			y := &laneLayer{window: newWindow(n)}
			if n.Op == "Conv" {
				y.convolve(&links[i], p)
			}
			layers = append(layers, y)
			continue
		}
		var ep epilogue
		n.activate(&ep)
		last := layers[len(layers)-1]
		last.acts = append(last.acts, ep)
	}
	return layers
}

// convolve makes a layer that of a Conv.
func (y *laneLayer) convolve(l *Link, p *Packs) {
	y.w, y.bias = l.In[1], given(l.In, 2)
	y.conv.Weights, y.conv.Maps = p.maps(y.w), y.w.Shape[0]
	if y.bias != nil {
		y.conv.Bias = tensor.Of[float32](y.bias)
	}
	ep := l.Node.epilogue()
	if y.conv.Relu = ep.Act == kernel.ActRelu; !y.conv.Relu && l.Node.Activation != nil {
		y.acts = append(y.acts, ep)
	}
}

// padding is what stands in the padding of a layer's input.
func (y *laneLayer) padding() float32 {
	if y.w == nil {
		return float32(math.Inf(-1))
	}
	return 0
}

// maps lays the constant weights of a convolution out for lanes, once, at opening.
func (p *Packs) maps(w *tensor.Tensor) []float32 {
	if p.convs[w] == nil {
		packed := make([]float32, w.Len())
		kernel.PackMaps(packed, tensor.Of[float32](w), w.Shape[0], product1(w.Shape[1:]))
		p.convs[w] = packed
	}
	return p.convs[w]
}
