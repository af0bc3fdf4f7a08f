package surrogate

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// lineColumns is the number of columns that a product of coalitions with a matrix computes at the
// cost of one column.
const lineColumns = 8

// lines returns the cost of a product with the given number of columns, relative to one column.
func lines(columns int) int { return (columns + lineColumns - 1) / lineColumns }

// EachRange calls f for consecutive ranges of n rows, which cost the given number of bits each. It
// checks the context between calls.
func EachRange(ctx context.Context, n, cost int, f func(lo, hi int)) error {
	rows := max(rows.BitsPerCheck/max(cost, 1), 1)
	if rows > 64 {
		rows &^= 63 // implementations of Gram process 64 rows at a time
	}
	for lo := 0; lo < n; lo += rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(lo, min(lo+rows, n))
	}
	return nil
}

// EachRow calls f for each coalition of a batch. It checks the context between calls, and returns
// the cause if ctx ends.
func EachRow(ctx context.Context, z *core.Coalitions, f func(j int)) error {
	for j := range z.Len() {
		if j%rows.PerCheck(z.Instances()) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(j)
	}
	return nil
}

// dot returns the sum of the products of the entries of a and b.
func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// sums returns the product of the listed masks with h (instance, column), shaped (row, column).
func (d *Design) sums(ctx context.Context, h []float64, columns int) ([]float64, error) {
	n := d.Coalitions.Len()
	out := make([]float64, n*columns)
	return out, EachRange(ctx, n, d.Coalitions.Instances()*lines(columns), func(lo, hi int) {
		d.by.Sums(out[lo*columns:hi*columns], d.listed.Slice(lo, hi), h, columns)
	})
}

// instanceSums returns the product of the transposed listed masks with r (row, column), shaped
// (instance, column).
func (d *Design) instanceSums(ctx context.Context, r []float64, columns int) ([]float64, error) {
	out := make([]float64, d.Coalitions.Instances()*columns)
	var part []float64
	return out, EachRange(
		ctx,
		d.Coalitions.Len(),
		d.Coalitions.Instances()*lines(columns),
		func(lo, hi int) {
			if hi-lo == d.Coalitions.Len() {
				d.by.InstanceSums(out, d.listed, r, columns)
				return
			}
			if part == nil {
				part = make([]float64, len(out))
			}
			d.by.InstanceSums(part, d.listed.Slice(lo, hi), r[lo*columns:hi*columns], columns)
			linear.AddRow(out, part)
		},
	)
}

// gram returns Xᵀ W X. If scores sum to zero, every row is orthogonal to the vector of ones, so
// that the matrix is singular in that direction. gram adds the mean diagonal there; this does not
// change the solution.
func (d *Design) gram(ctx context.Context) (*linear.Symmetric, error) {
	k := d.Coalitions.Instances()
	g := linear.NewSymmetric(k)
	done, err := gramAtOnce(ctx, d.by, g.Values, d.listed, d.w)
	if !done && err == nil {
		err = EachRange(ctx, d.Coalitions.Len(), k*k/16, func(lo, hi int) {
			d.by.Gram(g.Values, d.listed.Slice(lo, hi), d.w[lo:hi])
		})
	}
	if err != nil {
		return nil, err
	}
	if d.mean == nil {
		g.CentreBothWays()
		return g, nil
	}
	sum := linear.Total(d.w)
	for i, m := range d.mean {
		for l, v := range d.mean[i:] {
			g.Values[i*k+i+l] -= sum * m * v
		}
	}
	return g, nil
}

