//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A product is y = act(alpha a·b + beta c) for a batch of matrices. Strides are those of rows, columns and matrices.
type product struct {
	m, n, k, batch                       int
	aRow, aCol, bRow, bCol, aEach, bEach int
	cRow, cCol                           int
	alpha, beta                          float32
}

// record records a product whose result has a shape.
func (c *call) product(p product, shape []int, a, b, bias *tensor.Tensor) (bool, error) {
	act, ok := activationOf(c.n.Activation)
	work := p.batch * p.m * p.n * p.k
	if !ok || p.k == 0 || !c.takes(work, a, b, bias) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	var with params
	with.ints(0, p.m, p.n, p.k, p.batch, p.aRow, p.aCol, p.bRow, p.bCol, p.aEach, p.bEach, p.cRow, p.cCol, flag(bias))
	with.reals(13, p.alpha, p.beta)
	with.ints(15, act.kind)
	with.reals(16, act.a, act.b)
	tiles := p.batch * ((p.m + 63) / 64) * ((p.n + 63) / 64)
	return true, c.run("product", with, tiles, work, y, a, b, bias)
}

// gemm records alpha A·B + beta C.
func gemm(c *call) (bool, error) {
	a, b, bias := c.in[0], c.in[1], c.given(2)
	if a.Rank() != 2 || b.Rank() != 2 {
		return false, nil
	}
	p := product{batch: 1, alpha: c.n.Float("alpha", 1), beta: c.n.Float("beta", 1), m: a.Shape[0], k: a.Shape[1], n: b.Shape[1], aRow: a.Shape[1], aCol: 1, bRow: b.Shape[1], bCol: 1}
	depth := b.Shape[0]
	if c.n.Int("transA", 0) != 0 {
		p.m, p.k, p.aRow, p.aCol = p.k, p.m, 1, a.Shape[1]
	}
	if c.n.Int("transB", 0) != 0 {
		p.n, depth, p.bRow, p.bCol = depth, p.n, 1, b.Shape[1]
	}
	if p.beta == 0 {
		bias = nil
	}
	if bias != nil {
		shape := append([]int{1, 1}, bias.Shape...)
		rows, cols := shape[len(shape)-2], shape[len(shape)-1]
		if bias.Rank() > 2 || rows != 1 && rows != p.m || cols != 1 && cols != p.n {
			return false, nil
		}
		if rows > 1 {
			p.cRow = cols
		}
		if cols > 1 {
			p.cCol = 1
		}
	}
	if depth != p.k {
		return false, nil
	}
	return c.product(p, []int{p.m, p.n}, a, b, bias)
}

// matMul records A·B over a batch, of which one factor may be one matrix for all, with a bias for columns.
func matMul(c *call) (bool, error) {
	a, b, bias := c.in[0], c.in[1], c.given(2)
	ra, rb := a.Rank(), b.Rank()
	if ra < 2 || rb < 2 || a.Shape[ra-1] != b.Shape[rb-2] {
		return false, nil
	}
	p := product{alpha: 1, beta: 1, m: a.Shape[ra-2], k: a.Shape[ra-1], n: b.Shape[rb-1], cCol: 1}
	p.aRow, p.aCol, p.bRow, p.bCol = p.k, 1, p.n, 1
	if bias != nil && (bias.Len() != p.n) {
		return false, nil
	}
	batchA, batchB := a.Shape[:ra-2], b.Shape[:rb-2]
	var shape []int
	switch na, nb := product1(batchA), product1(batchB); {
	case nb == 1 && rb <= ra: // one right factor: the batch is only more rows
		p.batch, p.m, shape = 1, na*p.m, slices.Concat(batchA, []int{p.m, p.n})
	case slices.Equal(batchA, batchB):
		p.batch, p.aEach, p.bEach, shape = na, p.m*p.k, p.k*p.n, slices.Concat(batchA, []int{p.m, p.n})
	case na == 1 && ra <= rb:
		p.batch, p.bEach, shape = nb, p.k*p.n, slices.Concat(batchB, []int{p.m, p.n})
	default:
		return false, nil
	}
	if p.batch == 1 && product1(batchB) == 1 && ra > 2 {
		shape = slices.Concat(batchA, []int{a.Shape[ra-2], p.n})
	}
	return c.product(p, shape, a, b, bias)
}
