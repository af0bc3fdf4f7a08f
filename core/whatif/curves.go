package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// A CurvesQuestion asks how the answer for a class depends on the number of instances.
type CurvesQuestion struct {
	Class int
	// Scores are those of a map, whose order is compared; nil leaves it out.
	Scores []float64
}

// Curves are the values of a class by the number of instances that are kept, and that are removed.
type Curves struct {
	Class   int
	Unit    core.Unit
	Kept    []CurvePoint // points from the smallest bag that the model takes to the whole bag
	Removed []CurvePoint // points from the whole bag to the smallest bag that the model takes
	// Evaluations is the number of coalitions that the model scored for this question.
	Evaluations int
}

// A CurvePoint is the value of the class if so many instances are kept, or removed: the first ones
// of an order.
type CurvePoint struct {
	Instances int
	Best      float64 // value in the order of a greedy search
	Map       float64 // value in the order of the map's scores; NaN without a map
	Random    float64 // the mean over random orders
}

const (
	curvePoints = 33 // points of a curve, the whole bag included
	curveOrders = 10 // random orders
)

// Answer returns the curves of a class. The best order is the better one of two greedy orders, from
// the first instance on and from the last. In large bags the search goes as far as two million
// evaluations allow, and takes the other instances in the order of its last step. Points of bags
// without an answer lie on the straight line between the points before and after them.
//
// Errors: a *SettingError for a class that does not exist or scores of another length, and those of
// [core.Game.Removable] and [core.Game.Values].
func (q CurvesQuestion) Answer(ctx context.Context, g *core.Game) (*Curves, error) {
	k := g.Instances()
	if q.Scores != nil && len(q.Scores) != k {
		return nil, &core.SettingError{Setting: "scores", Reason: fmt.Sprintf(
			"there are %d for %d instances", len(q.Scores), k)}
	}
	if err := g.Removable(""); err != nil {
		return nil, err
	}
	level := 0.5 // the order does not depend on it
	to, err := newGoal(g, q.Class, &level, false)
	if err != nil {
		return nil, err
	}
	before := g.Evaluations()
	out := &Curves{Class: q.Class, Unit: g.HeadUnit()}
	if out.Kept, err = q.curve(ctx, g, to); err != nil {
		return nil, err
	}
	to.opposite = true
	if out.Removed, err = q.curve(ctx, g, to); err != nil {
		return nil, err
	}
	out.Evaluations = g.Evaluations() - before
	return out, nil
}

// curve returns the points of one curve: of removed instances if the goal is the opposite.
func (q CurvesQuestion) curve(ctx context.Context, g *core.Game, to goal) ([]CurvePoint, error) {
	k, least := g.Instances(), g.LeastBag()
	low, high := least, k // sizes of the set that is kept or removed
	if to.opposite {
		low, high = 0, k-least
	}
	forward, err := greedyOrder(ctx, g, to, high, to.opposite)
	if err != nil {
		return nil, err
	}
	backward, err := greedyOrder(ctx, g, to, k-low, !to.opposite)
	if err != nil {
		return nil, err
	}
	slices.Reverse(backward)
	orders := [][]int{forward, backward}
	if q.Scores != nil {
		orders = append(orders, core.Order(q.Scores, g.Rand("curve ties")))
	}
	rng := g.Rand("curve orders")
	for range curveOrders {
		orders = append(orders, rng.Perm(k))
	}
	sizes := pointsBetween(low, high)
	z := core.NewCoalitions(k, len(orders)*len(sizes))
	for _, order := range orders {
		for _, n := range sizes {
			if to.opposite {
				z.AppendWithout(order[:n]...)
			} else {
				z.AppendMembers(order[:n]...)
			}
		}
	}
	values, err := g.Answers(ctx, z)
	if err != nil {
		return nil, err
	}
	column := linear.Column(values, g.Classes(), q.Class) // (order, size)
	for curve := range slices.Chunk(column, len(sizes)) {
		if to.opposite { // the whole bag, which has an answer, is first
			stats.Bridge(curve)
			continue
		}
		slices.Reverse(curve)
		slices.Reverse(stats.Bridge(curve))
	}
	at := func(order, n int) float64 { return column[order*len(sizes)+n] }
	best, gain := 0, 0.0 // of the backward order
	for n := range sizes {
		gain += at(1, n) - at(0, n)
	}
	if gain > 0 != to.opposite {
		best = 1
	}
	var out []CurvePoint
	for n, size := range sizes {
		p := CurvePoint{Instances: size, Best: at(best, n), Map: math.NaN()}
		if q.Scores != nil {
			p.Map = at(2, n)
		}
		for order := len(orders) - curveOrders; order < len(orders); order++ {
			p.Random += at(order, n) / curveOrders
		}
		out = append(out, p)
	}
	return out, nil
}

// pointsBetween returns up to curvePoints numbers from low to high.
func pointsBetween(low, high int) []int {
	steps := min(curvePoints-1, high-low)
	out := []int{low}
	for n := 1; n <= steps; n++ {
		out = append(out, low+n*(high-low)/steps)
	}
	return out
}

// greedyOrder returns all instances in the order of a greedy search for up to most changes, of the
// whole bag or of the empty one.
func greedyOrder(
	ctx context.Context, g *core.Game, to goal, most int, whole bool,
) ([]int, error) {
	k := g.Instances()
	base := make([]uint64, (k+63)/64)
	if whole {
		rows.Fill(base, k)
	}
	s := newSearch(g, to, base, func(int) bool { return true })
	s.left = s.left * 2 / 3
	order, err := s.first(ctx)
	if err != nil {
		return nil, err
	}
	var last []float64
	for len(order) < most {
		scores, ok, err := s.scores(ctx, order)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		last = append(last[:0], scores...)
		next := s.best(scores, order, 0)
		if next < 0 {
			break
		}
		order = append(order, next)
	}
	chosen := make([]bool, k)
	for _, i := range order {
		chosen[i] = true
	}
	rest := s.order
	if last != nil {
		rest = core.OrderTies(last[:k], s.order)
	}
	for _, i := range rest {
		if !chosen[i] {
			order = append(order, i)
		}
	}
	return order, nil
}
