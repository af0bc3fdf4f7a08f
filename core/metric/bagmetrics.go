package metric

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// BagMetrics computes the metrics of explanations of one bag, one after another. They share ties,
// random orders and the curves of these orders, which are evaluated once.
type BagMetrics struct {
	game      *core.Game
	bag       *core.Bag
	truth     []core.Truth
	options   Options
	requested map[string]bool

	ties      []int
	baseline  *Baseline
	predicted []bool  // (class) highest value of its head; set only for MILLET's AOPCR
	random    [][]int // MILLET's random orders
}

// NewBagMetrics returns the BagMetrics of a bag. It draws and evaluates the random orders for
// comparison. The game must be the game of the bag; it caches the values of removal curves. truth
// may be nil.
//
// Errors: *core.SettingError for an unknown metric, *core.BagError if bag and game differ in size
// or the bag is too large for a curve, and those of (*core.Game).Values.
func NewBagMetrics(
	ctx context.Context, g *core.Game, bag *core.Bag, truth []core.Truth, o Options,
) (*BagMetrics, error) {
	requested, err := choose(o.Metrics)
	if err != nil {
		return nil, err
	}
	if bag.Len() != g.Instances() {
		return nil, &core.BagError{Bag: bag.Name,
			Reason: fmt.Sprintf("it has %d instances, but the game has %d", bag.Len(),
				g.Instances())}
	}
	if bag.Labels != nil && len(bag.Labels) != bag.Len() {
		return nil, &core.BagError{Bag: bag.Name,
			Reason: fmt.Sprintf("it has %d instance labels for %d instances", len(bag.Labels),
				bag.Len())}
	}
	j := &BagMetrics{game: g, bag: bag, truth: truth, options: o, requested: requested}
	return j, j.prepare(ctx)
}

// prepare draws the order of ties and the random orders, and evaluates the random orders of AOPC-R.
func (j *BagMetrics) prepare(ctx context.Context) error {
	k := j.bag.Len()
	j.ties = stream(j.options.Seed, j.bag, "metric/ties").Perm(k)
	if j.requested[NameAOPCR] {
		orders := perms(stream(j.options.Seed, j.bag, "metric/aopc-r"), j.options.orders(), k)
		baseline, err := NewBaseline(ctx, j.game, orders,
			j.options.Preset == methods.PresetReference)
		if err != nil {
			return err
		}
		j.baseline = baseline
	}
	if j.requested[NameMilletAOPCR] {
		full, err := j.game.Full(ctx)
		if err != nil {
			return err
		}
		for c := range full {
			first, end := j.game.Range(c)
			of := full[first:end]
			j.predicted = append(j.predicted, slices.Index(of, slices.Max(of)) == c-first)
		}
		j.random = perms(stream(j.options.Seed, j.bag, "metric/millet-aopcr"), milletOrders, k)
	}
	return nil
}

// relevance returns the relevance of each instance for a class, or nil without labels.
func (j *BagMetrics) relevance(class int) []Relevance {
	return Relevances(j.bag.Labels, j.truth, class, j.game.Head(class).Negative, j.options.Strict)
}

// Baseline returns the baseline of AOPC-R, or nil if the metric is not requested.
func (j *BagMetrics) Baseline() *Baseline { return j.baseline }

// Row returns the requested metrics of one explanation that are defined for it. Errors:
// *ScoresError for an explanation with another number of scores or with NaN, and those of
// (*core.Game).Values.
func (j *BagMetrics) Row(ctx context.Context, e core.Explanation) (Row, error) {
	if err := check(e, j.game); err != nil {
		return Row{}, err
	}
	row := Row{Method: e.Method, Class: e.Class}
	order := Order(e.Scores, j.ties)
	rel := j.relevance(e.Class)
	if err := j.curves(ctx, &row, order); err != nil {
		return Row{}, err
	}
	add := func(name string, score float64) {
		trivial := (name == NameNDCG || name == NameAUPRC) && Trivial(rel)
		row.Values = append(row.Values, Value{name, score, trivial})
	}
	for _, metric := range []struct { // the order is that of the table of metrics
		name  string
		value func() (value float64, ok bool)
	}{
		{NameNDCG, func() (float64, bool) { return NDCG(order, rel) }},
		{NameAOPCR, func() (float64, bool) { return j.baseline.AOPCR(row.MoRF, e.Class) }},
		{NameSRG, func() (float64, bool) { return SRG(row.MoRF, row.LeRF) }},
		{NameInsertion, func() (float64, bool) { return Insertion(row.LeRF) }},
		{NameDeletion, func() (float64, bool) { return Deletion(row.MoRF) }},
		{NameAUPRC, func() (float64, bool) { return AUPRC(e.Scores, rel) }},
		{NameR2, func() (float64, bool) { return e.R2, !math.IsNaN(e.R2) }},
	} {
		if !j.requested[metric.name] {
			continue
		}
		if value, ok := metric.value(); ok {
			add(metric.name, value)
		}
	}
	if j.requested[NameMilletAOPCR] && j.predicted[e.Class] && j.bag.Len() > 1 {
		millet, err := MilletAOPCR(ctx, j.game, order, j.random, e.Class)
		if err != nil {
			return Row{}, err
		}
		add(NameMilletAOPCR, millet)
	}
	return row, nil
}

// curves evaluates the removal curves that the requested metrics need.
func (j *BagMetrics) curves(ctx context.Context, row *Row, order []int) error {
	curve := func(order []int) ([]float64, error) {
		values, err := Removal(ctx, j.game, order)
		if err != nil {
			return nil, err
		}
		return column(values, j.game.Classes(), row.Class), nil
	}
	var err error
	if j.requested[NameAOPCR] || j.requested[NameSRG] || j.requested[NameDeletion] {
		if row.MoRF, err = curve(order); err != nil {
			return err
		}
	}
	if j.requested[NameSRG] || j.requested[NameInsertion] {
		last := slices.Clone(order)
		slices.Reverse(last)
		row.LeRF, err = curve(last)
	}
	return err
}
