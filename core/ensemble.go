package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
)

// Mean is what the class scores of an ensemble are the mean of.
type Mean string

const (
	// MeanLogOdds, the default, is the mean of logits, or of the log-odds of probabilities. It is
	// the normalised geometric mean of the folds' probabilities.
	MeanLogOdds Mean = "log-odds"
	MeanProb    Mean = "prob" // the mean of probabilities
)

// Means returns all means.
func Means() []Mean { return []Mean{MeanLogOdds, MeanProb} }

// words returns what the mean is taken of.
func (m Mean) words() string {
	if m == MeanProb {
		return "probabilities"
	}
	return "log-odds"
}

// An Ensemble is several models that take the same bags and have the same classes, such as those of
// a cross-validation, as one Model (METHODS section 10). Its class scores are the mean of theirs,
// and [Explain] also explains each of them. It is safe for concurrent use if they are.
type Ensemble struct {
	folds []Model
	mean  Mean
}

// A FoldInfo names one of the models of an ensemble.
type FoldInfo struct {
	Name   string
	SHA256 string // SHA-256 of the model's bytes, in hexadecimal
}

// mostFolds bounds the models of an ensemble: no cross-validation has more.
const mostFolds = 256

// NewEnsemble returns the ensemble of models. It returns a *SettingError for fewer than two models
// or more than 256, an unknown mean ("" is the default), and models whose classes or instances
// differ.
func NewEnsemble(folds []Model, mean Mean) (*Ensemble, error) {
	if mean == "" {
		mean = MeanLogOdds
	}
	if !slices.Contains(Means(), mean) {
		return nil, &SettingError{Setting: "mean",
			Reason: msg.Sprintf("%q is neither %s nor %s", mean, MeanLogOdds, MeanProb)}
	}
	if n := len(folds); n < 2 || n > mostFolds {
		return nil, differ("an ensemble has 2 to %d models, not %d", mostFolds, n)
	}
	first := folds[0].Info()
	for _, m := range folds[1:] {
		info := m.Info()
		if a, b := first.Classes, info.Classes; len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			return nil, differ("%s has %s, and %s has %s; give models of one task",
				msg.Quoted(first.Name), classWords(a), msg.Quoted(info.Name), classWords(b))
		}
		if a, b := first.InstanceShape(), info.InstanceShape(); !sameShape(a, b) {
			return nil, differ("%s takes instances of the shape %v, and %s of %v; give models "+
				"that take the same bags", msg.Quoted(first.Name), a, msg.Quoted(info.Name), b)
		}
	}
	return &Ensemble{folds, mean}, nil
}

// classWords returns the names of classes, or how many they are, such as the numbers of a vector.
func classWords(names []string) msg.Text {
	if n := len(names); n > 16 {
		return msg.Text(strconv.Itoa(n) + " outputs")
	}
	return "the classes " + msg.List(names)
}

// differ returns the error of models that are no ensemble.
func differ(format string, args ...any) error {
	return &SettingError{Setting: "model", Reason: msg.Sprintf(format, args...)}
}

// sameShape reports whether two shapes may be one. Open dimensions are below zero, and an unknown
// shape is nil.
func sameShape(a, b []int) bool {
	if a == nil || b == nil {
		return true
	}
	return slices.EqualFunc(a, b, func(x, y int) bool { return x == y || x < 0 || y < 0 })
}

// Folds returns the models.
func (e *Ensemble) Folds() []Model { return e.folds }

// Info returns what the first model states, with the models in Folds. The SHA-256 is that of those
// of all models and of the mean.
func (e *Ensemble) Info() ModelInfo {
	info, sum := e.folds[0].Info(), sha256.New()
	info.Name = msg.Sprintf("%s and %d more", msg.Text(info.Name), len(e.folds)-1)
	info.Notes, info.Parameters, info.Operators = []string{e.note()}, 0, nil
	for _, m := range e.folds {
		of := m.Info()
		info.Folds = append(info.Folds, FoldInfo{of.Name, of.SHA256})
		info.Parameters += of.Parameters
		info.Operators = append(info.Operators, of.Operators...)
		info.Notes = appendNew(info.Notes, of.Notes)
		if of.Inherent == "" {
			info.Inherent = ""
		}
		sum.Write([]byte(of.SHA256))
	}
	sum.Write([]byte(e.mean))
	info.SHA256 = hex.EncodeToString(sum.Sum(nil))
	slices.Sort(info.Operators)
	info.Operators = slices.Compact(info.Operators)
	switch {
	case info.Scale == ScaleRaw || info.Scale == "":
	case e.mean == MeanProb:
		info.Scale = ScaleProbabilities
	case info.Scale != ScaleSigmoidLogits:
		info.Scale = ScaleLogits
	}
	return info
}

// note says what an answer of the ensemble is.
func (e *Ensemble) note() string {
	return msg.Sprintf("%d models are explained as one, whose class scores are the mean of "+
		"theirs: of %s, unless they are no probabilities", len(e.folds), e.mean.words())
}

// appendNew appends the notes that are not yet there.
func appendNew(notes, more []string) []string {
	for _, n := range more {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes
}

// Bind binds each model to the bag. Errors are those of the models and of [JoinEvaluators].
func (e *Ensemble) Bind(ctx context.Context, bag *Bag) (Evaluator, error) {
	return e.BindBy(ctx, func(fold Model) (Evaluator, error) { return fold.Bind(ctx, bag) })
}

// BindBy is Bind with a function that binds one model.
func (e *Ensemble) BindBy(
	ctx context.Context, bind func(fold Model) (Evaluator, error),
) (Evaluator, error) {
	list := make([]Evaluator, len(e.folds))
	for j, m := range e.folds {
		var err error
		if list[j], err = bind(m); err != nil {
			return nil, msg.Errorf("%s: %w", msg.Quoted(m.Info().Name), err)
		}
	}
	return joinEvaluators(ctx, list, e.mean, e.note())
}
