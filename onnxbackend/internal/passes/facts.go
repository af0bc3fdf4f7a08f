package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// unknown is a side that may differ from bag to bag.
const unknown = -1

// A fact is what holds of a value in every run that succeeds, whatever the bag. The zero value knows nothing.
type fact struct {
	typ    tensor.Type // in memory; Undefined when it is not known
	ranked bool        // the number of dimensions is known
	shape  []int       // when ranked; unknown sides are unknown
}

// facts follows types and sizes from the graph's inputs and constants through its nodes.
type facts struct {
	g  *graph.Graph
	of []fact // (value)
}

func newFacts(g *graph.Graph) *facts {
	f := &facts{g, make([]fact, len(g.Values))}
	for id, v := range g.Values {
		if v.Const != nil {
			f.of[id] = fact{v.Const.Type, true, v.Const.Shape}
		}
	}
	for _, p := range g.Inputs {
		x := fact{typ: p.Type.Runtime()}
		if p.Shape != nil {
			x.ranked = true
			for _, d := range p.Shape {
				x.shape = append(x.shape, max(d, unknown))
			}
		}
		f.of[p.ID] = x
	}
	return f
}

// at returns the fact of the i-th of some values.
func (f *facts) at(ids []int, i int) fact {
	if i < len(ids) && ids[i] >= 0 {
		return f.of[ids[i]]
	}
	return fact{}
}

// maxRank bounds the dimensions that are followed.
const maxRank = 8

// node learns the first output of a node from its inputs.
func (f *facts) node(n *graph.Node) {
	if n.Out[0] < 0 || f.g.Values[n.Out[0]].Const != nil {
		return
	}
	rule := rules[n.Op]
	if rule == nil {
		return
	}
	out := rule(f, n)
	if len(out.shape) > maxRank {
		out.ranked, out.shape = false, nil
	}
	f.of[n.Out[0]] = out
}

// rules are the operators through which facts are followed.
var rules = func() map[string]func(*facts, *graph.Node) fact {
	m := map[string]func(*facts, *graph.Node) fact{
		"MatMul": matMulFact, "Gemm": gemmFact, "Conv": channelsFact, "Transpose": transposeFact, "Concat": concatFact,
		"Gather": gatherFact, "Unsqueeze": unsqueezeFact, "Slice": sliceFact, "Shape": shapeFact, "Cast": castFact, "Reshape": reshapeFact, "Flatten": flattenFact,
		"MaxPool": channelsFact, "AveragePool": channelsFact, "GlobalAveragePool": channelsFact, "GlobalMaxPool": channelsFact,
	}
	for _, op := range []string{"Relu", "LeakyRelu", "Elu", "Celu", "Selu", "Gelu", "Sigmoid", "HardSigmoid", "HardSwish", "Swish", "Mish", "Tanh",
		"Erf", "Exp", "Log", "Sqrt", "Reciprocal", "Softplus", "Softsign", "Abs", "Neg", "Clip", "Softmax", "LogSoftmax", "Identity", "Dropout",
		"BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization", "RMSNormalization"} {
		m[op] = sameFact
	}
	for _, op := range []string{"Add", "Sub", "Mul", "Div", "Pow"} {
		m[op] = broadcastFact
	}
	for _, op := range []string{"ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum", "ReduceL2"} {
		m[op] = reduceFact
	}
	return m
}()

func sameFact(f *facts, n *graph.Node) fact { return f.at(n.In, 0) }

// broadcastFact knows a side when one operand has more than one place there: the other has as many, or one.
func broadcastFact(f *facts, n *graph.Node) fact {
	a, b := f.at(n.In, 0), f.at(n.In, 1)
	out := fact{typ: a.typ, ranked: a.ranked && b.ranked}
	if !out.ranked {
		return out
	}
	out.shape = make([]int, max(len(a.shape), len(b.shape)))
	for i := range out.shape {
		x, y := fromEnd(a.shape, len(out.shape)-i), fromEnd(b.shape, len(out.shape)-i)
		switch {
		case x == 1:
			out.shape[i] = y
		case y == 1 || x != unknown:
			out.shape[i] = x
		case y > 1:
			out.shape[i] = y
		default:
			out.shape[i] = unknown
		}
	}
	return out
}

// fromEnd returns a side counted from the end, 1 where there is none.
func fromEnd(shape []int, i int) int {
	if i > len(shape) {
		return 1
	}
	return shape[len(shape)-i]
}

// matMulFact follows products by a matrix; those of batches on both sides have the batch of a broadcast.
func matMulFact(f *facts, n *graph.Node) fact {
	a, b := f.at(n.In, 0), f.at(n.In, 1)
	if !a.ranked || !b.ranked || len(a.shape) < 2 || len(b.shape) != 2 {
		return fact{typ: a.typ}
	}
	out := slices.Clone(a.shape)
	out[len(out)-1] = b.shape[1]
	return fact{a.typ, true, out}
}

func gemmFact(f *facts, n *graph.Node) fact {
	a, b := f.at(n.In, 0), f.at(n.In, 1)
	out := fact{a.typ, true, []int{unknown, unknown}}
	if i := n.Int("transA", 0); len(a.shape) == 2 && (i == 0 || i == 1) {
		out.shape[0] = a.shape[i]
	}
	if i := 1 - n.Int("transB", 0); len(b.shape) == 2 && (i == 0 || i == 1) {
		out.shape[1] = b.shape[i]
	}
	return out
}

// channelsFact keeps the rank and the first side; the second is the weights', or the same in pools.
func channelsFact(f *facts, n *graph.Node) fact {
	x, w := f.at(n.In, 0), f.at(n.In, 1)
	if len(x.shape) < 3 {
		return fact{typ: x.typ}
	}
	out := fact{x.typ, true, slices.Repeat([]int{unknown}, len(x.shape))}
	out.shape[0] = x.shape[0]
	if n.Op != "Conv" {
		out.shape[1] = x.shape[1]
	} else if w.ranked && len(w.shape) > 0 {
		out.shape[1] = w.shape[0]
	}
	return out
}

func castFact(f *facts, n *graph.Node) fact {
	x := f.at(n.In, 0)
	x.typ = tensor.Type(n.Int("to", 0)).Runtime()
	return x
}

func shapeFact(f *facts, n *graph.Node) fact {
	return fact{tensor.Int64, true, []int{unknown}}
}
