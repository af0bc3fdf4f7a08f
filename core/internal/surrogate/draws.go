package surrogate

import (
	"context"
	"math/bits"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// Drawn tells how random coalitions were drawn, on which the standard errors of scores depend.
type Drawn struct {
	Paired bool // each coalition was drawn with its complement
	// Missed (distinct coalition) is the probability that another sample lacks the coalition; nil
	// for 1. A sample that lacks nothing has no error.
	Missed []float64
}

// draws are the independent draws of a surrogate: a coalition each, or a pair of complements.
type draws struct {
	*Surrogate
	u       []float64 // (coalition) weight of one draw
	number  []float64 // (coalition) number of draws; 0 if the draw counts with its partner
	partner []int     // (coalition) the complement that was drawn with it, -1 for none
	centre  []float64 // (instance) what is subtracted from masks; nil for the share of their size
	total   float64   // sum of the weights
	others  float64   // mean weight of the other draws, see left
}

// draws returns the draws of the surrogate, without others.
func (s *Surrogate) draws(ctx context.Context) (*draws, error) {
	n, k := s.Coalitions.Len(), s.Coalitions.Instances()
	d := &draws{Surrogate: s, u: make([]float64, n), number: slices.Clone(s.count),
		partner: slices.Repeat([]int{-1}, n), centre: s.mean, total: linear.Total(s.w)}
	for j, w := range s.w {
		d.u[j] = w / s.count[j]
	}
	if !s.Drawn.Paired {
		return d, nil
	}
	if s.mean != nil { // complements are opposite around one half
		d.centre = slices.Repeat([]float64{.5}, k)
	}
	all := core.NewCoalitionSet(k, 2*n)
	if err := EachRow(ctx, s.Coalitions, func(j int) { all.Add(s.Coalitions.Row(j)) }); err != nil {
		return nil, err
	}
	rest := make([]uint64, len(s.Coalitions.Row(0)))
	return d, EachRow(ctx, s.Coalitions, func(j int) {
		copy(rest, s.Coalitions.Row(j))
		rows.Complement(rest, k)
		if p, fresh := all.Add(rest); !fresh && p < j {
			d.partner[p], d.number[j] = j, 0
		}
	})
}

// missed returns the probability that another sample lacks the coalition of a draw.
func (d *draws) missed(j int) float64 {
	if d.Drawn.Missed == nil {
		return 1
	}
	return d.Drawn.Missed[j]
}

// weight returns the sum of the weights of a draw.
func (d *draws) weight(j int) float64 {
	if p := d.partner[j]; p >= 0 {
		return d.u[j] + d.u[p]
	}
	return d.u[j]
}

// weightSquare returns the sum of the squared weights of a draw.
func (d *draws) weightSquare(j int) float64 {
	if p := d.partner[j]; p >= 0 {
		return d.u[j]*d.u[j] + d.u[p]*d.u[p]
	}
	return d.u[j] * d.u[j]
}

// left returns the variance of the residual of a draw with leverage h, relative to that of its
// value, if the values scatter alike and independently around a surrogate.
//
// With H = X G⁻¹ Xᵀ W, the residuals are (1 - H) times the values. A draw of weight u and leverage
// h = u q, q = xᵀ G⁻¹ x, leaves 1 - 2 h + r with r = xᵀ G⁻¹ Xᵀ W² X G⁻¹ x. r is the mean weight of
// all draws under weights that sum to q: that of the draw itself is h, the mean of the others is
// taken to be the same for all draws, which makes the shares right on average and needs no other
// matrix. For equal weights it is exact: 1 - h. For pairs, u and u² are sums over both.
func (d *draws) left(j int, h float64) float64 {
	return (1 - h) * (1 - h + h*d.others*d.weight(j)/d.weightSquare(j))
}

// setOthers sets the mean weight of the other draws, for which left is right on average. It needs
// the leverages, unless all weights are equal.
func (d *draws) setOthers(ctx context.Context, inverse []float64) error {
	if d.others = d.u[0]; slices.Max(d.u)-slices.Min(d.u) <= 1e-12*d.others {
		return nil
	}
	k, sum, all := d.Coalitions.Instances(), 0.0, 0.0
	err := d.products(ctx, inverse, func(lo, hi int, b []float64) {
		for j := lo; j < hi; j++ {
			h := d.leverage(j, b[(j-lo)*k:(j-lo+1)*k])
			free := d.number[j] * h * (1 - h)
			sum += free * d.weightSquare(j) / d.weight(j)
			all += free
		}
	})
	if all > 0 {
		d.others = sum / all
	}
	return err
}

// leverage returns h of a draw, from 0 to 1, for b = G⁻¹ x (instance). A free intercept has a part
// in it, but not in the differences of pairs.
func (d *draws) leverage(j int, b []float64) float64 {
	q := 0.0
	switch {
	case d.centre == nil:
		q = -d.size[j] / float64(len(b)) * linear.Total(b)
	case d.Drawn.Paired:
		q = -linear.Total(b) / 2
	default:
		q = 1/d.total - dot(d.centre, b)
	}
	for w, word := range d.listed.Row(j) {
		for ; word != 0; word &= word - 1 {
			q += b[w*64+bits.TrailingZeros64(word)]
		}
	}
	return min(1, max(0, d.weight(j)*q))
}

// products calls f with A x for ranges of coalitions, shaped (coalition, instance), for a symmetric
// matrix A (instance, instance). x has the sign of the listed masks. f may change the products.
func (d *draws) products(
	ctx context.Context, a []float64, f func(lo, hi int, b []float64),
) error {
	n, k := d.Coalitions.Len(), d.Coalitions.Instances()
	shift := make([]float64, k)
	for i := range k {
		share := 1 / float64(k)
		if d.centre != nil {
			share = d.centre[i]
		}
		for l, v := range a[i*k : (i+1)*k] {
			shift[l] += share * v
		}
	}
	var b []float64
	return EachRange(ctx, n, k*lines(k), func(lo, hi int) {
		if b == nil {
			b = make([]float64, (hi-lo)*k)
		}
		part := b[:(hi-lo)*k]
		d.by.Sums(part, d.listed.Slice(lo, hi), a, k)
		for j := lo; j < hi; j++ {
			times := 1.0
			if d.centre == nil {
				times = d.size[j]
			}
			row := part[(j-lo)*k : (j-lo+1)*k]
			for i, v := range shift {
				row[i] -= times * v
			}
		}
		f(lo, hi, part)
	})
}
