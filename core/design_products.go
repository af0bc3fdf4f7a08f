package core

import "context"

// bitsAtOnce is how many bits of coalitions go into a product between two looks at the context, where each costs
// up to 4 ns of plain Go in a browser.
const bitsAtOnce = 1 << 23

// lineColumns is how many columns of a product of coalitions with numbers cost as much as one.
const lineColumns = 8

// lines is what a product with so many columns costs beside one with a single column.
func lines(columns int) int { return (columns + lineColumns - 1) / lineColumns }

// eachRange calls f with ranges of n rows that cost so many bits each, with looks at the context between.
func eachRange(ctx context.Context, n, cost int, f func(lo, hi int)) error {
	rows := max(bitsAtOnce/max(cost, 1), 1)
	if rows > 64 {
		rows &^= 63 // as Gram takes them
	}
	for lo := 0; lo < n; lo += rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(lo, min(lo+rows, n))
	}
	return nil
}

// sums is the product of listed masks with h (k, columns).
func (d *design) sums(ctx context.Context, h []float64, columns int) ([]float64, error) {
	n := d.z.Len()
	out := make([]float64, n*columns)
	return out, eachRange(ctx, n, d.z.k*lines(columns), func(lo, hi int) {
		d.by.Sums(out[lo*columns:hi*columns], d.listed.Slice(lo, hi), h, columns)
	})
}

// instanceSums is the transposed product, with r (row, columns).
func (d *design) instanceSums(ctx context.Context, r []float64, columns int) ([]float64, error) {
	out := make([]float64, d.z.k*columns)
	var part []float64
	return out, eachRange(ctx, d.z.Len(), d.z.k*lines(columns), func(lo, hi int) {
		if hi-lo == d.z.Len() {
			d.by.InstanceSums(out, d.listed, r, columns)
			return
		}
		if part == nil {
			part = make([]float64, len(out))
		}
		d.by.InstanceSums(part, d.listed.Slice(lo, hi), r[lo*columns:hi*columns], columns)
		addRow(out, part)
	})
}

// gram is Xᵀ W X. Where scores sum to zero every row is orthogonal to the vector of ones, and the
// matrix would be singular along it: its mean diagonal is added there, which the solution does not see.
func (d *design) gram(ctx context.Context) (*symmetric, error) {
	k := d.z.k
	g := newSymmetric(k)
	done, err := gramAtOnce(ctx, d.by, g.a, d.listed, d.w)
	if !done && err == nil {
		err = eachRange(ctx, d.z.Len(), k*k/16, func(lo, hi int) {
			d.by.Gram(g.a, d.listed.Slice(lo, hi), d.w[lo:hi])
		})
	}
	if err != nil {
		return nil, err
	}
	if d.mean == nil {
		g.centreBothWays()
		return g, nil
	}
	total := 0.0
	for _, w := range d.w {
		total += w
	}
	for i, m := range d.mean {
		for l, v := range d.mean[i:] {
			g.a[i*k+i+l] -= total * m * v
		}
	}
	return g, nil
}

// centreBothWays takes the row means from the matrix on both sides and puts the mean diagonal
// of the result on the direction of equal entries.
func (m *symmetric) centreBothWays() {
	means := make([]float64, m.n)
	for i := range m.n {
		row := m.upper(i)
		means[i] += row[0]
		for l, v := range row[1:] {
			means[i] += v
			means[i+1+l] += v
		}
	}
	divide(means, float64(m.n))
	all := 0.0
	for _, v := range means {
		all += v / float64(m.n)
	}
	for i := range m.n {
		row := m.upper(i)
		for l := range row {
			row[l] += all - means[i] - means[i+l]
		}
	}
	lift := m.meanDiagonal() / float64(m.n)
	for i := range m.n {
		row := m.upper(i)
		for l := range row {
			row[l] += lift
		}
	}
}

// kernel is X Xᵀ. With a free intercept the weighted sum of its rows is zero: the matrix is lifted along
// the weights, which centred values do not see.
func (d *design) kernel(ctx context.Context) (*symmetric, error) {
	n, k := d.z.Len(), float64(d.z.k)
	out := newSymmetric(n)
	var toMean []float64 // listed mask j times the mean
	var square, norm float64
	if d.mean != nil {
		var err error
		if toMean, err = d.sums(ctx, d.mean, 1); err != nil {
			return nil, err
		}
		for _, m := range d.mean {
			square += m * m
		}
		for _, w := range d.w {
			norm += w * w
		}
	}
	var shared []float64
	err := eachRange(ctx, n, n*d.z.words, func(lo, hi int) {
		wide := n - lo
		if shared == nil {
			shared = make([]float64, (hi-lo)*wide)
		}
		d.by.Overlaps(shared[:(hi-lo)*wide], d.listed.Slice(lo, hi), d.listed.Slice(lo, n))
		for i := lo; i < hi; i++ {
			row := out.upper(i)
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
	lift := out.meanDiagonal() / norm
	for i := range n {
		row := out.upper(i)
		for l := range row {
			row[l] += lift * d.w[i] * d.w[i+l]
		}
	}
	return out, nil
}

// transposeTimes is Xᵀ diag(w) y for y (row, class); w nil means ones.
func (d *design) transposeTimes(ctx context.Context, y []float64, classes int, w []float64) ([]float64, error) {
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
	shift := make([]float64, classes) // what every instance has less, or what it has for each of the mean
	for j, size := range d.size {
		share := 1.0
		if d.mean == nil {
			share = size / float64(d.z.k)
		}
		for c := range shift {
			shift[c] += share * y[j*classes+c]
		}
	}
	for i := range d.z.k {
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

// times is X phi for phi (instance, class).
func (d *design) times(ctx context.Context, phi []float64, classes int) ([]float64, error) {
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

// shift is the product with h (k, columns) of what a row has less than its listed mask: of the mean, or, for
// each listed instance, of 1/k in every place.
func (d *design) shift(h []float64, columns int) []float64 {
	out := make([]float64, columns)
	for i := range d.z.k {
		share := 1 / float64(d.z.k)
		if d.mean != nil {
			share = d.mean[i]
		}
		for c, v := range h[i*columns : (i+1)*columns] {
			out[c] += share * v
		}
	}
	return out
}
