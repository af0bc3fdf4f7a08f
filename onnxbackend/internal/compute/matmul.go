package compute

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A right is the right factor of a matrix product, (k, n), packed for kernel.Gemm. Weights are
// packed once, when the model is opened; other factors are packed for each product.
type right struct {
	k, n   int
	packed []float32
}

// Packs remembers packed constant factors of a model, so that nodes which share weights share them.
type Packs struct {
	// known holds right factors of products.
	known map[packKey]*right
	// convs holds the weights of convolutions in the layout of kernel.PackMaps.
	convs map[convKey][]float32
	// memory reserves packed factors; nil for no bound.
	memory *quota.Memory
}

// A packKey identifies a packed factor: a tensor, or its transpose.
type packKey struct {
	t     *tensor.Tensor
	trans bool
}

// A convKey identifies the packed weights of a convolution with so many groups.
type convKey struct {
	t      *tensor.Tensor
	groups int
}

// NewPacks returns an empty memory of packed factors, which reserves them in m unless that is nil.
func NewPacks(m *quota.Memory) *Packs {
	return &Packs{map[packKey]*right{}, map[convKey][]float32{}, m}
}

// packRight packs the constant right factor of a node once, when the model is opened. It returns
// nil if input 1 is not a constant matrix of float32, or if there is no memory for a copy of it.
func packRight(n *Node, trans bool) *right {
	b := n.constant(1)
	if b == nil || b.Type != tensor.Float32 || b.Rank() != 2 {
		return nil
	}
	// Several nodes may read one constant.
	key := packKey{b, trans}
	if r := n.Packs.known[key]; r != nil {
		return r
	}
	r := &right{k: b.Shape[0], n: b.Shape[1]}
	ld := b.Shape[1]
	if trans {
		r.k, r.n = r.n, r.k
	}
	size := kernel.PackedLen(r.k, r.n)
	if n.Packs.memory.Reserve(4*int64(size), "packed weights") != nil {
		return nil
	}
	r.packed = make([]float32, size)
	kernel.Pack(r.packed, tensor.Of[float32](b), r.k, r.n, ld, trans)
	n.Packs.known[key] = r
	return r
}

// multiplyBlock is about how many products are computed between two looks at whether the run goes
// on. Scalar code needs about 16 ms for them.
const multiplyBlock = 1 << 24

// multiply computes c (m, n) = a (m, k) · b and applies ep, in blocks of rows between which the run
// may be cancelled. Blocks hold whole tiles of the kernel, 12 rows, so that only the last one may
// have a partial tile, which is slower.
func multiply(mc *machine.Machine, c, a []float32, rows int, b *right, ep epilogue) error {
	cost := max(1, b.k)*b.n + ep.work(b.n)              // zeros are written if there is no factor
	block := max(1, multiplyBlock/max(1, cost)/12) * 12 // rows of whole tiles of the kernel
	rowBias := ep.RowBias
	for lo := 0; lo < rows; lo += block {
		n := min(block, rows-lo)
		if err := mc.Tick(n * cost); err != nil {
			return err
		}
		if rowBias != nil {
			ep.RowBias = rowBias[lo : lo+n]
		}
		kernel.Gemm(c[lo*b.n:], b.n, a[lo*b.k:], b.k, b.packed, n, b.n, b.k, ep.Epilogue)
		if ep.after != nil {
			ep.after(c[lo*b.n : (lo+n)*b.n])
		}
	}
	return nil
}

