//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// kernels has the function that records each device kernel, by the name that rows of the operator
// table give it (ops.Row.Device). A function that leaves a node to the CPU reports false before it
// records anything: then the CPU says what is wrong with shapes that do not fit.
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
		"gather": gather, "expand": expand, "where": where, "clip": clip, "pow": pow,
	}
	for name := range binaries {
		kernels[name] = arithmetic
	}
	for name := range functions {
		kernels[name] = unary
	}
}

// deviceOf returns the name of a node's device kernel, "" if it has none.
func deviceOf(n *ops.Node) string { return ops.Lookup("", n.Op).Device }

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
	n        *ops.Node
	function ops.Func // of the CPU
	in       []*tensor.Tensor
	out      *tensor.Tensor   // the only output, or the one that is being made
	outs     []*tensor.Tensor // all
	made     []*tensor.Tensor // constants that were made of the node's
}

// given returns an input, nil where it is omitted.
func (c *call) given(i int) *tensor.Tensor {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// takes reports whether values can lie on the device, all that are given, and whether the node is
// worth its way there.
func (c *call) takes(work int, values ...*tensor.Tensor) bool {
	worth := work >= c.p.least
	for _, t := range values {
		if t == nil {
			continue
		}
		if !c.lies(t) {
			return false
		}
		worth = worth || c.at[t] != nil
	}
	return worth
}

// make places the result, of a shape.
func (c *call) make(shape ...int) (*buffer, bool, error) {
	n, ok := tensor.Count(shape)
	if !ok || n == 0 || 4*n > c.p.binding {
		return nil, false, nil
	}
	b, err := &buffer{refs: 1}, error(nil)
	if !c.dry {
		if b, err = c.take(4 * n); err != nil {
			return nil, false, err
		}
	}
	c.out.Type, c.out.Block, c.out.Words = tensor.Float32, nil, nil
	c.out.Shape = append(c.out.Shape[:0], shape...)
	c.note(c.out, b, false)
	return b, true, nil
}

// run records a kernel whose inputs are values, nil where one is omitted.
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

// each is run for a kernel with an invocation for each of n elements of the result.
func (c *call) each(name string, with params, n, work int, to *buffer, in ...*tensor.Tensor) error {
	return c.run(name, with, (n+255)/256, work, to, in...)
}

// list returns the whole numbers of an input that the CPU knows, nil where it is omitted.
func (c *call) list(i int) (v []int, ok bool) {
	t := c.given(i)
	if t == nil {
		return nil, true
	}
	if !near(t) || t.Rank() > 1 {
		return nil, false
	}
	v, err := ops.IntsOf(t)
	return v, err == nil
}

// near reports whether the CPU can read a value.
func near(t *tensor.Tensor) bool { return t.Words != nil || t.Len() == 0 }

// flag is 1 for a value that is given.
func flag(t *tensor.Tensor) int {
	if t == nil {
		return 0
	}
	return 1
}

// product1 multiplies sizes.
func product1(v []int) int {
	n := 1
	for _, d := range v {
		n *= d
	}
	return n
}
