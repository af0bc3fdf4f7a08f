package ask

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
)

// A Judging is the question how faithful rankings of the instances of a bag are.
type Judging struct {
	Rankings []Ranking
	Metrics  []string // names, or all
	Orders   int      // random orders of AOPC-R, 0 for 10
	// References adds a random ranking of each class, and the ranking by true relevance if the bag
	// has labels.
	References bool
	Preset     string
	Strict     bool
	Output     string
	Seed       uint64
	Budget     int // most evaluations, 0 for no limit
	Memory     int // most bytes of the bag and its coalitions, 0 for 1 GiB of coalitions
}

// Ranking holds the scores that order the instances, and the fit of the surrogate if there is one.
type Ranking struct {
	Method string
	Class  int
	Scores []float64
	R2     *float64
}

// Judged holds the metrics of rankings.
type Judged struct {
	// In the order of the rankings, then those of the references.
	Judgements  []Judgement
	Random      []RandomCurve // one for each judged class if AOPC-R is requested
	Output      core.Output   // "mixed" if the heads of the model have different ones
	Evaluations int           // number of distinct coalitions that the model scored
	Seed        uint64
	Classes     []string // class names
	Instances   []int    // the ranked instances of the bag
}

// The parts of Judged.
type (
	// Judgement holds the metrics of one ranking.
	Judgement struct {
		Method string
		Class  int
		// Value of each metric. Undefined metrics are missing: ndcg and auprc without labels or
		// supporting instances, curves of a single instance, r2 of a method without a surrogate,
		// millet_aopcr of a class that is not predicted.
		Values map[string]Number `ts:"{ [M in MetricName]?: number }"`
		// Standard deviation, over the random orders, of the differences whose mean aopc_r is; null
		// without aopc_r or with one order. The standard error of aopc_r is this divided by the
		// square root of the number of orders.
		Spread *float64
		// True if all labelled instances support the class, so that every ranking has the same ndcg
		// and auprc.
		Trivial bool
		// Value of the class without the m most relevant instances, m = 0..k-1; null if no metric
		// needs it.
		MoRF []float64 `js:"morf" ts:"number[] | null"`
		// Value of the class without the m least relevant instances, m = 0..k-1; null if no metric
		// needs it.
		LeRF []float64 `js:"lerf" ts:"number[] | null"`
	}
	// RandomCurve is the mean removal curve of random orders.
	RandomCurve struct {
		Class int
		// Mean value of the class without m instances, m = 0..k-1.
		Mean []float64 `ts:"number[]"`
		// Standard deviation over the orders, or null for a single order.
		Deviation []float64 `ts:"number[] | null"`
	}
)

