package metric

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// A Baseline is the mean AOPC of random rankings of one bag, which AOPC-R subtracts. One baseline
// serves all methods and classes, so that they are compared on equal ground.
type Baseline struct {
	byK    bool
	mean   []float64 // (class), nil when k < 2
	areas  moments   // (class) of AOPC
	curves moments   // (m, class) of the values left
}

// NewBaseline evaluates the given rankings. byK divides as AOPC does.
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

// Spread returns the standard deviation of a class's AOPC over the random rankings, which is that of
// the differences whose mean AOPC-R is: n of them give AOPC-R a standard error of Spread/sqrt(n). It is
// not defined for fewer than two rankings or two instances: ok is false.
func (b *Baseline) Spread(class int) (value float64, ok bool) {
	if b.areas.n < 2 {
		return 0, false
	}
	return b.areas.deviation(class), true
}

// Curve returns what a class is worth on average as instances go at random, with its standard
// deviation over the rankings, both (m = 0..k-1): the band that a MoRF curve must leave to say
// anything. deviation is nil for a single ranking, both are nil for fewer than two instances.
func (b *Baseline) Curve(class int) (mean, deviation []float64) {
	for at := class; at < len(b.curves.mean); at += len(b.mean) {
		mean = append(mean, b.curves.mean[at])
		if b.curves.n > 1 {
			deviation = append(deviation, b.curves.deviation(at))
		}
	}
	return mean, deviation
}

// AOPCR returns AOPC-R of a MoRF curve (m = 0..k-1) of a class: the mean over the baseline's random
// rankings of AOPC(order) - AOPC(random). A random ranking scores 0 on average. It is not defined for
// fewer than two instances: ok is false. (The paper, section 4.2.)
func (b *Baseline) AOPCR(morf []float64, class int) (value float64, ok bool) {
	area, ok := AOPC(morf, b.byK)
	if !ok || b.mean == nil {
		return 0, false
	}
	return area - b.mean[class], true
}

// The protocol of MILLET: blocks of one twentieth of the bag, until half of it is gone.
const (
	milletParts  = 20
	milletPoints = milletParts/2 + 1 // with the full bag
	milletOrders = 3
)

// MilletAOPC returns, for one class, the area over the curve of removal in MILLET's protocol: in ten
// steps of 5 % of the bag, rounded down, until half of it is gone; the ten losses are summed and divided
// by the eleven points of the curve. It is measured on the game's output: MILLET's own figures are on
// logits, so make the game with core.OutputLogit to compare with them.
//
// (Early et al., Inherently Interpretable Time Series Classification via Multiple Instance Learning,
// ICLR 2024, and its code.)
func MilletAOPC(ctx context.Context, g *core.Game, order []int, class int) (float64, error) {
	k := g.Instances()
	values, err := removal(ctx, g, order, milletPoints, func(s int) int { return s * k / milletParts })
	if err != nil {
		return 0, err
	}
	area, _ := AOPC(column(values, g.Classes(), class), true)
	return area, nil
}

// MilletAOPCR returns MilletAOPC of a ranking minus its mean over random ones. MILLET takes three of
// them, and explains the predicted class.
func MilletAOPCR(ctx context.Context, g *core.Game, order []int, random [][]int, class int) (float64, error) {
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
