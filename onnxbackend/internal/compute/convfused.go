package compute

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A Link is one node of a chain of Conv, MaxPool and activations. Each node reads only the result
// of the one before it; passes build the chain.
type Link struct {
	// Name is the node's name in the file, for errors.
	Name string
	Node *Node
	// Func computes the node alone.
	Func Func
	// In holds the inputs. They are constants, except the first one, which is nil here.
	In []*tensor.Tensor
}

// newChain makes the function of a Conv and the nodes fused with it. Pictures are computed side by
// side in SIMD lanes or flat, whichever costs less, and other chains node by node. All give the
// same bits, so the number of pictures does not affect a score.
func newChain(n *Node) (Func, error) {
	links, layers := n.Chain, newLaneLayers(n.Chain, n.Packs)
	grouped := slices.ContainsFunc(layers, func(y *laneLayer) bool { return y.groups > 1 })
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		var f *flatChain
		if kernel.FlatPays(grouped) {
			f = placeFlat(layers, x)
		}
		l := placeLanes(layers, x)
		switch {
		case l != nil && kernel.LanesPay(x.Shape[0], l.places()) && l.beats(f, x.Shape[0]):
			return l.run(m, out[0], x)
		case f != nil:
			return f.run(m, out[0], x)
		}
		return linkByLink(m, links, out[0], in[0])
	}, nil
}

// linkByLink computes the nodes of a chain one after another. It is the reference of the lanes, and
// computes what they decline. Its errors name the node.
func linkByLink(m *machine.Machine, links []Link, out, x *tensor.Tensor) error {
	var between [2]tensor.Tensor // results of the links before the last, in turn
	for i := range links {
		// Two tensors suffice, since a link reads only the result of the one before it.
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

// A laneLayer is a Conv or a MaxPool with the activations after it.
type laneLayer struct {
	window
	// w and bias are the weights of a Conv. Both are nil for a MaxPool.
	w, bias *tensor.Tensor
	// groups is the number of groups of channels of a Conv.
	groups int
	// conv holds the arguments of the kernel that do not depend on sizes.
	conv kernel.ConvRow
	// acts are applied to each row of the result, in order.
	acts []epilogue
}

// newLaneLayers joins each Conv or MaxPool of a chain with the activations that follow it.
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
		n.Fuse(n, &ep)
		last := layers[len(layers)-1]
		last.acts = append(last.acts, ep)
	}
	return layers
}

// convolve makes y the layer of a Conv. Relu is part of the kernel; other activations follow it.
func (y *laneLayer) convolve(l *Link, p *Packs) {
	y.w, y.bias = l.In[1], given(l.In, 2)
	y.groups = l.Node.Int("group", 1)
	y.conv.Weights, y.conv.Maps = p.maps(y.w, y.groups), y.w.Shape[0]
	if y.bias != nil {
		y.conv.Bias = tensor.Of[float32](y.bias)
	}
	ep := l.Node.epilogue()
	if y.conv.Relu = ep.Act == kernel.ActRelu; !y.conv.Relu && l.Node.Activation != nil {
		y.acts = append(y.acts, ep)
	}
}

// padding returns the value of a layer's padding: 0 for a Conv, and for a MaxPool -Inf, the neutral
// element of the maximum.
func (y *laneLayer) padding() float32 {
	if y.w == nil {
		return float32(math.Inf(-1))
	}
	return 0
}

// maps packs the constant weights of a convolution for lanes, once for each tensor and number of
// groups. The layout is that of kernel.PackMaps, group by group.
func (p *Packs) maps(w *tensor.Tensor, groups int) []float32 {
	key := convKey{w, groups}
	if p.convs[key] == nil {
		packed, all := make([]float32, w.Len()), tensor.Of[float32](w)
		maps, k := w.Shape[0]/groups, elements(w.Shape[1:])
		for at := 0; at+maps*k <= len(all) && maps > 0 && k > 0; at += maps * k {
			kernel.PackMaps(packed[at:], all[at:], maps, k)
		}
		p.convs[key] = packed
	}
	return p.convs[key]
}
