package core

import (
	"context"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// A design holds the coalitions of a surrogate as the rows of a regression, each distinct coalition
// once. Row j stands for x_j: the mask z_j with its weighted mean taken away (free intercept), or with
// |z_j|/k taken from each entry (scores that sum to zero).
//
// Rows are never unpacked to n x k numbers for the solve: sums run over the members of each coalition,
// or over its absentees where these are fewer. x of the absentees is minus x of the members, so the
// products below only change sign.
type design struct {
	z       *Coalitions // distinct
	w       []float64   // weight of each row, times the number of draws it stands for
	count   []float64   // draws that each row stands for
	listed  [][]int     // members of each row, or absentees of each row where flipped
	flipped bool
	mean    []float64 // weighted mean of the listed masks, nil when scores sum to zero
}

// newDesign gathers drawn coalitions with their weights. It also returns, for each
// distinct coalition, the first draw of it. scale: weights sum to 1, else they stay as they are.
func newDesign(ctx context.Context, drawn *Coalitions, kernel logKernel, scale, centred bool) (d *design, first []int, err error) {
	set := newCoalitionSet(drawn.k)
	d = &design{}
	top := math.Inf(-1)
	logWeights := make([]float64, drawn.Len())
	for j := range logWeights {
		if j%looks == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		logWeights[j] = kernel(j)
		top = max(top, logWeights[j])
	}
	if !scale {
		top = 0
	}
	total := 0.0
	for j, l := range logWeights {
		if j%looks == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		at, fresh := set.enter(drawn.Row(j))
		if fresh {
			first = append(first, j)
			d.w, d.count = append(d.w, 0), append(d.count, 0)
		}
		w := math.Exp(l - top)
		d.w[at] += w
		d.count[at]++
		total += w
	}
	if scale {
		for j := range d.w {
			d.w[j] /= total
		}
	}
	d.z = set.rows
	if err := d.list(ctx); err != nil {
		return nil, nil, err
	}
	if centred {
		d.mean = d.listedSum(d.w)
		sum := 0.0
		for _, w := range d.w {
			sum += w
		}
		for i := range d.mean {
			d.mean[i] /= sum
		}
	}
	return d, first, nil
}

// list writes down the members of each coalition, or its absentees when there are fewer of them in all.
func (d *design) list(ctx context.Context) error {
	members := 0
	for j := range d.z.Len() {
		members += d.z.Size(j)
	}
	d.flipped = 2*members > d.z.Len()*d.z.k
	row := make([]uint64, d.z.words)
	d.listed = make([][]int, d.z.Len())
	for j := range d.listed {
		if j%looks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		copy(row, d.z.Row(j))
		if d.flipped {
			complement(row, d.z.k)
		}
		d.listed[j] = (&Coalitions{k: d.z.k, words: d.z.words, bits: row}).Members(nil, 0)
	}
	return nil
}

// listedSum is the sum of the listed masks, each times its weight.
func (d *design) listedSum(w []float64) []float64 {
	out := make([]float64, d.z.k)
	for j, members := range d.listed {
		for _, i := range members {
			out[i] += w[j]
		}
	}
	return out
}

// sign is +1 when listed masks are members, -1 when they are absentees.
func (d *design) sign() float64 {
	if d.flipped {
		return -1
	}
	return 1
}

// gram is Xᵀ W X. Where scores sum to zero every row is orthogonal to the vector of ones, and the
// matrix would be singular along it: its mean diagonal is added there, which the solution does not see.
func (d *design) gram(ctx context.Context) (*mat.SymDense, error) {
	k := d.z.k
	g := mat.NewSymDense(k, nil)
	raw := g.RawSymmetric()
	for j, members := range d.listed {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w := d.w[j]
		for a, i := range members {
			row := raw.Data[i*raw.Stride:]
			for _, l := range members[a:] {
				row[l] += w
			}
		}
	}
	if d.mean != nil {
		total := 0.0
		for _, w := range d.w {
			total += w
		}
		for i := range k {
			for l := i; l < k; l++ {
				raw.Data[i*raw.Stride+l] -= total * d.mean[i] * d.mean[l]
			}
		}
		return g, nil
	}
	return centreBothWays(g), nil
}

// centreBothWays takes the row means from a symmetric matrix on both sides and puts the mean diagonal
// of the result on the direction of equal entries.
func centreBothWays(g *mat.SymDense) *mat.SymDense {
	k := g.SymmetricDim()
	means := make([]float64, k)
	all := 0.0
	for i := range k {
		for l := range k {
			means[i] += g.At(i, l) / float64(k)
		}
		all += means[i] / float64(k)
	}
	for i := range k {
		for l := i; l < k; l++ {
			g.SetSym(i, l, g.At(i, l)-means[i]-means[l]+all)
		}
	}
	lift := meanDiagonal(g) / float64(k)
	for i := range k {
		for l := i; l < k; l++ {
			g.SetSym(i, l, g.At(i, l)+lift)
		}
	}
	return g
}

// kernel is X Xᵀ. With a free intercept the weighted sum of its rows is zero: the matrix is lifted along
// the weights, which centred values do not see.
func (d *design) kernel(ctx context.Context) (*mat.SymDense, error) {
	n := d.z.Len()
	out := mat.NewSymDense(n, nil)
	var toMean []float64 // listed mask j times the mean
	var square, norm float64
	if d.mean != nil {
		toMean = make([]float64, n)
		for j, members := range d.listed {
			for _, i := range members {
				toMean[j] += d.mean[i]
			}
		}
		for _, m := range d.mean {
			square += m * m
		}
		for _, w := range d.w {
			norm += w * w
		}
	}
	for i := range n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for j := i; j < n; j++ {
			v := d.common(i, j)
			if d.mean != nil {
				v += square - toMean[i] - toMean[j]
			} else {
				v -= float64(len(d.listed[i])) * float64(len(d.listed[j])) / float64(d.z.k)
			}
			out.SetSym(i, j, v)
		}
	}
	if d.mean != nil {
		lift := meanDiagonal(out) / norm
		for i := range n {
			for j := i; j < n; j++ {
				out.SetSym(i, j, out.At(i, j)+lift*d.w[i]*d.w[j])
			}
		}
	}
	return out, nil
}

