package metric

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A judge holds what all explanations of one bag share: ties, random orders and their curves.
type judge struct {
	game    *core.Game
	bag     *core.Bag
	truth   []core.Truth
	options Options
	wanted  map[string]bool

	ties      []int
	baseline  *Baseline
	predicted int     // class of the highest value, where MILLET's AOPCR is wanted
	random    [][]int // MILLET's random orders
}

// prepare draws the orders that all rows share and evaluates the random ones.
func (j *judge) prepare(ctx context.Context) error {
	k := j.bag.Len()
	j.ties = stream(j.options.Seed, j.bag, "metric/ties").Perm(k)
	if j.wanted[NameAOPCR] {
		n := j.options.Orders
		if n <= 0 {
			n = 10
		}
		orders := perms(stream(j.options.Seed, j.bag, "metric/aopc-r"), n, k)
		baseline, err := NewBaseline(ctx, j.game, orders, j.options.Preset == core.PresetReference)
		if err != nil {
			return err
		}
		j.baseline = baseline
	}
	if j.wanted[NameMilletAOPCR] {
		full, err := j.game.Full(ctx)
		if err != nil {
			return err
		}
		j.predicted = slices.Index(full, slices.Max(full))
		j.random = perms(stream(j.options.Seed, j.bag, "metric/millet-aopcr"), milletOrders, k)
	}
	return nil
}

func (j *judge) relevance(class int) []Relevance {
	return Relevances(j.bag.Labels, j.truth, class, j.game.Negative(), j.options.Strict)
}

// row judges one explanation by every wanted metric that is defined for it.
func (j *judge) row(ctx context.Context, e core.Explanation) (Row, error) {
	row := Row{Method: e.Method, Class: e.Class}
	order := Order(e.Scores, j.ties)
	rel := j.relevance(e.Class)
	if err := j.curves(ctx, &row, order); err != nil {
		return Row{}, err
	}
	set := func(name string, score float64, ok bool) {
		if ok && j.wanted[name] {
			labels := name == NameNDCG || name == NameAUPRC
			row.Values = append(row.Values, Value{Metric: name, Score: score, Trivial: labels && Trivial(rel)})
		}
	}
	// In the order of the table of metrics.
	ndcg, ok := NDCG(order, rel)
	set(NameNDCG, ndcg, ok)
	if j.baseline != nil {
		aopcr, ok := j.baseline.AOPCR(row.MoRF, e.Class)
		set(NameAOPCR, aopcr, ok)
	}
	srg, ok := SRG(row.MoRF, row.LeRF)
	set(NameSRG, srg, ok)
	insertion, ok := Insertion(row.LeRF)
	set(NameInsertion, insertion, ok)
	deletion, ok := Deletion(row.MoRF)
	set(NameDeletion, deletion, ok)
	auprc, ok := AUPRC(e.Scores, rel)
	set(NameAUPRC, auprc, ok)
	set(NameR2, e.R2, !math.IsNaN(e.R2))
	if j.wanted[NameMilletAOPCR] && e.Class == j.predicted && j.bag.Len() > 1 {
		millet, err := MilletAOPCR(ctx, j.game, order, j.random, e.Class)
		if err != nil {
			return Row{}, err
		}
		set(NameMilletAOPCR, millet, true)
	}
	return row, nil
}

// curves evaluates the curves that the wanted metrics read.
func (j *judge) curves(ctx context.Context, row *Row, order []int) error {
	curve := func(order []int) ([]float64, error) {
		values, err := Removal(ctx, j.game, order)
		if err != nil {
			return nil, err
		}
		return column(values, j.game.Classes(), row.Class), nil
	}
	var err error
	if j.wanted[NameAOPCR] || j.wanted[NameSRG] || j.wanted[NameDeletion] {
		if row.MoRF, err = curve(order); err != nil {
			return err
		}
	}
	if j.wanted[NameSRG] || j.wanted[NameInsertion] {
		last := slices.Clone(order)
		slices.Reverse(last)
		row.LeRF, err = curve(last)
	}
	return err
}
