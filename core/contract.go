package core

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A MethodError reports that a method breaks the contract of [Method]: it returned an [Attribution]
// that is not one of the requested classes and the game's instances.
type MethodError struct {
	Method string
	Reason string // what it returned
}

// Error returns the method and what it returned.
func (e *MethodError) Error() string {
	return msg.Sprintf("method %s %s", e.Method, msg.Text(e.Reason))
}

// Kind returns "internal".
func (e *MethodError) Kind() string { return kind.Internal }

// An EvaluatorError reports that an evaluator breaks the contract of [Evaluator], or that its
// scores contradict its [Task].
type EvaluatorError struct {
	Reason string
}

// Error returns the reason.
func (e *EvaluatorError) Error() string { return msg.Cut(e.Reason) }

// Kind returns "run".
func (e *EvaluatorError) Kind() string { return kind.Run }

// notEvaluator returns an *EvaluatorError.
func notEvaluator(format string, args ...any) error {
	return &EvaluatorError{msg.Sprintf(format, args...)}
}

// CheckEvaluator returns an *EvaluatorError for a missing evaluator or an impossible task. Its
// heads check their own scales and negative classes.
func CheckEvaluator(ev Evaluator) error {
	if ev == nil {
		return notEvaluator("the evaluator is nil; bind a model to the bag")
	}
	t := ev.Task()
	switch {
	case t.Classes < 1:
		return notEvaluator("the evaluator's task has %d classes, but a model has at least one",
			t.Classes)
	case t.Negative < -1 || t.Negative >= t.Classes:
		return notEvaluator("the negative class of the evaluator's task is %d, but its %d classes "+
			"are numbered from 0; use -1 for none", t.Negative, t.Classes)
	case t.Classes == 1 && t.Negative == 0:
		return notEvaluator("the only class 0 of the evaluator's task is negative, but instances " +
			"are ranked against a negative class for others; set Negative to -1")
	}
	if e, ok := ev.(EmptyEvaluator); ok {
		if n := len(e.EmptyValue()); n != t.Classes {
			return notEvaluator("the evaluator's empty value has %d scores for %d classes", n,
				t.Classes)
		}
	}
	return nil
}

// checkHeads returns an *EvaluatorError if heads do not divide the classes of a task.
func checkHeads(heads []Head, classes int) error {
	first := 0
	for n, h := range heads {
		end := first + h.Classes
		if h.Classes < 1 {
			return notEvaluator("head %d of the evaluator has %d classes, but a head has at least "+
				"one", n, h.Classes)
		}
		if h.Negative != -1 && (h.Negative < first || h.Negative >= end) {
			return notEvaluator("the negative class of head %d of the evaluator is %d, but its "+
				"classes are %d to %d; use -1 for none", n, h.Negative, first, end-1)
		}
		first = end
	}
	if first != classes {
		return notEvaluator("the heads of the evaluator have %d classes together, but its task "+
			"has %d", first, classes)
	}
	return nil
}

// contradiction is the least distance from 0..1 that refutes probabilities. It is larger than what
// rounding explains.
const contradiction = 1e-3

// checkPrediction returns an *EvaluatorError for scores of the whole bag that are on a scale of
// probabilities, but outside of 0..1.
func (g *Game) checkPrediction(scores []float64) error {
	for _, h := range g.heads {
		if h.Scale != ScaleProbabilities && h.Scale != ScaleLogProbabilities {
			continue
		}
		for c := h.first; c < h.first+h.Classes; c++ {
			if v := scores[c]; v < -contradiction || v > 1+contradiction {
				return notEvaluator("the probability of class %d is %.6g for the whole bag, but "+
					"probabilities are from 0 to 1; state the scale that the scores have, such "+
					"as raw or logits, instead of %s", c, v, h.Scale)
			}
		}
	}
	return nil
}

// checkInherent returns an *EvaluatorError if instance scores that a model returned for a class are
// not those of k instances.
func checkInherent(scores []float64, class, k int) error {
	if n := len(scores); n != k {
		return notEvaluator("the model's own scores of instances for class %d are %d for %d "+
			"instances", class, n, k)
	}
	return nil
}

// checkAttribution returns a *MethodError unless an attribution has finite scores of all classes
// and of k instances.
func checkAttribution(method string, a *Attribution, classes []int, k int) error {
	bad := func(format string, args ...any) error {
		return &MethodError{method, "returned " + msg.Sprintf(format, args...)}
	}
	if a == nil {
		return bad("neither an attribution nor an error")
	}
	for _, list := range []struct {
		of       string
		n        int
		optional bool
	}{
		{"scores", len(a.Scores), false},
		{"standard errors", len(a.StdErr), a.StdErr == nil},
		{"degrees of freedom", len(a.Freedom), a.Freedom == nil},
		{"neutral points", len(a.Neutral), a.Neutral == nil},
		{"R²", len(a.R2), a.R2 == nil},
		{"smallest differences", len(a.Low), a.Low == nil},
		{"largest differences", len(a.High), a.High == nil},
		{"flat", len(a.Flat), a.Flat == nil},
		{"notes", len(a.ClassNotes), a.ClassNotes == nil},
	} {
		if list.n != len(classes) && !list.optional {
			return bad("%s of %s for %s", list.of, quantity(list.n, "class"),
				quantity(len(classes), "class"))
		}
	}
	for n, c := range classes {
		scores, stderr := a.Scores[n], ofClass(a.StdErr, n, nil)
		if len(scores) != k {
			return bad("%s for %s of class %d", quantity(len(scores), "score"),
				quantity(k, "instance"), c)
		}
		if i := stats.NonFinite(scores); i >= 0 {
			return bad("the score %v for instance %d of class %d; scores must be finite",
				scores[i], i, c)
		}
		if stderr != nil && len(stderr) != k {
			return bad("%s for %s of class %d", quantity(len(stderr), "standard error"),
				quantity(k, "instance"), c)
		}
		if i := slices.IndexFunc(stderr, notPositive); i >= 0 {
			return bad("the standard error %v for instance %d of class %d; it must be 0 or more, "+
				"infinite if it is unknown", stderr[i], i, c)
		}
		for _, extremes := range [][]float64{ofClass(a.Low, n, nil), ofClass(a.High, n, nil)} {
			if extremes != nil && (len(extremes) != k || stats.NonFinite(extremes) >= 0) {
				return bad("smallest or largest differences of class %d that are not a finite "+
					"number for each instance", c)
			}
		}
		if v := ofClass(a.Freedom, n, 0); notPositive(v) {
			return bad("%v degrees of freedom for class %d; they must be 0 or more", v, c)
		}
		if v := ofClass(a.Neutral, n, 0); math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("the neutral point %v for class %d; it must be finite", v, c)
		}
	}
	return nil
}

// notPositive reports whether a number is NaN or below 0.
func notPositive(v float64) bool { return !(v >= 0) }

// quantity returns a number and what it counts: "1 score", "5 instances", "2 classes".
func quantity(n int, what string) string {
	switch {
	case n == 1:
	case what == "class":
		what = "classes"
	default:
		what += "s"
	}
	return msg.Sprintf("%d %s", n, what)
}

// CheckClass returns a *SettingError for a class that the model does not have.
func (g *Game) CheckClass(class int) error {
	if class < 0 || class >= g.own() {
		return &SettingError{Setting: "class", Reason: fmt.Sprintf(
			"there is no class %d; the model has %d classes, numbered from 0", class, g.own())}
	}
	return nil
}