// common is the number of instances that listed masks i and j share.
func (d *design) common(i, j int) float64 {
	a, b := d.z.Row(i), d.z.Row(j)
	n := 0
	for w := range a {
		n += bits.OnesCount64(a[w] & b[w])
	}
	if d.flipped { // |not a and not b| = k - |a| - |b| + |a and b|
		n += len(d.listed[i]) + len(d.listed[j]) - d.z.k
	}
	return float64(n)
}

// transposeTimes is Xᵀ diag(w) y for y shaped (coalition, class); w nil means ones.
func (d *design) transposeTimes(y *mat.Dense, w []float64) *mat.Dense {
	n, classes := y.Dims()
	out := mat.NewDense(d.z.k, classes, nil)
	column := make([]float64, n)
	for c := range classes {
		total, shares := 0.0, 0.0
		for j := range column {
			column[j] = y.At(j, c)
			if w != nil {
				column[j] *= w[j]
			}
			total += column[j]
			shares += column[j] * float64(len(d.listed[j])) / float64(d.z.k)
		}
		sum := d.listedSum(column)
		for i := range sum {
			shift := shares
			if d.mean != nil {
				shift = total * d.mean[i]
			}
			out.Set(i, c, d.sign()*(sum[i]-shift))
		}
	}
	return out
}

// times is X phi for phi shaped (instance, class).
func (d *design) times(phi *mat.Dense) *mat.Dense {
	k, classes := phi.Dims()
	out := mat.NewDense(d.z.Len(), classes, nil)
	for c := range classes {
		column := mat.Col(nil, c, phi)
		atMean, sum := 0.0, 0.0
		for i, v := range column {
			sum += v
			if d.mean != nil {
				atMean += d.mean[i] * v
			}
		}
		for j, members := range d.listed {
			v := -atMean
			if d.mean == nil {
				v = -sum * float64(len(members)) / float64(k)
			}
			for _, i := range members {
				v += column[i]
			}
			out.Set(j, c, d.sign()*v)
		}
	}
	return out
}

// eachInfluence calls f with G⁻¹ x_j, but for its sign, of each coalition j in turn, given G⁻¹. The slice is
// used again.
func (d *design) eachInfluence(ctx context.Context, inverse *mat.SymDense, f func(j int, influence []float64)) error {
	k := d.z.k
	shift := mat.NewVecDense(k, nil) // G⁻¹ of what a row has less than its mask, or of that for each member
	if d.mean != nil {
		shift.MulVec(inverse, mat.NewVecDense(k, d.mean))
	} else {
		ones := make([]float64, k)
		for i := range ones {
			ones[i] = 1 / float64(k)
		}
		shift.MulVec(inverse, mat.NewVecDense(k, ones))
	}
	full := mat.DenseCopyOf(inverse) // rows without a look at which triangle is stored
	out := make([]float64, k)
	for j, members := range d.listed {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		times := 1.0
		if d.mean == nil {
			times = float64(len(members))
		}
		for i := range out {
			out[i] = -times * shift.AtVec(i)
		}
		for _, m := range members {
			for i, v := range full.RawRowView(m) {
				out[i] += v
			}
		}
		f(j, out)
	}
	return nil
}
