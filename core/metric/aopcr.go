package metric

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// A Baseline holds the mean AOPC of random rankings of one bag, which AOPC-R subtracts. All methods
// and classes share one baseline, so that their values are comparable.
type Baseline struct {
	byK    bool
	mean   []float64 // (class), nil when k < 2
	areas  moments   // (class) of AOPC
	curves moments   // (m, class) of the values of the curves
}

// NewBaseline evaluates the given rankings. byK has the meaning that it has in AOPC. Errors are
// those of Removal.
func NewBaseline(ctx context.Context, g *core.Game, orders [][]int, byK bool) (*Baseline, error) {
	b := &Baseline{byK: byK}
	if g.Instances() < 2 || len(orders) == 0 {
		return b, nil
	}
	b.mean = make([]float64, g.Classes())
	for _, order := range orders {
		values, err := Removal(ctx, g, order)
		if err != nil {
			return nil, err
		}
		areas := make([]float64, g.Classes())
		for class := range b.mean {
			areas[class], _ = AOPC(column(values, g.Classes(), class), byK)
			b.mean[class] += areas[class] / float64(len(orders))
		}
		b.areas.add(areas)
		b.curves.add(values)
	}
	return b, nil
}

// Spread returns the standard deviation of a class's AOPC over the n random rankings. The standard
// error of AOPC-R, the mean difference to them, is Spread/sqrt(n). For fewer than two rankings or
// two instances, ok is false.
func (b *Baseline) Spread(class int) (value float64, ok bool) {
	if b.areas.n < 2 {
		return 0, false
	}
	return b.areas.deviation(class), true
}

// Curve returns the mean value of a class when m random instances are removed, and its standard
// deviation over the rankings, both for m = 0..k-1. A MoRF curve inside this band is no better than
// a random order. deviation is nil for a single ranking; both are nil for fewer than two instances.
func (b *Baseline) Curve(class int) (mean, deviation []float64) {
	for at := class; at < len(b.curves.mean); at += len(b.mean) {
		mean = append(mean, b.curves.mean[at])
		if b.curves.n > 1 {
			deviation = append(deviation, b.curves.deviation(at))
		}
	}
	return mean, deviation
}

// AOPCR returns AOPC-R of a MoRF curve (m = 0..k-1) of a class: the mean of AOPC(order) -
// AOPC(random) over the baseline's random rankings (the paper, section 4.2). Its expectation is 0
// for a random ranking. For fewer than two instances, ok is false.
func (b *Baseline) AOPCR(morf []float64, class int) (value float64, ok bool) {
	area, ok := AOPC(morf, b.byK)
	if !ok || b.mean == nil {
		return 0, false
	}
	return area - b.mean[class], true
}

// The protocol of MILLET: steps of one twentieth of the bag, until half of it is removed.
const (
	milletParts  = 20
	milletPoints = milletParts/2 + 1 // including the full bag
	milletOrders = 3
)

// MilletAOPC returns the area over the removal curve of a class in MILLET's protocol. It removes
// half of the bag in ten steps of 5 %, rounded down, and divides the sum of the ten losses by the
// eleven points of the curve. Values are in the game's output. MILLET's published figures use
// logits; to compare with them, use a game with core.OutputLogit. Errors are those of Removal.
//
// (Early et al., Inherently Interpretable Time Series Classification via Multiple Instance
// Learning, ICLR 2024, and its code.)
func MilletAOPC(ctx context.Context, g *core.Game, order []int, class int) (float64, error) {
	k := g.Instances()
	values, err := removal(ctx, g, order, milletPoints,
		func(s int) int { return s * k / milletParts })
	if err != nil {
		return 0, err
	}
	area, _ := AOPC(column(values, g.Classes(), class), true)
	return area, nil
}

// MilletAOPCR returns MilletAOPC of a ranking minus its mean over random rankings. MILLET uses
// three random rankings and the predicted class. random holds rankings like order, which are
// permutations of the instances; without any, the result is MilletAOPC. Errors are those of
// Removal.
func MilletAOPCR(
	ctx context.Context, g *core.Game, order []int, random [][]int, class int,
) (float64, error) {
	area, err := MilletAOPC(ctx, g, order, class)
	if err != nil {
		return 0, err
	}
	for _, r := range random {
		a, err := MilletAOPC(ctx, g, r, class)
		if err != nil {
			return 0, err
		}
		area -= a / float64(len(random))
	}
	return area, nil
}
