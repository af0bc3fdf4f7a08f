package ops

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An operator implements G.SDOp. It belongs to one node of one graph, because it holds the memory
// of the node's result and the state that its gradients need.
type operator struct {
	name  string
	id    int // distinguishes operators of one name; Gorgonia merges nodes with equal hashes
	in    []*G.Node
	shape tensor.Shape  // shape of the result; empty for a scalar
	out   *tensor.Dense // memory of the result; nil for a scalar
	run   func(dst []float32, in [][]float32)
	diff  map[int]gradient // gradients by input; an input without one is absent
}

// A gradient returns the node of an input's gradient, from the result's node and its gradient.
type gradient func(out, grad *G.Node) (*G.Node, error)

// apply adds a node of shape (rows, columns) to the graph of its inputs. The function run writes
// all values of dst; in holds the values of the inputs.
func apply(
	a *Arena, name string, rows, columns int, in []*G.Node, diff map[int]gradient,
	run func(dst []float32, in [][]float32),
) (*G.Node, error) {
	op := &operator{name: name, id: a.floats.next, in: in, shape: tensor.Shape{rows, columns},
		run: run, diff: diff}
	op.out = tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(a.Floats(rows*columns)))
	return G.ApplyOp(op, in...)
}

// Arity implements G.Op.
func (op *operator) Arity() int { return len(op.in) }

// Type implements G.Op. The number of dimensions determines a type.
func (op *operator) Type() hm.Type {
	types := make([]hm.Type, 0, len(op.in)+1)
	for _, n := range op.in {
		types = append(types, typeOf(n.Shape()))
	}
	return hm.NewFnType(append(types, typeOf(op.shape))...)
}

// typeOf returns Gorgonia's type of a shape.
func typeOf(shape tensor.Shape) hm.Type {
	if len(shape) == 0 {
		return tensor.Float32
	}
	return G.TensorType{Dims: len(shape), Of: tensor.Float32}
}

// InferShape implements G.Op.
func (op *operator) InferShape(...G.DimSizer) (tensor.Shape, error) { return op.shape.Clone(), nil }

// Do implements G.Op. The next call overwrites the value that it returns.
func (op *operator) Do(values ...G.Value) (G.Value, error) {
	in := make([][]float32, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case *tensor.Dense:
			in[i] = v.Float32s()
		case *G.F32:
			in[i] = []float32{float32(*v)}
		default:
			return nil, fmt.Errorf("input %d of %s is a %T", i, op.name, v)
		}
		if want := op.in[i].Shape().TotalSize(); len(in[i]) != want {
			return nil, fmt.Errorf("input %d of %s has %d values instead of %d", i, op.name,
				len(in[i]), want)
		}
	}
	if len(op.shape) == 0 {
		var dst [1]float32
		op.run(dst[:], in)
		return G.NewF32(dst[0]), nil
	}
	op.run(op.out.Float32s(), in)
	return op.out, nil
}

// ReturnsPtr implements G.Op. The result lies in the operator's own memory.
func (op *operator) ReturnsPtr() bool { return true }

// CallsExtern implements G.Op.
func (op *operator) CallsExtern() bool { return false }

// OverwritesInput implements G.Op.
func (op *operator) OverwritesInput() int { return -1 }

// WriteHash implements G.Op.
func (op *operator) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %d", op.name, op.id) }

// Hashcode implements G.Op.
func (op *operator) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// String returns the name, which Gorgonia shows in errors.
func (op *operator) String() string { return op.name }

// DiffWRT implements G.SDOp.
func (op *operator) DiffWRT(inputs int) []bool {
	out := make([]bool, inputs)
	for i := range op.diff {
		out[i] = true
	}
	return out
}

// SymDiff implements G.SDOp.
func (op *operator) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	out := make(G.Nodes, len(inputs))
	for i := range inputs {
		if d := op.diff[i]; d != nil {
			var err error
			if out[i], err = d(output, grad); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rows and columns return the shape of a node's matrix.
func rows(n *G.Node) int    { return n.Shape()[0] }
func columns(n *G.Node) int { return n.Shape()[1] }
