package core

import (
	"context"
	"math"
)

// A design is the design matrix X (row, instance) of a surrogate, with one row for each distinct
// coalition. Row x_j is the mask z_j minus the weighted mean of all masks (free intercept), or
// minus |z_j|/k in each entry (scores that sum to zero).
//
// Rows are never unpacked to n x k numbers. Sums run over the members of each coalition, or over
// its complement if the complements are smaller in total. x of the complement is -x of the
// coalition, so that only the sign of the products of design_products.go changes.
type design struct {
	z       *Coalitions // distinct
	w       []float64   // (row) weight, times the number of draws of the row
	count   []float64   // (row) number of draws
	listed  *Coalitions // z, or its complements if flipped
	size    []float64   // (row) size of the listed mask
	flipped bool
	mean    []float64 // (instance) weighted mean of the listed masks, nil if scores sum to zero
	by      Arithmetic
}

// weighting computes the weights of coalitions.
type weighting struct {
	kernel logKernel
	scale  bool // scale weights to sum to 1
}

// newDesign returns the design of drawn coalitions and, for each distinct coalition, the index of
// its first draw.
func newDesign(
	ctx context.Context, by Arithmetic, drawn *Coalitions, weigh weighting, centred bool,
) (d *design, first []int, err error) {
	logWeights, top, err := weigh.logarithms(ctx, drawn)
	if err != nil {
		return nil, nil, err
	}
	d = &design{by: by}
	var sum float64
	if first, sum, err = d.gather(ctx, drawn, logWeights, top); err != nil {
		return nil, nil, err
	}
	if weigh.scale {
		divide(d.w, sum)
	}
	if err := d.list(ctx); err != nil {
		return nil, nil, err
	}
	if centred {
		if d.mean, err = d.instanceSums(ctx, d.w, 1); err != nil {
			return nil, nil, err
		}
		divide(d.mean, total(d.w))
	}
	return d, first, nil
}

// logarithms returns the logarithms of the weights of drawn coalitions, and the value to subtract
// from each before exponentiation, so that no weight overflows.
func (w weighting) logarithms(
	ctx context.Context, drawn *Coalitions,
) (list []float64, top float64, err error) {
	top = math.Inf(-1)
	list = make([]float64, drawn.Len())
	for j := range list {
		if j%drawsPerCheck(drawn.k) == 0 && ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		list[j] = w.kernel(j)
		top = max(top, list[j])
	}
	if !w.scale {
		top = 0
	}
	return list, top, nil
}

// gather stores each distinct coalition once, with the sum of its weights. It returns the first
// draw of each and the sum of all weights.
func (d *design) gather(
	ctx context.Context, drawn *Coalitions, logWeights []float64, top float64,
) (first []int, total float64, err error) {
	set := newCoalitionSet(drawn.k, drawn.Len())
	for j, l := range logWeights {
		if j%drawsPerCheck(drawn.k) == 0 && ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
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
	d.z = set.rows
	return first, total, nil
}

// list sets listed to the coalitions, or to their complements if these are smaller in total.
func (d *design) list(ctx context.Context) error {
	n, k := d.z.Len(), d.z.k
	members, err := d.sizes(ctx)
	if err != nil {
		return err
	}
	d.listed = d.z
	if 2*members <= n*k {
		return nil
	}
	return d.flip(ctx)
}

// sizes sets the sizes of the coalitions and returns their sum.
func (d *design) sizes(ctx context.Context) (members int, err error) {
	d.size = make([]float64, d.z.Len())
	for j := range d.size {
		if j%drawsPerCheck(d.z.k) == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		size := d.z.Size(j)
		members += size
		d.size[j] = float64(size)
	}
	return members, nil
}

// flip sets listed to the complements.
func (d *design) flip(ctx context.Context) error {
	n, k := d.z.Len(), d.z.k
	d.flipped = true
	d.listed = NewCoalitions(k, n)
	for j := range n {
		if j%drawsPerCheck(k) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d.listed.Append(d.z.Row(j))
		complement(d.listed.Row(j), k)
		d.size[j] = float64(k) - d.size[j]
	}
	return nil
}

// sign returns +1 if the listed masks are the coalitions, -1 if they are the complements.
func (d *design) sign() float64 {
	if d.flipped {
		return -1
	}
	return 1
}