// Answer evaluates the rankings in one game, so that they share values. It calls progress, unless
// it is nil, with the number of evaluations and an upper bound of them, which it reaches at the
// end. 0 workers means one for each processor.
//
// Errors: *core.SettingError, *quota.MemoryError before the bag is encoded, and those of the
// binding and of metric.NewBagMetrics.
func (j *Judging) Answer(
	ctx context.Context, in *Input, workers int, progress func(done, total int),
) (*Judged, error) {
	o, err := j.options()
	if err != nil {
		return nil, err
	}
	total, err := o.Evaluations(in.Bag.Len(), j.mostRankings())
	if err != nil {
		return nil, err
	}
	if err := j.fits(ctx, in, total); err != nil {
		return nil, err
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	game := core.GameOptions{Output: core.Output(j.Output), Seed: j.Seed, Budget: j.Budget,
		Workers: workers}
	if progress != nil {
		game.Progress = func(done, _ int) { progress(done, total) }
	}
	g, err := core.NewGame(ev, game)
	if err != nil {
		return nil, err
	}
	out, err := j.judged(ctx, g, in, o)
	if err == nil && progress != nil && g.Evaluations() < total {
		progress(total, total)
	}
	return out, err
}

// mostOrders bounds the random orders, so that the product with the number of instances does not
// overflow.
const mostOrders = 1 << 20

// options returns the settings of the metrics, or a *core.SettingError.
func (j *Judging) options() (metric.Options, error) {
	o := metric.Options{Metrics: j.Metrics, Seed: j.Seed, Preset: methods.Preset(j.Preset),
		Strict: j.Strict, Orders: j.Orders}
	if slices.Contains(j.Metrics, "all") {
		o.Metrics = nil // nil selects all metrics
	} else if len(j.Metrics) == 0 {
		return o, wrong("metrics", "no metric is given; name at least one")
	}
	switch {
	case j.Orders < 0 || j.Orders > mostOrders:
		return o, wrong("orders", "%d is not between 1 and %d", j.Orders, mostOrders)
	case len(j.Rankings) == 0:
		return o, wrong("rankings", "no ranking is given; give at least one")
	case !slices.Contains([]methods.Preset{"", methods.PresetPaper, methods.PresetReference},
		o.Preset):
		return o, wrong("preset", "%q is not one of %s, %s", j.Preset, methods.PresetPaper,
			methods.PresetReference)
	}
	return o, nil
}

// mostRankings returns an upper bound of the number of rankings: with references, two more for each
// class.
func (j *Judging) mostRankings() int {
	if j.References {
		return 3 * len(j.Rankings)
	}
	return len(j.Rankings)
}

// fits returns a *quota.MemoryError if the evaluations need too much memory. The random orders take
// 8 bytes for each instance.
func (j *Judging) fits(ctx context.Context, in *Input, evaluations int) error {
	k := in.Bag.Len()
	each := float64(CoalitionBytes(k, max(1, len(in.Engine.Info().Classes))))
	// Floating-point numbers do not overflow for large requests.
	needed, limit := float64(evaluations)*each+8*float64(j.Orders)*float64(k),
		float64(CoalitionMemory)
	if j.Memory > 0 {
		held, err := in.Engine.Needs(ctx, in.Bag)
		if err != nil {
			return err
		}
		needed, limit = needed+float64(held), float64(j.Memory)
	}
	if needed <= limit {
		return nil
	}
	return &quota.MemoryError{Needed: int64(min(needed, 1<<62)), Limit: int64(limit), Instances: k,
		Advice: "judge fewer rankings at a time or with fewer orders"}
}

// judged computes the metrics of all rankings, and of the references if they are requested.
func (j *Judging) judged(
	ctx context.Context, g *core.Game, in *Input, o metric.Options,
) (*Judged, error) {
	list := ListOf(j.Rankings, func(r Ranking) core.Explanation {
		e := core.Explanation{Method: r.Method, Class: r.Class, Scores: r.Scores, R2: math.NaN()}
		if r.R2 != nil {
			e.R2 = *r.R2
		}
		return e
	})
	if err := metric.Check(g, list); err != nil {
		return nil, err
	}
	info := in.Engine.Info()
	m, err := metric.NewBagMetrics(ctx, g, in.Bag, info.Truth, o)
	if err != nil {
		return nil, err
	}
	if j.References {
		list = append(list, m.References(list)...)
	}
	out := &Judged{Output: g.Output(), Seed: j.Seed, Classes: info.Classes,
		Instances: in.Positions()}
	for _, e := range list {
		row, err := m.Row(ctx, e)
		if err != nil {
			return nil, err
		}
		out.Judgements = append(out.Judgements, judgement(row, m.Baseline()))
	}
	out.Random = randomCurves(m.Baseline(), list)
	out.Evaluations = g.Evaluations()
	return out, nil
}

// judgement returns a row of metrics with the spread of its class, if AOPC-R is requested; else b
// is nil.
func judgement(row metric.Row, b *metric.Baseline) Judgement {
	out := Judgement{Method: row.Method, Class: row.Class, Values: map[string]Number{},
		MoRF: row.MoRF, LeRF: row.LeRF}
	for _, v := range row.Values {
		out.Values[metric.Info{Name: v.Metric}.Key()] = Number(v.Score)
		out.Trivial = out.Trivial || v.Trivial
	}
	if b != nil {
		if spread, ok := b.Spread(row.Class); ok {
			out.Spread = &spread
		}
	}
	return out
}

// randomCurves returns the mean random curve of each judged class, in ascending order.
func randomCurves(b *metric.Baseline, list []core.Explanation) []RandomCurve {
	if b == nil {
		return nil
	}
	// Several methods can have the same class.
	classes := ListOf(list, func(e core.Explanation) int { return e.Class })
	slices.Sort(classes)
	return ListOf(slices.Compact(classes), func(c int) RandomCurve {
		mean, deviation := b.Curve(c)
		return RandomCurve{Class: c, Mean: mean, Deviation: deviation}
	})
}
