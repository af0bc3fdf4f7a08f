package core

import (
	"context"
	"slices"
)

// A Method attributes a model's prediction to the instances of a bag. Each method is a struct with
// a usable zero value; its fields document their defaults. A method whose settings can be
// invalid is a [Validator]. The score of a single instance is the prediction, see [Game.Alone]. A
// bag of which the model takes no part is an *UnavailableError, see [Game.Removable].
type Method interface {
	// Name returns the name in command lines and files, such as "one_removed".
	Name() string
	// Settings returns the settings in force, defaults filled in, for a bag of k instances.
	Settings(k int) []Setting
	// Evaluations returns an upper bound of the number of coalitions that the method evaluates, for
	// k instances and the given number of explained classes.
	Evaluations(k, classes int) int
	// Attribute scores every instance of the game for the given classes. Explain returns a
	// *MethodError if the result has another shape, or scores that are not finite.
	Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error)
}

// A Validator is a Method whose settings can be invalid. Explain calls Validate before any other
// function of the method except Name, and before any evaluation. If it returns an error, Explain
// returns it and calls nothing else, so that Settings, Evaluations and Memory may rely on valid
// settings.
type Validator interface {
	Method
	// Validate returns a *SettingError for a setting that is invalid in the game.
	Validate(g *Game) error
}

// A GameBounder is a Method that knows a smaller bound of its evaluations if it knows the game.
type GameBounder interface {
	Method
	// EvaluationsIn returns an upper bound of the number of coalitions that the method evaluates in
	// a game, for the given number of explained classes.
	EvaluationsIn(g *Game, classes int) int
}

// An Adaptive method chooses coalitions by the values of the model. Those of each model of an
// ensemble differ from those of their mean, so that Explain runs the method for each of them.
type Adaptive interface {
	Method
	Adaptive()
}

// A Setting is the name and the value of one setting of a method. Value is a string, bool, int or
// float64.
type Setting struct {
	Name  string
	Value any
}

// An Attribution is the result of a method, class by class in the order of the request.
type Attribution struct {
	Scores [][]float64 // (class, instance); above zero supports the class, below refutes it
	// StdErr (class, instance) is nil if the method does not sample, and so may be the entry of a
	// class. An error that cannot be estimated from the sample is infinite.
	StdErr  [][]float64
	Freedom []float64 // (class) degrees of freedom of StdErr, or nil for the normal distribution
	// Low and High (class, instance) are the extremes of the differences that a score is the mean
	// of, or nil.
	Low, High [][]float64
	// Trifle is the share of the largest score of all classes below which a score is no evidence,
	// for methods without errors under which nearly no score is 0.
	Trifle float64
	// Flat (class) reports that nothing of the class changed in any large bag, so that none of its
	// scores is evidence, or is nil.
	Flat    []bool
	Neutral []float64 // (class) score that neither supports nor refutes, or nil for 0
	Unit    Unit      // unit of Scores; "" means the game's output
	R2      []float64 // (class) weighted R² of the surrogate, or nil
	Notes   []string  // sentences for the reader of the scores
	// ClassNotes (class) are notes for single classes, shown after Notes, or nil.
	ClassNotes [][]string
}

// AddNote adds a sentence to Notes unless it is already there.
func (a *Attribution) AddNote(sentence string) {
	if !slices.Contains(a.Notes, sentence) {
		a.Notes = append(a.Notes, sentence)
	}
}
