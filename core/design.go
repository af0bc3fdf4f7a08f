package core

import (
	"context"
	"math"
)

// A design holds the coalitions of a surrogate as the rows of a regression, each distinct coalition
// once. Row j stands for x_j: the mask z_j with its weighted mean taken away (free intercept), or with
// |z_j|/k taken from each entry (scores that sum to zero).
//
// Rows are never unpacked to n x k numbers: sums run over the members of each coalition,
// or over its absentees where these are fewer. x of the absentees is minus x of the members, so the
// products of design_products.go only change sign.
type design struct {
	z       *Coalitions // distinct
	w       []float64   // weight of each row, times the number of draws it stands for
	count   []float64   // draws that each row stands for
	listed  *Coalitions // z, or the complement of each row where flipped
	size    []float64   // of each listed mask
	flipped bool
	mean    []float64 // weighted mean of the listed masks, nil when scores sum to zero
	by      Arithmetic
}

// weighting is how coalitions get their weights.
type weighting struct {
	kernel logKernel
	scale  bool // weights sum to 1, else they stay as they are
}

// newDesign gathers drawn coalitions with their weights. It also returns, for each
// distinct coalition, the first draw of it.
func newDesign(ctx context.Context, by Arithmetic, drawn *Coalitions, weigh weighting, centred bool) (d *design, first []int, err error) {
	logWeights, top, err := weigh.logarithms(ctx, drawn)
	if err != nil {
		return nil, nil, err
	}
	d = &design{by: by}
	total := 0.0
	if first, total, err = d.gather(ctx, drawn, logWeights, top); err != nil {
		return nil, nil, err
	}
	if weigh.scale {
		divide(d.w, total)
	}
	if err := d.list(ctx); err != nil {
		return nil, nil, err
	}
	if centred {
		if d.mean, err = d.instanceSums(ctx, d.w, 1); err != nil {
			return nil, nil, err
		}
		sum := 0.0
		for _, w := range d.w {
			sum += w
		}
		divide(d.mean, sum)
	}
	return d, first, nil
}

// logarithms returns those of the weights of drawn coalitions, and what is taken from each so that none is too large
// for a number.
func (w weighting) logarithms(ctx context.Context, drawn *Coalitions) (list []float64, top float64, err error) {
	top = math.Inf(-1)
	list = make([]float64, drawn.Len())
	for j := range list {
		if j%looksOver(drawn.k) == 0 && ctx.Err() != nil {
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

// gather enters each drawn coalition once, with the sum of its weights. It returns the first draw of each, and the
// sum of all weights.
func (d *design) gather(ctx context.Context, drawn *Coalitions, logWeights []float64, top float64) (first []int, total float64, err error) {
	set := newCoalitionSet(drawn.k, drawn.Len())
	for j, l := range logWeights {
		if j%looksOver(drawn.k) == 0 && ctx.Err() != nil {
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

// list takes the members of each coalition, or its absentees when there are fewer of them in all.
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

// sizes counts the members of each coalition, and of all.
func (d *design) sizes(ctx context.Context) (members int, err error) {
	d.size = make([]float64, d.z.Len())
	for j := range d.size {
		if j%looksOver(d.z.k) == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		size := d.z.Size(j)
		members += size
		d.size[j] = float64(size)
	}
	return members, nil
}

// flip lists absentees.
func (d *design) flip(ctx context.Context) error {
	n, k := d.z.Len(), d.z.k
	d.flipped = true
	d.listed = NewCoalitions(k, n)
	for j := range n {
		if j%looksOver(k) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d.listed.Append(d.z.Row(j))
		complement(d.listed.Row(j), k)
		d.size[j] = float64(k) - d.size[j]
	}
	return nil
}

// sign is +1 when listed masks are members, -1 when they are absentees.
func (d *design) sign() float64 {
	if d.flipped {
		return -1
	}
	return 1
}
