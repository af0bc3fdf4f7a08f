package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewGemm makes Gemm: alpha A·B + beta C. Attributes transpose A and B; C is broadcast to the
// product. Constant B is packed once, at opening.
func NewGemm(n *Node) (Func, error) {
	alpha, beta := n.Float("alpha", 1), n.Float("beta", 1)
	transA, transB := n.Int("transA", 0) != 0, n.Int("transB", 0) != 0
	weights, activation := packRight(n, transB), n.epilogue()
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, b, o := in[0], in[1], out[0]
		if err := sameType(a, b); err != nil {
			return err
		}
		// ONNX Runtime accepts a vector as a matrix of one row. Exporters write one if a Squeeze
		// dropped an axis too many.
		if a.Rank() == 1 && !transA {
			// A view of one row; the caller's tensor stays a vector.
			row := *a
			row.Shape = []int{1, a.Shape[0]}
			a = &row
		}
		if a.Rank() != 2 || b.Rank() != 2 {
			return msg.Errorf("shapes %v and %v are not matrices", in[0].Shape, b.Shape)
		}
		rows, k := sizesOfMatrix(a.Shape, transA)
		kb, cols := sizesOfMatrix(b.Shape, transB)
		if k != kb {
			return msg.Errorf("shapes %v and %v cannot be multiplied (transA %v, transB %v)",
				a.Shape, b.Shape, transA, transB)
		}
		if err := m.Alloc(o, a.Type, rows, cols); err != nil {
			return err
		}
		c := given(in, 2)
		// With beta 0, C is ignored, even if it contains NaN.
		if beta == 0 {
			c = nil
		}
		switch a.Type {
		case tensor.Float32:
			// The kernel adds a row to each block of the product, which saves a pass over the
			// result.
			if alpha == 1 && (c == nil || beta == 1 && isRow(c, cols)) {
				ep := activation
				if c != nil {
					ep.Bias = tensor.Of[float32](c)
				}
				return gemm32(m, o, a, b, rows, cols, k, transA, transB, weights, ep)
			}
			if err := gemm32(m, o, a, b, rows, cols, k, transA, transB, weights,
				epilogue{}); err != nil {
				return err
			}
			// Other scales need passes of their own, in the order of the specification.
			if err := finishGemm[float32](m, o, c, alpha, beta); err != nil {
				return err
			}
			return activation.whole(m, o)
		case tensor.Float64:
			if err := gemm64(m, o, a, b, rows, cols, k, transA, transB); err != nil {
				return err
			}
			return finishGemm[float64](m, o, c, float64(alpha), float64(beta))
		}
		return typeError(a.Type)
	}, nil
}

// isRow reports whether c is one number for each column.
func isRow(c *tensor.Tensor, cols int) bool {
	return c.Type == tensor.Float32 && c.Len() == cols &&
		(c.Rank() == 1 || c.Rank() == 2 && c.Shape[0] == 1)
}

// sizesOfMatrix returns the sizes of a matrix, or of its transpose.
func sizesOfMatrix(shape []int, trans bool) (rows, cols int) {
	if trans {
		return shape[1], shape[0]
	}
	return shape[0], shape[1]
}

// transposed returns the (cols, rows) transpose of x in scratch memory.
func transposed[T tensor.Number](m *machine.Machine, x []T, rows, cols int) ([]T, error) {
	t, err := machine.Scratch[T](m, len(x))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for j, v := range x[i*cols : (i+1)*cols] {
			t[j*rows+i] = v
		}
	}
	return t, m.Tick(len(x))
}

// gemm32 computes the product of a Gemm in float32. Only A is transposed in memory, since packing
// the right factor reads either order.
func gemm32(
	m *machine.Machine, o, a, b *tensor.Tensor, rows, cols, k int, transA, transB bool,
	weights *right, ep epilogue,
) error {
	x, y, dst := tensor.Of[float32](a), tensor.Of[float32](b), tensor.Of[float32](o)
	if len(dst) == 0 {
		return nil
	}
	if transA {
		var err error
		if x, err = transposed(m, x, k, rows); err != nil {
			return err
		}
	}
	if weights != nil {
		return multiply(m, dst, x, rows, weights, ep)
	}
	return product(m, dst, x, y, rows, cols, k, transB, ep)
}

// gemm64 computes the product of a Gemm in float64.
func gemm64(
	m *machine.Machine, o, a, b *tensor.Tensor, rows, cols, k int, transA, transB bool,
) error {
	x := tensor.Of[float64](a)
	if transA {
		var err error
		if x, err = transposed(m, x, k, rows); err != nil {
			return err
		}
	}
	return productOf(m, tensor.Of[float64](o), x, tensor.Of[float64](b), rows, cols, k, transB)
}

// finishGemm scales the product by alpha and adds beta times the third operand, which may be nil, a
// scalar, a row, a column or a matrix.
func finishGemm[T float32 | float64](m *machine.Machine, o, c *tensor.Tensor, alpha, beta T) error {
	dst := tensor.Of[T](o)
	if err := m.Tick(len(dst)); err != nil {
		return err
	}
	if alpha != 1 {
		for i := range dst {
			dst[i] *= alpha
		}
	}
	if c == nil {
		return nil
	}
	// The sum has the type and the shape of the product.
	if c.Type != o.Type {
		return mixedError(o.Type, c.Type)
	}
	var space [8]int
	shape, err := broadcastShape(space[:0], o.Shape, c.Shape)
	if err != nil || len(shape) != 2 || shape[0] != o.Shape[0] || shape[1] != o.Shape[1] {
		return msg.Errorf("the added matrix of shape %v does not match the product of shape %v",
			c.Shape, o.Shape)
	}
	src := tensor.Of[T](c)
	var st [2]int // strides of c in rows and columns of the product
	if r := c.Rank(); r > 0 && c.Shape[r-1] != 1 {
		st[1] = 1
	}
	if c.Rank() == 2 && c.Shape[0] != 1 {
		st[0] = c.Shape[1]
	}
	cols := o.Shape[1]
	for i := range o.Shape[0] {
		row := dst[i*cols : (i+1)*cols]
		if st[1] == 0 {
			v := beta * src[i*st[0]]
			for j := range row {
				row[j] += v
			}
			continue
		}
		for j, v := range src[i*st[0]:][:cols] {
			row[j] += beta * v
		}
	}
	return nil
}
