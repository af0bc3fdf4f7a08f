//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// kernels has the function that records each device kernel, by its name in the operator table
// (ops.Row.Device). A function that leaves a node to the CPU reports false before it records
// anything. This includes invalid shapes, so that the CPU returns the error.
var kernels map[string]func(*call) (bool, error)

func init() {
	kernels = map[string]func(*call) (bool, error){
		"conv": conv, "gemm": gemm, "matmul": matMul, "maxpool": maxPool,
		"averagepool": averagePool,
		"globalpool":  globalPool, "reduce": reduce, "softmax": softmax,
		"batchnorm": batchNormalization, "layernorm": layerNormalization,
		"rmsnorm": layerNormalization, "instancenorm": instanceNormalization,
		"groupnorm": groupNormalization,
		"view":      view, "transpose": transpose, "concat": concat, "slice": slice, "split": split,
		"gather": gather, "expand": expand, "tile": tile, "pad": pad,
		"where": where, "clip": clip, "pow": pow,
	}
	for name := range binaries {
		kernels[name] = arithmetic
	}
	for name := range functions {
		kernels[name] = unary
	}
}

// deviceOf returns the name of a node's device kernel, or "".
func deviceOf(n *compute.Node) string { return ops.Lookup("", n.Op).Device }

// Covered returns the operators that have a kernel, sorted.
func Covered() []string {
	var names []string
	for _, op := range ops.Names() {
		if ops.Lookup("", op).Device != "" {
			names = append(names, op)
		}
	}
	slices.Sort(names)
	return names
}

// A call is one node for a session to record.
type call struct {
	*session
	m        *machine.Machine
	n        *compute.Node
	function compute.Func // computes the node on the CPU
	in       []*tensor.Tensor
	out      *tensor.Tensor   // the output that is being recorded, mostly the only one
	outs     []*tensor.Tensor // all outputs
	made     []*tensor.Tensor // constants computed from the node's constants
}

// given returns an input, or nil if it is omitted.
func (c *call) given(i int) *tensor.Tensor {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// accepts reports whether a node should run on the device: all given values can be there, and one
// is there already or the work is enough to pay for the transfer.
func (c *call) accepts(work int, values ...*tensor.Tensor) bool {
	pays := work >= c.p.least
	for _, t := range values {
		if t == nil {
			continue
		}
		if !c.supports(t) {
			return false
		}
		pays = pays || c.at[t] != nil
	}
	return pays
}

// make allocates the output for a shape. It reports false if the device cannot hold it.
func (c *call) make(shape ...int) (*buffer, bool, error) {
	n, ok := tensor.Count(shape)
	if !ok || n == 0 || 4*n > c.p.binding {
		return nil, false, nil
	}
	b, err := &buffer{refs: 1}, error(nil)
	if !c.dry {
		if b, err = c.alloc(4 * n); err != nil {
			return nil, false, err
		}
	}
	c.out.Type, c.out.Block, c.out.Words = tensor.Float32, nil, nil
	c.out.Shape = append(c.out.Shape[:0], shape...)
	c.note(c.out, b, false)
	return b, true, nil
}

// result records a kernel that computes the whole output. It reports false, before it records
// anything, if the device does not accept the inputs or cannot hold the output.
func (c *call) result(
	name string, with params, workgroups, work int, shape []int, in ...*tensor.Tensor,
) (bool, error) {
	if !c.accepts(work, in...) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	return true, c.run(name, with, workgroups, work, y, in...)
}

// run records a kernel that writes to a buffer and reads values, nil for omitted ones. Tick gets
// the work, so that a cancelled run ends here.
func (c *call) run(
	name string, with params, workgroups, work int, to *buffer, in ...*tensor.Tensor,
) error {
	c.cost.Work += work
	bound := make([]*buffer, len(in))
	for i, t := range in {
		if t == nil {
			continue
		}
		var err error
		if bound[i], err = c.place(t, slices.Contains(c.n.Const, t) ||
			slices.Contains(c.made, t)); err != nil {
			return err
		}
	}
	if c.dry {
		return nil
	}
	if err := c.m.Tick(work); err != nil {
		return err
	}
	return c.p.dispatch(&c.record, name, with, workgroups, work, to, bound...)
}

// groupsOf returns the number of workgroups of a kernel with an invocation for each of n elements.
func groupsOf(n int) int { return (n + 255) / 256 }

// list returns the integers of an input that the CPU can read, or nil if it is omitted.
func (c *call) list(i int) (v []int, ok bool) {
	t := c.given(i)
	if t == nil {
		return nil, true
	}
	if !readable(t) || t.Rank() > 1 {
		return nil, false
	}
	v, err := compute.IntsOf(t)
	return v, err == nil
}

// readable reports whether the CPU can read a value: its elements are in memory, or it has none.
func readable(t *tensor.Tensor) bool { return t.Words != nil || t.Len() == 0 }

// flag returns 1 if a value is given, else 0.
func flag(t *tensor.Tensor) int {
	if t == nil {
		return 0
	}
	return 1
}

// elements returns the number of elements of a shape.
func elements(v []int) int {
	n := 1
	for _, d := range v {
		n *= d
	}
	return n
}
