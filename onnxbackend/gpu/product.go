//go:build gpu

package gpu

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A product is y = act(alpha a·b + beta c) for a batch of matrices a (m, k) and b (k, n).
type product struct {
	m, n, k, batch int
	// aRow and aCol are the strides of a's rows and columns, aEach that of the matrices of the
	// batch; so are those of b and c. A stride of 0 repeats a row, a column or a matrix.
	aRow, aCol, bRow, bCol, aEach, bEach int
	cRow, cCol                           int
	alpha, beta                          float32
}

// Products are cut into slices along k in two cases. If there are few tiles, slices let more
// workgroups compute. If k is longer than longestSum, slices keep the rounding error small, and the
// loops below 65,535 rounds, after which Mesa's llvmpipe ends them.
const (
	enoughTiles = 64      // tiles that occupy a device
	longestSum  = 1 << 14 // longest k of a slice
	shortestSum = 1 << 10 // shortest k of a slice that is cut for more tiles
)

// sliceLength returns the length of a slice of k, which is k if the product is not cut.
func (p *product) sliceLength() int {
	tiles := p.tiles(64)
	slice := p.k
	if tiles < enoughTiles {
		slice = max(shortestSum, p.k*tiles/enoughTiles)
	}
	if slice = (min(slice, longestSum) + 31) &^ 31; slice > p.k/2 && p.k <= longestSum {
		return p.k
	}
	return slice
}

// tiles returns the number of square tiles of a side, one for each workgroup.
func (p *product) tiles(side int) int {
	return p.batch * ((p.m + side - 1) / side) * ((p.n + side - 1) / side)
}

// side returns the side of the tiles. Those of 128 x 128 elements are faster than those of 64 x 64,
// unless there are too few of them, or they compute over a quarter more elements.
func (p *product) side() int {
	if large := p.tiles(128); large >= enoughTiles && large*16 <= p.tiles(64)*5 {
		return 128
	}
	return 64
}

// kernel returns the kernel of a product, and its number of workgroups for a slice of k.
func (p *product) kernel() (name string, workgroups int) {
	name = "product"
	if p.vectors() {
		name = "vectors"
	}
	side := p.side()
	return name + strconv.Itoa(side), p.tiles(side)
}

// vectors reports whether vectors.wgsl can read both factors.
func (p *product) vectors() bool {
	return p.k%4 == 0 && aligned(p.m, p.aRow, p.aCol, p.aEach) &&
		aligned(p.n, p.bCol, p.bRow, p.bEach)
}

// aligned reports whether an operand's lines or depth can be read by fours: one of them is
// contiguous, and all other offsets are multiples of four.
func aligned(lines, line, depth, each int) bool {
	return each%4 == 0 && (depth == 1 && line%4 == 0 ||
		line == 1 && lines%4 == 0 && depth > 1 && depth%4 == 0)
}

// product records a product; shape is that of the result. bias may be nil.
func (c *call) product(p product, shape []int, a, b, bias *tensor.Tensor) (bool, error) {
	act, ok := activationOf(c.n.Activation)
	work := p.batch * p.m * p.n * p.k
	if !ok || p.k == 0 || !c.accepts(work, a, b, bias) {
		return false, nil
	}
	slice := p.sliceLength()
	slices := (p.k + slice - 1) / slice
	if slices > 1 {
		return c.inSlices(p, slice, slices, shape, a, b, bias)
	}
	with := p.params(act, bias)
	with.ints(18, slice, 1)
	name, workgroups := p.kernel()
	return c.result(name, with, workgroups, work, shape, a, b, bias)
}

