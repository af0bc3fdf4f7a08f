package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/whatif"
)

// A SetsAnswer holds the smallest sets that decide an answer.
type SetsAnswer struct {
	Answered
	// The value of the class that decides. If it is null, the class has to be the largest.
	Level      *Number    `json:"level"`
	Sufficient *SetList   `json:"sufficient,omitempty"` // null unless the kind was requested
	Necessary  *SetList   `json:"necessary,omitempty"`  // null unless the kind was requested
	Curves     *SetCurves `json:"curves,omitempty"`     // null unless they were requested
}

// The parts of a SetsAnswer.
type (
	// SetList holds the sets of one kind, with notes on the search.
	SetList struct {
		// Disjoint, each the smallest without the instances of the earlier ones; may be empty.
		Sets  []Decisive `json:"sets"`
		Notes []string   `json:"notes"`
	}
	// Decisive is a set of instances that decides the answer.
	Decisive struct {
		Instances []int    `json:"instances"` // ascending
		Value     Number   `json:"value"`     // value of the class after the change of the bag
		Values    []Number `json:"values"`    // value of each class after the change of the bag
		// True if all smaller sets were evaluated; else no smaller one was found.
		Smallest bool `json:"smallest"`
		// Number of instances up to which all sets were evaluated.
		Enumerated int `json:"enumerated"`
	}
	// SetCurves holds the values of the class by the number of instances that are kept, and
	// removed.
	SetCurves struct {
		Kept    []CurvePoint `json:"kept"`
		Removed []CurvePoint `json:"removed"`
	}
	// CurvePoint is the value of the class if the first instances of an order are kept, or removed.
	CurvePoint struct {
		Instances int    `json:"instances"` // number of these instances
		Best      Number `json:"best"`      // in the order of a greedy search
		// In the order of scores; null without scores.
		Map    Number `json:"map" ts:"number | null"`
		Random Number `json:"random"` // mean over ten random orders
	}
)

// SetsOptions are the options that whatif.SetsOptions declares.
type SetsOptions struct {
	Kind    *string  `json:"kind"`
	Level   *float64 `json:"level"`
	Several *int     `json:"several"`
	Curves  *bool    `json:"curves"`
}

// Sets answers the question for smallest sets. Errors are those of core.Game.Sets, of the binding,
// and *core.SettingError for options.
func (a *Ask) Sets(
	ctx context.Context, in *Input, o SetsOptions, progress func(done, total int),
) (*SetsAnswer, error) {
	if err := checkOptions(&o, whatif.SetsOptions()); err != nil {
		return nil, err
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	out := &SetsAnswer{}
	for _, kind := range []struct {
		kind whatif.SetKind
		to   **SetList
	}{{whatif.SetsSufficient, &out.Sufficient}, {whatif.SetsNecessary, &out.Necessary}} {
		if k := given(o.Kind); k != "" && k != "both" && k != string(kind.kind) {
			continue
		}
		s, err := whatif.SetsQuestion{Kind: kind.kind, Class: of.class, Level: o.Level,
			Several: given(o.Several)}.Answer(ctx, of.Game)
		if err != nil {
			return nil, err
		}
		list := &SetList{Sets: []Decisive{}, Notes: List(s.Notes)}
		for _, d := range s.Found {
			list.Sets = append(list.Sets, in.decisive(d, of.class))
		}
		*kind.to = list
		if s.Level != nil {
			level := Number(*s.Level)
			out.Level = &level
		}
	}
	if given(o.Curves) {
		if out.Curves, err = of.curves(ctx); err != nil {
			return nil, err
		}
	}
	out.Answered = of.end()
	return out, nil
}

// decisive returns the JSON of a set.
func (in *Input) decisive(d whatif.Decisive, class int) Decisive {
	return Decisive{Instances: ListOf(d.Instances, in.Position), Value: Number(d.Values[class]),
		Values: Numbers(d.Values), Smallest: d.Smallest, Enumerated: d.Enumerated}
}

// A CurvesAnswer holds the values of the class by the number of instances.
type CurvesAnswer struct {
	Answered
	SetCurves
}

// Curves answers by the number of instances that are kept, and removed, in the best order and in
// that of scores of the instances of the bag; nil leaves the second out. Errors are those of
// core.Game.Curves and of the binding.
func (a *Ask) Curves(
	ctx context.Context, in *Input, scores []float64, progress func(done, total int),
) (*CurvesAnswer, error) {
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	curves, err := of.curvesOf(ctx, scores)
	if err != nil {
		return nil, err
	}
	return &CurvesAnswer{of.end(), *curves}, nil
}

// curves returns the curves of the class, with the map of Consensus.
func (a *classGame) curves(ctx context.Context) (*SetCurves, error) {
	report, err := a.Explain(ctx, core.Request{Methods: []core.Method{methods.Consensus{}},
		Classes: []int{a.class}, SkipMissing: true})
	if err != nil {
		return nil, err
	}
	var scores []float64
	if len(report.Explanations) > 0 {
		scores = report.Explanations[0].Scores
	}
	return a.curvesOf(ctx, scores)
}

// curvesOf returns the curves of the class, with the map of scores unless they are nil.
func (a *classGame) curvesOf(ctx context.Context, scores []float64) (*SetCurves, error) {
	c, err := whatif.CurvesQuestion{Class: a.class, Scores: scores}.Answer(ctx, a.Game)
	if err != nil {
		return nil, err
	}
	point := func(p whatif.CurvePoint) CurvePoint {
		return CurvePoint{p.Instances, Number(p.Best), Number(p.Map), Number(p.Random)}
	}
	return &SetCurves{ListOf(c.Kept, point), ListOf(c.Removed, point)}, nil
}
