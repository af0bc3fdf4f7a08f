package host

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/wire"
)

// judge evaluates rankings of a bag's instances in one game, so that they share cached values.
func (h *Host) judge(ctx context.Context, id uint32, r wire.Judge) (any, error) {
	defer h.closePool(id)
	m, in, err := h.input(id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	o, err := judging(r)
	if err != nil {
		return nil, err
	}
	// The number of evaluations is known before the bag is encoded.
	total, err := o.Evaluations(in.Bag.Len(), rankings(r))
	if err != nil {
		return nil, err
	}
	needs := func() (int64, error) { return m.Needs(ctx, in.Bag) }
	if err := fits(r, in.Bag.Len(), max(1, len(m.Info().Classes)), total, needs); err != nil {
		return nil, err
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	game := core.GameOptions{Output: core.Output(r.Output), Seed: r.Seed, Budget: r.Budget,
		Workers: h.workers(m)}
	// The total is the estimate, which does not change during the work.
	send := func(done int) { h.send(id, wire.Progress{Completed: done, Total: total}) }
	if r.Watch {
		show := paced(func(done, _ int) { send(done) })
		game.Progress = func(done, _ int) { show(done, total) }
	}
	g, err := core.NewGame(ev, game)
	if err != nil {
		return nil, err
	}
	out, err := judged(ctx, g, in.Bag, m.Info().Truth, r, o)
	if err != nil {
		return nil, err
	}
	// The total is an upper bound. The last progress must be complete nevertheless.
	if r.Watch && g.Evaluations() < total {
		send(total)
	}
	out.Classes, out.Instances = m.Info().Classes, in.Positions()
	return out, nil
}

// maxOrders bounds the random orders, so that the product with the number of instances does not
// overflow.
const maxOrders = 1 << 20

// judging returns the settings of a request, or a *core.SettingError.
func judging(r wire.Judge) (metric.Options, error) {
	o := metric.Options{Metrics: r.Metrics, Seed: r.Seed, Preset: methods.Preset(r.Preset),
		Strict: r.Strict, Orders: r.Orders}
	bad := func(setting, format string, args ...any) (metric.Options, error) {
		return o, &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
	}
	if slices.Contains(r.Metrics, "all") {
		// nil selects all metrics.
		o.Metrics = nil
	} else if len(r.Metrics) == 0 {
		return bad("metrics", "no metric is given; name at least one")
	}
	switch {
	case r.Orders < 0 || r.Orders > maxOrders:
		return bad("orders", "%d is not between 1 and %d", r.Orders, maxOrders)
	case len(r.Rankings) == 0:
		return bad("rankings", "no ranking is given; give at least one")
	case !slices.Contains([]methods.Preset{"", methods.PresetPaper, methods.PresetReference},
		o.Preset):
		return bad("preset", "%q is not one of %s, %s", r.Preset, methods.PresetPaper,
			methods.PresetReference)
	}
	return o, nil
}

// rankings returns an upper bound of the number of rankings: with references, two more for each
// class.
func rankings(r wire.Judge) int {
	if r.References {
		return 3 * len(r.Rankings)
	}
	return len(r.Rankings)
}

// coalitionMemory bounds the memory of a game's cache if the request sets no bound. It leaves room
// for a bag in a 32-bit address space.
const coalitionMemory = 1 << 30

// coalitionBytes returns the memory of a coalition in a game's cache: its bits and a value for each
// class, twice because lists double while they grow.
func coalitionBytes(k, classes int) int64 { return 2 * (8*int64((k+63)/64) + 8*int64(classes)) }

// fits returns a *quota.MemoryError if the evaluations need too much memory. The random orders take
// 8 bytes for each instance.
func fits(r wire.Judge, k, classes, evaluations int, needs func() (int64, error)) error {
	each := float64(coalitionBytes(k, classes))
	// Floating-point numbers do not overflow for large requests.
	wanted, limit := float64(evaluations)*each+8*float64(r.Orders)*float64(k),
		float64(coalitionMemory)
	if r.Memory > 0 {
		held, err := needs()
		if err != nil {
			return err
		}
		wanted, limit = wanted+float64(held), float64(r.Memory)
	}
	if wanted <= limit {
		return nil
	}
	return &quota.MemoryError{Needed: int64(min(wanted, 1<<62)), Limit: int64(limit), Instances: k,
		Advice: "judge fewer rankings at a time or with fewer orders"}
}

// judged computes the metrics of all rankings, and of the references if they are requested.
func judged(
	ctx context.Context, g *core.Game, bag *core.Bag, truth []core.Truth, r wire.Judge,
	o metric.Options,
) (out wire.Judged, err error) {
	list := listOf(r.Rankings, func(s wire.Ranking) core.Explanation {
		e := core.Explanation{Method: s.Method, Class: s.Class, Scores: s.Scores, R2: math.NaN()}
		if s.R2 != nil {
			e.R2 = *s.R2
		}
		return e
	})
	if err := metric.Check(g, list); err != nil {
		return out, err
	}
	j, err := metric.NewBagMetrics(ctx, g, bag, truth, o)
	if err != nil {
		return out, err
	}
	if r.References {
		list = append(list, j.References(list)...)
	}
	for _, e := range list {
		row, err := j.Row(ctx, e)
		if err != nil {
			return out, err
		}
		one := wire.Judgement{Row: row}
		if b := j.Baseline(); b != nil { // otherwise no metric needs random orders
			if spread, ok := b.Spread(row.Class); ok {
				one.Spread = &spread
			}
		}
		out.Judgements = append(out.Judgements, one)
	}
	out.Random = bands(j.Baseline(), list)
	out.Output, out.Evaluations, out.Seed = string(g.Output()), g.Evaluations(), r.Seed
	return out, nil
}

// bands returns the mean random curve of each judged class, in ascending order.
func bands(b *metric.Baseline, list []core.Explanation) []wire.Band {
	if b == nil {
		return nil
	}
	// Several methods can have the same class.
	classes := listOf(list, func(e core.Explanation) int { return e.Class })
	slices.Sort(classes)
	return listOf(slices.Compact(classes), func(c int) wire.Band {
		mean, deviation := b.Curve(c)
		return wire.Band{Class: c, Mean: mean, Deviation: deviation}
	})
}
