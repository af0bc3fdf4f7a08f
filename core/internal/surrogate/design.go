package surrogate

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// A Design is the design matrix X (row, instance) of a surrogate, with one row for each distinct
// coalition. Row x_j is the mask z_j minus the weighted mean of all masks (free intercept), or
// minus |z_j|/k in each entry (scores that sum to zero).
//
// Rows are never unpacked to n x k numbers. Sums run over the members of each coalition, or over
// its complement if the complements are smaller in total. x of the complement is -x of the
// coalition, so that only the sign of the products of design_products.go changes.
type Design struct {
	Coalitions *core.Coalitions // distinct
	w          []float64        // (row) weight, times the number of draws of the row
	count      []float64        // (row) number of draws
	listed     *core.Coalitions // z, or its complements if flipped
	size       []float64        // (row) size of the listed mask
	flipped    bool
	mean       []float64 // (instance) weighted mean of the listed masks, nil if scores sum to zero
	by         core.Arithmetic
}

// Weighting computes the weights of coalitions.
type Weighting struct {
	Kernel LogKernel
	Scale  bool // scale weights to sum to 1
}

// NewDesign returns the design of drawn coalitions and, for each distinct coalition, the index of
// its first draw.
func NewDesign(
	ctx context.Context, by core.Arithmetic, drawn *core.Coalitions, weigh Weighting, centred bool,
) (*Design, []int, error) {
	logWeights, top, err := weigh.logarithms(ctx, drawn)
	if err != nil {
		return nil, nil, err
	}
	d := &Design{by: by}
	first, sum, err := d.gather(ctx, drawn, logWeights, top)
	if err != nil {
		return nil, nil, err
	}
	if weigh.Scale {
		linear.Divide(d.w, sum)
	}
	if err := d.list(ctx); err != nil {
		return nil, nil, err
	}
	if centred {
		if d.mean, err = d.instanceSums(ctx, d.w, 1); err != nil {
			return nil, nil, err
		}
		linear.Divide(d.mean, linear.Total(d.w))
	}
	return d, first, nil
}

// logarithms returns the logarithms of the weights of drawn coalitions, and the value to subtract
// from each before exponentiation, so that no weight overflows.
func (w Weighting) logarithms(
	ctx context.Context, drawn *core.Coalitions,
) (list []float64, top float64, err error) {
	list = make([]float64, drawn.Len())
	err = EachRow(ctx, drawn, func(j int) { list[j] = w.Kernel(j) })
	if w.Scale {
		top = slices.Max(list)
	}
	return list, top, err
}

// gather stores each distinct coalition once, with the sum of its weights. It returns the first
// draw of each and the sum of all weights.
func (d *Design) gather(
	ctx context.Context, drawn *core.Coalitions, logWeights []float64, top float64,
) (first []int, sum float64, err error) {
	set := core.NewCoalitionSet(drawn.Instances(), drawn.Len())
	err = EachRow(ctx, drawn, func(j int) {
		at, isNew := set.Add(drawn.Row(j))
		if isNew {
			first = append(first, j)
			d.w, d.count = append(d.w, 0), append(d.count, 0)
		}
		w := math.Exp(logWeights[j] - top)
		d.w[at] += w
		d.count[at]++
		sum += w
	})
	d.Coalitions = set.Rows
	return first, sum, err
}

// list sets listed to the coalitions, or to their complements if these are smaller in total, and
// size to their sizes.
func (d *Design) list(ctx context.Context) error {
	d.listed, d.size = d.Coalitions, make([]float64, d.Coalitions.Len())
	err := EachRow(ctx, d.Coalitions, func(j int) { d.size[j] = float64(d.Coalitions.Size(j)) })
	if n, k := float64(d.Coalitions.Len()), float64(d.Coalitions.Instances()); err != nil ||
		2*linear.Total(d.size) <= n*k {
		return err
	}
	d.listed, d.flipped = core.NewCoalitions(d.Coalitions.Instances(), d.Coalitions.Len()), true
	return EachRow(ctx, d.Coalitions, func(j int) {
		d.listed.Append(d.Coalitions.Row(j))
		rows.Complement(d.listed.Row(j), d.Coalitions.Instances())
		d.size[j] = float64(d.Coalitions.Instances()) - d.size[j]
	})
}

// sign returns +1 if the listed masks are the coalitions, -1 if they are the complements.
func (d *Design) sign() float64 {
	if d.flipped {
		return -1
	}
	return 1
}

// A LogKernel returns the logarithm of the weight of coalition j of a batch.
type LogKernel func(j int) float64
