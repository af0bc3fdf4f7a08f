package ask

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
)

// An Ensemble is several models as one Engine, see core.Ensemble. Its card is that of the first.
type Ensemble struct{ *core.Ensemble }

var _ Engine = Ensemble{}

// NewEnsemble returns the only model of a list, or the ensemble of several. mean is a core.Mean, ""
// for the default. Errors are those of core.NewEnsemble, and a *core.SettingError for another mean
// than the default of one model.
func NewEnsemble(models []Engine, mean string) (Engine, error) {
	if len(models) == 1 {
		if mean != "" && mean != string(core.MeanLogOdds) {
			return nil, &core.SettingError{Setting: "mean",
				Reason: "is that of several models, and there is one; omit it, or name more models"}
		}
		return models[0], nil
	}
	e, err := core.NewEnsemble(ListOf(models, func(m Engine) core.Model { return m }),
		core.Mean(mean))
	if err != nil {
		return nil, err
	}
	return Ensemble{e}, nil
}

// models returns the models.
func (e Ensemble) models() []Engine {
	return ListOf(e.Folds(), func(m core.Model) Engine { return m.(Engine) })
}

// Card implements Engine.
func (e Ensemble) Card() onnxbackend.Card { return e.models()[0].Card() }

// Needs implements Engine by the sum over the models.
func (e Ensemble) Needs(ctx context.Context, bag *core.Bag) (sum int64, err error) {
	for _, m := range e.models() {
		bytes, err := m.Needs(ctx, bag)
		if err != nil {
			return 0, err
		}
		sum += bytes
	}
	return sum, nil
}

// Layers returns the number of layers whose weights can be shuffled in every model, see layered.
func (e Ensemble) Layers() int {
	least := math.MaxInt
	for _, m := range e.models() {
		of, ok := m.(layered)
		if !ok {
			return 0
		}
		least = min(least, of.Layers())
	}
	return least
}

// Predict implements Engine. The outputs are those of all models, behind their numbers: 0/scores.
func (e Ensemble) Predict(
	ctx context.Context, bag *core.Bag,
) (*onnxbackend.Prediction, error) {
	var all []*onnxbackend.Prediction
	ev, err := e.BindBy(ctx, func(m core.Model) (core.Evaluator, error) {
		p, err := m.(Engine).Predict(ctx, bag)
		all = append(all, p)
		return predicted{p, bag.Len(), m.Info().Negative}, err
	})
	if err != nil {
		return nil, err
	}
	ev = core.Apart(ev)
	z := core.NewCoalitions(bag.Len(), 1)
	z.AppendWithout()
	scores := make([]float64, ev.Task().Classes)
	if err := ev.Evaluate(ctx, scores, z); err != nil {
		return nil, err
	}
	c := len(all[0].Scores)
	p := &onnxbackend.Prediction{Scores: scores[:c], Classes: all[0].Classes,
		Scale: ev.Task().Scale, Notes: ev.(core.Noter).Notes()}
	if all[0].Heads != nil {
		p.Heads = ev.(core.HeadsEvaluator).Heads()[:len(all[0].Heads)]
	}
	p.Folds = slices.Collect(slices.Chunk(scores[c:], c))
	for j, of := range all {
		for _, o := range of.Outputs {
			o.Name = strconv.Itoa(j) + "/" + o.Name
			p.Outputs = append(p.Outputs, o)
		}
	}
	return p, nil
}

// predicted is the evaluator of a whole bag alone, whose scores are known.
type predicted struct {
	*onnxbackend.Prediction
	instances, negative int
}

// Task implements core.Evaluator.
func (p predicted) Task() core.Task {
	return core.Task{Instances: p.instances, Classes: len(p.Prediction.Scores),
		Scale: p.Prediction.Scale, Negative: p.negative}
}

// Heads implements core.HeadsEvaluator.
func (p predicted) Heads() []core.Head { return p.Prediction.Heads }

// Notes implements core.Noter.
func (p predicted) Notes() []string { return p.Prediction.Notes }

// Evaluate implements core.Evaluator.
func (p predicted) Evaluate(_ context.Context, dst []float64, _ *core.Coalitions) error {
	copy(dst, p.Prediction.Scores)
	return nil
}

// The parts of answers about an ensemble.
type (
	// Fold is one of the models of an ensemble, with its prediction for each class.
	Fold struct {
		Name       string   `json:"name"`
		SHA256     string   `json:"sha256"`
		Prediction []Number `json:"prediction"`
	}
	// FoldScores are the scores of the models of an ensemble, each as the model has it alone.
	// Differences are those from the neutral point of the same model.
	FoldScores struct {
		// Score of each instance by each model, in the order of folds.
		Scores [][]Number `json:"scores" ts:"number[][]"`
		// Standard deviation of the difference of each instance between the models.
		Between []Number `json:"between"`
		// For each instance, how many models agree with the mean on the sign of the difference.
		Agree []int `json:"agree"`
		// For each instance, the interval that holds the difference of one more model, if it was
		// trained as these were, in 95 of 100 cases.
		Low  []Number `json:"low"`
		High []Number `json:"high"`
	}
)

// FoldsOf returns the models of an ensemble with their predictions on the scale of output, as Read
// reads them; nil for one model.
func FoldsOf(info core.ModelInfo, p *onnxbackend.Prediction, output *string) ([]Fold, error) {
	var predictions [][]float64
	for _, scores := range p.Folds {
		of := *p
		of.Scores = scores
		read, err := Read(&of, output)
		if err != nil {
			return nil, err
		}
		predictions = append(predictions, read.Values)
	}
	return folds(info, predictions), nil
}

// Folds returns the models of an ensemble with their predictions, nil for one model.
func (x *Explained) Folds() []Fold { return folds(x.Model, x.Report.Folds) }

// folds is Folds.
func folds(info core.ModelInfo, predictions [][]float64) []Fold {
	if predictions == nil {
		return nil
	}
	out := make([]Fold, len(info.Folds))
	for j, f := range info.Folds {
		out[j] = Fold{f.Name, f.SHA256, Numbers(predictions[j])}
	}
	return out
}

// agree says how many models of an ensemble give the answer of the mean by themselves.
func (s *summary) agree() string {
	n := len(s.Report.Folds)
	if n == 0 || !s.rests.Decides {
		return ""
	}
	same := 0
	for _, values := range s.Report.Folds {
		if s.gives(values) == s.gives(s.Report.Prediction) {
			same++
		}
	}
	switch same {
	case n:
		return ", as all of them do"
	case 0:
		return ", as none of them does"
	}
	return msg.Sprintf(", as %d of them %s", same, plural(same, "does", "do"))
}

// gives reports whether values give the class of the sentences: the largest one of its head, or one
// half.
func (s *summary) gives(values []float64) bool {
	of := values[:s.head.Classes]
	if s.rests.Largest {
		return of[s.rests.Class] == slices.Max(of)
	}
	level := .5
	if s.units[s.rests.Class] == core.UnitLogit {
		level = 0
	}
	return of[s.rests.Class] >= level
}

// foldScores returns the JSON of the scores of the models of an ensemble, nil for one model.
func foldScores(f *core.FoldScores) *FoldScores {
	if f == nil {
		return nil
	}
	return &FoldScores{Scores: ListOf(f.Scores, Numbers), Between: Numbers(f.Between),
		Agree: f.Agree, Low: Numbers(f.Low), High: Numbers(f.High)}
}