// product computes c (m, n) = a (m, k) · b (k, n), or b (n, k) with trans, and applies ep. It packs
// b into scratch memory, except for a single row, for which packing would take longer than the
// product.
func product(mc *machine.Machine, c, a, b []float32, m, n, k int, trans bool, ep epilogue) error {
	// A row times a matrix reads the matrix once, so packing would double the work.
	if m == 1 && !trans {
		if err := mc.Tick(n*max(1, k) + ep.work(n)); err != nil {
			return err
		}
		kernel.Gemv(c, a[:k], b, n, n)
		ep.finish(c[:n])
		return nil
	}
	// The factor is packed for this call only, since it is not constant.
	packed, err := machine.Scratch[float32](mc, kernel.PackedLen(k, n))
	if err != nil {
		return err
	}
	if err := mc.Tick(k * n); err != nil {
		return err
	}
	ld := n
	if trans {
		ld = k
	}
	kernel.Pack(packed, b, k, n, ld, trans)
	return multiply(mc, c, a, m, &right{k, n, packed}, ep)
}

// matShape is how MatMul views its operands: matrices in a broadcast batch. A vector becomes a
// matrix of one row (left) or column (right), which the result drops again.
type matShape struct {
	// m and n are the rows and columns of the result, k is the summed size.
	m, n, k int
	// batch is the shape of the batch of the result, to which batchA and batchB are broadcast.
	batch, batchA, batchB []int
	// dropM says that the left operand was a vector, dropN that the right one was.
	dropM, dropN bool
}

// matShapes returns the sizes of a product of tensors of shapes a and b. Its lists are valid until
// the operator returns.
func matShapes(m *machine.Machine, a, b []int) (s matShape, err error) {
	if len(a) == 0 || len(b) == 0 {
		return s, fmt.Errorf("a scalar is not a matrix")
	}
	// A vector is a row on the left and a column on the right.
	if len(a) == 1 {
		a, s.dropM = append(m.Ints(2)[:0], 1, a[0]), true
	}
	if len(b) == 1 {
		b, s.dropN = append(m.Ints(2)[:0], b[0], 1), true
	}
	la, lb := len(a)-2, len(b)-2
	s.m, s.k, s.n = a[la], a[la+1], b[lb+1]
	if b[lb] != s.k {
		return s, msg.Errorf("shapes %v and %v cannot be multiplied", slices.Clone(a),
			slices.Clone(b))
	}
	s.batchA, s.batchB = a[:la], b[:lb]
	s.batch, err = broadcastShape(m.Ints(max(la, lb))[:0], s.batchA, s.batchB)
	if n, ok := tensor.Count([]int{max(1, s.m), max(1, s.n), max(1, s.k)}); !ok || n < 0 {
		return s, msg.Errorf("shapes %v and %v are too large for any memory", slices.Clone(a),
			slices.Clone(b))
	}
	return s, err
}

// out appends the shape of the result to dst.
func (s matShape) out(dst []int) []int {
	dst = append(dst, s.batch...)
	if !s.dropM {
		dst = append(dst, s.m)
	}
	if !s.dropN {
		dst = append(dst, s.n)
	}
	return dst
}

// NewMatMul makes MatMul, which broadcasts the dimensions before the last two. A third input, which
// only passes add, is a bias for each row of the product in float32. Integers are multiplied in 64
// bits.
func NewMatMul(n *Node) (Func, error) {
	weights, ep := packRight(n, false), n.epilogue()
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, b, o := in[0], in[1], out[0]
		s, err := matShapes(m, a.Shape, b.Shape)
		if err != nil {
			return err
		}
		p := matProduct{s, weights, ep}
		if bias := given(in, 2); bias != nil && a.Type == tensor.Float32 {
			p.ep.Bias = tensor.Of[float32](bias)
		}
		return matMulByType.run(m, o, a.Type, p, in[:2]...)
	}, nil
}

// matMul computes a · b for operators that contain a product.
func matMul(m *machine.Machine, out, a, b *tensor.Tensor) error {
	s, err := matShapes(m, a.Shape, b.Shape)
	if err != nil {
		return err
	}
	return matMulByType.run(m, out, a.Type, matProduct{matShape: s}, a, b)
}

// A matProduct holds the parameters of a MatMul.
type matProduct struct {
	matShape
	// weights is the packed right factor, nil if it is not constant.
	weights *right
	// ep is applied in float32 only, since passes fuse nothing into other products.
	ep epilogue
}

