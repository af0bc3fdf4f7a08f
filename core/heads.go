package core

import "slices"

// A Head is a group of a model's classes with one meaning, such as the classes of one task, or the
// one number of a regression. The heads of a model lie one after another in its scores.
type Head struct {
	Name     string // "" if the model has one head
	Kind     Kind
	Classes  int   // number of its classes, at least 1
	Scale    Scale // scale of their scores
	Negative int   // the head's negative class, counted over all heads; -1 if there is none
	Unit     Unit  // unit of raw scores, such as "months"; "" if they have none
}

// Kind is what the numbers of a head are.
type Kind string

const (
	KindClasses    Kind = "classes"    // a score for each class
	KindHazards    Kind = "hazards"    // restricted mean survival, METHODS section 6
	KindRegression Kind = "regression" // numbers with a unit
	KindGrade      Kind = "grade"      // the expected grade of ordered classes
	KindAtLeast    Kind = "at-least"   // P(grade >= g) of each ordered class above the first
	KindEmbedding  Kind = "embedding"  // a vector, whose numbers mean nothing by themselves
	KindLikeness   Kind = "likeness"   // the likeness of a vector to each vector of a target
)

// A HeadsEvaluator is an Evaluator whose classes belong to heads, or whose raw scores have a unit.
// Its heads have the task's classes together. Other evaluators have one head without a unit.
type HeadsEvaluator interface {
	Heads() []Head // nil for one head without a unit
}

// OutputMixed is the Output of a report whose heads have several. Report.Units has that of each
// class.
const OutputMixed Output = "mixed"

// LeastScale returns the unit of scores of the head on an output.
func (h Head) unit(o Output) Unit {
	if o == OutputRaw && h.Unit != "" {
		return h.Unit
	}
	return o.unit()
}

// A playedHead is a head of a game: its place among the classes and the scale of its values.
type playedHead struct {
	Head
	first  int
	output Output
}

// playedHeads returns the heads with the outputs for the requested one. Errors are those of
// Scale.output.
func playedHeads(heads []Head, requested Output) ([]playedHead, error) {
	var out []playedHead
	first := 0
	for _, h := range heads {
		output, err := h.Scale.output(requested)
		if err != nil {
			return nil, err
		}
		out = append(out, playedHead{h, first, output})
		first += h.Classes
	}
	return out, nil
}

// unknown reports whether the head's values are raw scores without a unit.
func (h playedHead) unknown() bool { return h.output == OutputRaw && h.Unit == "" }

// A Reading is a prediction as people read it.
type Reading struct {
	Values []float64 // (class)
	Output Output    // scale of the values, OutputMixed if heads have several
	Units  []Unit    // (class) unit of the values
}

// Read converts class scores to the requested output, in place. Heads are nil for one head of the
// scale. It returns a *SettingError for an output that a head does not have.
func Read(heads []Head, scale Scale, scores []float64, requested Output) (Reading, error) {
	if heads == nil {
		heads = []Head{{Classes: len(scores), Scale: scale}}
	}
	played, err := playedHeads(heads, requested)
	if err != nil {
		return Reading{}, err
	}
	for _, h := range played {
		h.Scale.convert(scores[h.first:h.first+h.Classes], h.output)
	}
	return Reading{scores, outputOf(played), unitsOf(played)}, nil
}

// outputOf returns the output of all heads.
func outputOf(heads []playedHead) Output {
	for _, h := range heads {
		if h.output != heads[0].output {
			return OutputMixed
		}
	}
	return heads[0].output
}

// unitsOf returns the unit of each class's values.
func unitsOf(heads []playedHead) []Unit {
	var units []Unit
	for _, h := range heads {
		units = append(units, slices.Repeat([]Unit{h.unit(h.output)}, h.Classes)...)
	}
	return units
}

// takeHeads sets the heads of a new game. Without a HeadsEvaluator there is one.
func (g *Game) takeHeads(requested Output) (err error) {
	heads, err := headsOf(g.ev)
	if err != nil {
		return err
	}
	if g.heads, err = playedHeads(heads, requested); err != nil {
		return err
	}
	g.Enter(0)
	return nil
}

// Add makes the head of a class the one that methods explain: scale, negative class and output of
// the game are the head's. Values stay cached, because each column is on its own head's output.
func (g *Game) Enter(class int) {
	at := g.headOf(class)
	if g.head == at {
		return
	}
	g.head, g.output = at, at.output
	g.task.Scale, g.task.Negative = at.Scale, at.Negative
	g.companions = nil // they depend on the head's classes
}

// headOf returns the head of a class.
func (g *Game) headOf(class int) *playedHead {
	for i := range g.heads {
		if h := &g.heads[i]; class < h.first+h.Classes {
			return h
		}
	}
	return nil
}

// Columns returns the classes of the explained head.
func (g *Game) Columns() (first, end int) {
	if g.head == nil {
		return 0, g.task.Classes
	}
	return g.head.first, g.head.first + g.head.Classes
}

// Convert converts a row of scores of all heads to their outputs, in place.
func (g *Game) Convert(row []float64) {
	for _, h := range g.heads {
		h.Scale.convert(row[h.first:h.first+h.Classes], h.output)
	}
}

// byHead groups classes by their heads, in the order of the heads.
func (g *Game) byHead(classes []int) [][]int {
	var out [][]int
	for i := range g.heads {
		var of []int
		for _, c := range classes {
			if g.headOf(c) == &g.heads[i] {
				of = append(of, c)
			}
		}
		if of != nil {
			out = append(out, of)
		}
	}
	return out
}

// Head returns the head of a class.
func (g *Game) Head(class int) Head { return g.headOf(class).Head }

// Range returns the classes of the head of a class: from first up to end.
func (g *Game) Range(class int) (first, end int) {
	h := g.headOf(class)
	return h.first, h.first + h.Classes
}

// Units returns the unit of each class's values.
func (g *Game) Units() []Unit { return unitsOf(g.heads) }

// HeadOutput returns the scale of the values of the head that is explained.
func (g *Game) HeadOutput() Output { return g.output }

// HeadUnit returns the unit of the values of the head that is explained.
func (g *Game) HeadUnit() Unit { return g.head.unit(g.output) }

// Output returns the scale of the values, OutputMixed if heads have several.
func (g *Game) Output() Output { return outputOf(g.heads) }

// OddsUnit returns the unit of f.
func (g *Game) OddsUnit() Unit {
	if g.output == OutputProbability {
		return UnitLogOdds
	}
	return g.HeadUnit()
}
