package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A CheckAnswer holds the sanity checks of a map. Correlations are rank correlations with the map
// of the bag.
type CheckAnswer struct {
	Answered
	Method string `json:"method" ts:"MethodName"`
	Seeds  Number `json:"seeds"` // correlation with the map of another seed
	// The map of models with random layers has to differ. It is null if no weights can be shuffled.
	Layers *LayersCheck `json:"layers,omitempty"`
	// Small noise in the instances must not change the map more than another seed does.
	Noise NoiseCheck `json:"noise"`
	// The map has to follow a mark in some instances if the prediction does.
	Mark MarkCheck `json:"mark"`
}

// The parts of a CheckAnswer.
type (
	// LayersCheck compares the map with those of models with random layers.
	LayersCheck struct {
		// Numbers of random layers, counted from the output, and the mean correlations.
		Steps    []LayersStep `json:"steps"`
		Passed   bool         `json:"passed"`
		Sentence string       `json:"sentence"` // what the result means
	}
	// LayersStep is the comparison with models of so many random layers.
	LayersStep struct {
		Layers      int    `json:"layers"` // number of layers, counted from the output
		Correlation Number `json:"correlation"`
	}
	// NoiseCheck compares the map with those of bags with noise.
	NoiseCheck struct {
		Noise       Number `json:"noise"` // standard deviation, relative to that of the values
		Correlation Number `json:"correlation"`
		Change      Number `json:"change"` // the largest change of the prediction
		Passed      bool   `json:"passed"`
		Sentence    string `json:"sentence"` // what the result means
	}
	// MarkCheck compares the map with that of a bag with marks.
	MarkCheck struct {
		Instances []int  `json:"instances"` // the marked ones
		Change    Number `json:"change"`    // change of the prediction
		// Mean change of their scores, relative to the largest score.
		Scores     Number `json:"scores"`
		Prediction bool   `json:"prediction"` // true if the prediction follows
		Map        bool   `json:"map"`        // true if the map follows
		Passed     bool   `json:"passed"`
		Sentence   string `json:"sentence"` // what the result means
	}
)

// layered is an Engine whose weights can be shuffled.
type layered interface{ Layers() int }

// CheckOptions are the options that metric.CheckOptions declares.
type CheckOptions struct {
	Method *string  `json:"method"`
	Noise  *float64 `json:"noise"`
	Marked *float64 `json:"marked"`
}

// Check runs the sanity checks of a map. Errors are those of metric.CheckMap, of the binding, and
// *core.SettingError for options.
func (a *Ask) Check(
	ctx context.Context, in *Input, o CheckOptions, progress func(done, total int),
) (*CheckAnswer, error) {
	if err := checkOptions(&o, metric.CheckOptions()); err != nil {
		return nil, err
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	q := metric.CheckQuestion{Class: of.class, Noise: given(o.Noise), Marked: given(o.Marked)}
	if o.Method != nil {
		methods, err := methods.New([]string{*o.Method}, methods.Options{})
		if err != nil {
			return nil, err
		}
		q.Method = methods[0]
	}
	if m, ok := in.Engine.(layered); ok {
		q.Layers = m.Layers()
	}
	if in.Randomised != nil {
		q.Randomised = func(ctx context.Context, n int, seed uint64) (core.Model, error) {
			return in.Randomised(ctx, onnxbackend.Randomize{Layers: n, Seed: seed})
		}
	}
	c, err := metric.CheckMap(ctx, in.Engine, in.Bag, q, a.game(progress))
	if err != nil {
		return nil, err
	}
	out := &CheckAnswer{Answered: of.end(c.Notes...), Method: c.Method, Seeds: Number(c.Seeds)}
	out.Evaluations += c.Evaluations
	if l := c.Layers; l != nil {
		out.Layers = &LayersCheck{ListOf(l.Steps, func(s metric.LayersStep) LayersStep {
			return LayersStep{s.Layers, Number(s.Correlation)}
		}), l.Passed, l.Sentence}
	}
	n, m := c.Noise, c.Mark
	out.Noise = NoiseCheck{Number(n.Noise), Number(n.Correlation), Number(n.Change), n.Passed,
		n.Sentence}
	out.Mark = MarkCheck{ListOf(m.Instances, in.Position), Number(m.Change), Number(m.Scores),
		m.Prediction, m.Map, m.Passed, m.Sentence}
	return out, nil
}