// matMulByType computes unsigned integers like signed ones: their sums and products have the same
// bits.
var matMulByType = byType[matProduct]{
	f32: matMul32, f64: matMulAny[float64], i64: matMulAny[int64], u64: matMulAny[int64],
}

// matMul32 is MatMul in float32 with the kernels of package kernel. A single right factor makes one
// large product of the whole batch.
func matMul32(
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, p matProduct,
) error {
	s, ep := p.matShape, p.ep // the closure below copies these, but would move p to the heap
	var space [8]int
	if err := m.Alloc(out, tensor.Float32, s.out(space[:0])...); err != nil {
		return err
	}
	x, y, dst := tensor.Of[float32](in[0]), tensor.Of[float32](in[1]), tensor.Of[float32](out)
	if len(dst) == 0 {
		return nil
	}
	if len(s.batchB) == 0 { // one right factor: the batch is only more rows
		// The matrices of the batch are contiguous, so they form one matrix.
		rows := s.m * elements(s.batch)
		if p.weights != nil {
			return multiply(m, dst, x, rows, p.weights, ep)
		}
		return product(m, dst, x, y, rows, s.n, s.k, false, ep)
	}
	return s.each(m, func(at, i, j int) error {
		return product(m, dst[at*s.m*s.n:][:s.m*s.n], x[i*s.m*s.k:], y[j*s.k*s.n:], s.m, s.n, s.k,
			false, ep)
	})
}

// matMulAny is MatMul without a hand-tuned kernel.
func matMulAny[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, p matProduct,
) error {
	s := p.matShape
	if err := m.Alloc(out, in[0].Type, s.out(nil)...); err != nil {
		return err
	}
	x, y, dst := tensor.Of[T](in[0]), tensor.Of[T](in[1]), tensor.Of[T](out)
	if len(dst) == 0 {
		return nil
	}
	return s.each(m, func(at, i, j int) error {
		return productAny(m, dst[at*s.m*s.n:][:s.m*s.n], x[i*s.m*s.k:], y[j*s.k*s.n:], s.m, s.n,
			s.k)
	})
}

// each calls f for every matrix of the batch with its index in the result and in each operand.
func (s matShape) each(m *machine.Machine, f func(at, i, j int) error) error {
	// A last dimension of 2, over which the operands repeat, makes each matrix a row of its own.
	row := func(batch []int, n int) []int {
		return append(append(m.Ints(len(batch) + 1)[:0], batch...), n)
	}
	w := broadcastWalk(m, row(s.batch, 2), row(s.batchA, 1), row(s.batchB, 1))
	return w.rows(func(at int, from []int) error { return f(at/2, from[0], from[1]) })
}

// productOf is product for float32 and its plain form for float64.
func productOf[T float32 | float64](
	mc *machine.Machine, c, a, b []T, m, n, k int, trans bool,
) error {
	if c, ok := any(c).([]float32); ok {
		return product(mc, c, any(a).([]float32), any(b).([]float32), m, n, k, trans, epilogue{})
	}
	if trans {
		var err error
		if b, err = transposed(mc, b[:n*k], n, k); err != nil {
			return err
		}
	}
	return productAny(mc, c, a, b, m, n, k)
}

// productAny computes c (m, n) = a (m, k) · b (k, n) row by row, adding up in the order of k.
func productAny[T tensor.Number](mc *machine.Machine, c, a, b []T, m, n, k int) error {
	for i := range m {
		if err := mc.Tick(n * max(1, k)); err != nil {
			return err
		}
		// The inner loop runs over contiguous elements of b and c.
		row := c[i*n : (i+1)*n]
		clear(row)
		for p, v := range a[i*k : (i+1)*k] {
			for j, w := range b[p*n : (p+1)*n] {
				row[j] += v * w
			}
		}
	}
	return nil
}