// Kernel returns X Xᵀ. With a free intercept, the weighted sum of its rows is zero, so that the
// matrix is singular. kernel adds the mean diagonal in the direction of the weights; this does not
// change the solution for centred values.
func (d *Design) kernel(ctx context.Context) (*linear.Symmetric, error) {
	n, k := d.Coalitions.Len(), float64(d.Coalitions.Instances())
	out := linear.NewSymmetric(n)
	var toMean []float64 // (row) product of the listed mask with the mean
	var square, norm float64
	if d.mean != nil {
		var err error
		if toMean, err = d.sums(ctx, d.mean, 1); err != nil {
			return nil, err
		}
		square, norm = dot(d.mean, d.mean), dot(d.w, d.w)
	}
	var shared []float64
	err := EachRange(ctx, n, n*((d.Coalitions.Instances()+63)/64), func(lo, hi int) {
		wide := n - lo
		if shared == nil {
			shared = make([]float64, (hi-lo)*wide)
		}
		d.by.Overlaps(shared[:(hi-lo)*wide], d.listed.Slice(lo, hi), d.listed.Slice(lo, n))
		for i := lo; i < hi; i++ {
			row := out.Upper(i)
			copy(row, shared[(i-lo)*wide+i-lo:])
			for l := range row {
				if d.mean != nil {
					row[l] += square - toMean[i] - toMean[i+l]
				} else {
					row[l] -= d.size[i] * d.size[i+l] / k
				}
			}
		}
	})
	if err != nil || d.mean == nil {
		return out, err
	}
	diagonal := out.MeanDiagonal() / norm
	for i := range n {
		row := out.Upper(i)
		for l := range row {
			row[l] += diagonal * d.w[i] * d.w[i+l]
		}
	}
	return out, nil
}

// transposeTimes returns Xᵀ diag(w) y for y (row, class), shaped (instance, class); w nil means
// ones.
func (d *Design) transposeTimes(
	ctx context.Context, y []float64, classes int, w []float64,
) ([]float64, error) {
	if w != nil {
		weighted := make([]float64, len(y))
		for j, v := range w {
			for c := j * classes; c < (j+1)*classes; c++ {
				weighted[c] = v * y[c]
			}
		}
		y = weighted
	}
	out, err := d.instanceSums(ctx, y, classes)
	if err != nil {
		return nil, err
	}
	shift := make([]float64, classes) // the correction of each instance, or its factor of the mean
	for j, size := range d.size {
		share := 1.0
		if d.mean == nil {
			share = size / float64(d.Coalitions.Instances())
		}
		for c := range shift {
			shift[c] += share * y[j*classes+c]
		}
	}
	for i := range d.Coalitions.Instances() {
		share := 1.0
		if d.mean != nil {
			share = d.mean[i]
		}
		for c, v := range shift {
			at := i*classes + c
			out[at] = d.sign() * (out[at] - share*v)
		}
	}
	return out, nil
}

// times returns X phi for phi (instance, class), shaped (row, class).
func (d *Design) times(ctx context.Context, phi []float64, classes int) ([]float64, error) {
	out, err := d.sums(ctx, phi, classes)
	if err != nil {
		return nil, err
	}
	shift := d.shift(phi, classes)
	for j, size := range d.size {
		share := 1.0
		if d.mean == nil {
			share = size
		}
		for c, v := range shift {
			at := j*classes + c
			out[at] = d.sign() * (out[at] - share*v)
		}
	}
	return out, nil
}

// shift returns the product with h (instance, column) of the vector that is subtracted from the
// listed masks: the mean or, for each listed instance, 1/k in every entry.
func (d *Design) shift(h []float64, columns int) []float64 {
	out := make([]float64, columns)
	for i := range d.Coalitions.Instances() {
		share := 1 / float64(d.Coalitions.Instances())
		if d.mean != nil {
			share = d.mean[i]
		}
		for c, v := range h[i*columns : (i+1)*columns] {
			out[c] += share * v
		}
	}
	return out
}

// gramAtOnce calls the GramAtOnce of an Arithmetic that has it, and returns whether dst is
// complete.
func gramAtOnce(
	ctx context.Context, by core.Arithmetic, dst []float64, z *core.Coalitions, w []float64,
) (bool, error) {
	if at, ok := by.(core.GramAtOnce); ok {
		return at.GramAtOnce(ctx, dst, z, w)
	}
	return false, nil
}
