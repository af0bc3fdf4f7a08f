package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// An einsumProduct is an Einsum of two operands that is one product of matrices for each place of
// the labels that both operands and the result have (batch). Rows are labels of the first operand
// and the result, columns those of the second operand and the result. Labels of both operands alone
// are summed over (depth).
type einsumProduct struct {
	s                        einsumWalk
	batch, rows, cols, depth []int // labels
}

// product returns the sum as a matrix product, or nil.
func (s einsumWalk) product() *einsumProduct {
	if len(s.has) != 2 {
		return nil
	}
	p := &einsumProduct{s: s}
	// Each label belongs to one of four groups; any other label rules a product out.
	for l := range s.dims {
		a, b, inResult := s.has[0][l], s.has[1][l], l < s.resultLabels
		switch {
		case s.dims[l] != 1 && (a && s.strides[0][l] == 0 || b && s.strides[1][l] == 0):
			return nil // one place is repeated
		case a && b && inResult:
			p.batch = append(p.batch, l)
		case a && b:
			p.depth = append(p.depth, l)
		case a && inResult:
			p.rows = append(p.rows, l)
		case b && inResult:
			p.cols = append(p.cols, l)
		default:
			return nil // a label of one operand alone is summed over
		}
	}
	if len(p.depth) == 0 {
		return nil
	}
	return p
}

// size returns the number of places of some labels.
func (p *einsumProduct) size(labels []int) int {
	n := 1
	for _, l := range labels {
		n *= p.s.dims[l]
	}
	return n
}

// operand returns an operand with its labels in an order, as (batch, rows, columns).
func (p *einsumProduct) operand(
	m *machine.Machine, x *tensor.Tensor, operand int, groups ...[]int,
) (*tensor.Tensor, error) {
	var shape, dims, strides []int
	for _, g := range groups {
		shape = append(shape, p.size(g))
		for _, l := range g {
			dims, strides = append(dims, p.s.dims[l]), append(strides, p.s.strides[operand][l])
		}
	}
	return rearranged(m, x, shape, dims, strides)
}

// run computes the product by MatMul and lays it out as the equation's result. MatMul promotes
// integers.
func (p *einsumProduct) run(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor) error {
	a, err := p.operand(m, in[0], 0, p.batch, p.rows, p.depth)
	if err != nil {
		return err
	}
	b, err := p.operand(m, in[1], 1, p.batch, p.depth, p.cols)
	if err != nil {
		return err
	}
	var y tensor.Tensor
	if err := matMul(m, &y, a, b); err != nil {
		return err
	}
	m.AtEnd(&y)
	strides, n := make([]int, p.s.resultLabels), 1
	// The product is dense in the order batch, rows, columns; strides lead there from the labels.
	for _, g := range [][]int{p.cols, p.rows, p.batch} {
		for i := len(g) - 1; i >= 0; i-- {
			strides[g[i]] = n
			n *= p.s.dims[g[i]]
		}
	}
	return stridedCopy(m, out, &y, p.s.dims[:p.s.resultLabels], 0, p.s.dims[:p.s.resultLabels],
		strides)
}