// inSlices records the products of slices of k, and a second kernel that adds them and applies bias
// and activation.
func (c *call) inSlices(
	p product, slice, slices int, shape []int, a, b, bias *tensor.Tensor,
) (bool, error) {
	act, _ := activationOf(c.n.Activation)
	n := p.batch * p.m * p.n
	part := *c
	part.out = &tensor.Tensor{}
	sums, ok, err := part.make(slices, n)
	if !ok {
		return false, err
	}
	defer c.drop(part.out)
	with := p.params(function{}, nil)
	with.ints(18, slice, slices)
	name, workgroups := p.kernel()
	if err := c.run(name, with, workgroups*slices, n*p.k, sums, a, b); err != nil {
		return false, err
	}
	with = params{}
	with.ints(0, n, slices, p.m, p.n, flag(bias))
	with.reals(5, p.beta)
	with.ints(6, p.cRow, p.cCol, act.kind)
	with.reals(9, act.a, act.b)
	return c.result("join", with, groupsOf(n), n*slices, shape, part.out, bias)
}

// params returns the parameters of product.wgsl but the last two, the slices.
func (p *product) params(act function, bias *tensor.Tensor) (with params) {
	with.ints(0, p.m, p.n, p.k, p.batch, p.aRow, p.aCol, p.bRow, p.bCol, p.aEach, p.bEach, p.cRow,
		p.cCol, flag(bias))
	with.reals(13, p.alpha, p.beta)
	with.ints(15, act.kind)
	with.reals(16, act.a, act.b)
	return with
}

// gemm records alpha A·B + beta C. Transposed factors are read with exchanged strides.
func gemm(c *call) (bool, error) {
	a, b, bias := c.in[0], c.in[1], c.given(2)
	if a.Rank() != 2 || b.Rank() != 2 {
		return false, nil
	}
	p := product{batch: 1, alpha: c.n.Float("alpha", 1), beta: c.n.Float("beta", 1), m: a.Shape[0],
		k: a.Shape[1], n: b.Shape[1], aRow: a.Shape[1], aCol: 1, bRow: b.Shape[1], bCol: 1}
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

// matMul records A·B over a batch, with a bias for columns if a pass has merged one. One factor may
// be a single matrix for the whole batch; the CPU computes other broadcasts. A vector is a matrix
// of one line; the result does not have this dimension.
func matMul(c *call) (bool, error) {
	a, b, bias := c.in[0], c.in[1], c.given(2)
	left, right := a.Shape, b.Shape
	if len(left) == 1 {
		left = []int{1, left[0]}
	}
	if len(right) == 1 {
		right = []int{right[0], 1}
	}
	ra, rb := len(left), len(right)
	if ra < 2 || rb < 2 || left[ra-1] != right[rb-2] {
		return false, nil
	}
	p := product{alpha: 1, beta: 1, m: left[ra-2], k: left[ra-1], n: right[rb-1], cCol: 1}
	p.aRow, p.aCol, p.bRow, p.bCol = p.k, 1, p.n, 1
	if bias != nil && (bias.Len() != p.n) {
		return false, nil
	}
	batchA, batchB := left[:ra-2], right[:rb-2]
	var shape []int
	switch na, nb := elements(batchA), elements(batchB); {
	case nb == 1 && rb <= ra: // one right factor: the rows of the batch are rows of one product
		p.batch, p.m, shape = 1, na*p.m, slices.Clone(batchA)
	case slices.Equal(batchA, batchB):
		p.batch, p.aEach, p.bEach, shape = na, p.m*p.k, p.k*p.n, slices.Clone(batchA)
	case na == 1 && ra <= rb:
		p.batch, p.bEach, shape = nb, p.k*p.n, slices.Clone(batchB)
	default:
		return false, nil
	}
	if a.Rank() > 1 {
		shape = append(shape, left[ra-2])
	}
	if b.Rank() > 1 {
		shape = append(shape, p.n)
	}
	if elements(batchA) == elements(batchB) {
		for _, try := range []func(product, []int) (bool, error){c.attend, c.postpone} {
			if done, err := try(p, shape); done || err != nil {
				return done, err
			}
		}
	}
	return c.product(p, shape, a, b, bias)
}
