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
	set := newCoalitionSet(drawn.k, drawn.Len())
	d = &design{by: by}
	top := math.Inf(-1)
	logWeights := make([]float64, drawn.Len())
	for j := range logWeights {
		if j%looksOver(drawn.k) == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		logWeights[j] = weigh.kernel(j)
		top = max(top, logWeights[j])
	}
	if !weigh.scale {
		top = 0
	}
	total := 0.0
	for j, l := range logWeights {
		if j%looksOver(drawn.k) == 0 && ctx.Err() != nil {
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
	if weigh.scale {
		divide(d.w, total)
	}
	d.z = set.rows
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

// list takes the members of each coalition, or its absentees when there are fewer of them in all.
func (d *design) list(ctx context.Context) error {
	n, k := d.z.Len(), d.z.k
	d.listed, d.size = d.z, make([]float64, n)
	members := 0
	for j := range n {
		if j%looksOver(k) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		size := d.z.Size(j)
		members += size
		d.size[j] = float64(size)
	}
	if 2*members <= n*k {
		return nil
	}
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
