package ask

import (
	"context"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// A GroupsAnswer holds groups of instances: those that the model encodes to nearly the same values
// or, if concepts were named, the instances of each, with what they do.
type GroupsAnswer struct {
	Answered
	// Instances of each group, ascending. Groups that the model encodes alike have at least two.
	Groups [][]int `json:"groups"`
	// What the groups do, if they were named; else null.
	Concepts *Concepts `json:"concepts,omitempty"`
}

// The parts of a GroupsAnswer.
type (
	// Concepts are what named groups of instances do for the class. f is the log-odds of a
	// probability, else the output.
	Concepts struct {
		Unit    core.Unit `json:"unit"`    // unit of f
		Present Number    `json:"present"` // value f of the whole bag
		Absent  Number    `json:"absent"`  // value f without the instances of all concepts
		List    []Concept `json:"list"`    // an entry for each group
		// (concept, concept) Shapley interaction index: what two add together, beyond what each
		// adds. Null for more than 12 concepts.
		Joint [][]Number `json:"joint" ts:"number[][] | null"`
		// Number of random orders of the concepts; 0 if all sets of them were evaluated.
		Orders int `json:"orders"`
		Random int `json:"random"` // number of random sets that each concept is compared with
		// True if random sets are as contiguous as the concept.
		Contiguous bool  `json:"contiguous"`
		Rule       *Rule `json:"rule"` // rule of the evident concepts, or null if none describes f
		// Share of the variance of f over the sets of evident concepts that a sum of effects
		// explains; null without an evident concept.
		Additive Number `json:"additive" ts:"number | null"`
	}
	// Concept is what a named group of instances does.
	Concept struct {
		Name string `json:"name"`
		// Value of the class without the group; null if the model takes no such bag.
		Without Number `json:"without" ts:"number | null"`
		// Value of the class of the group alone; null if the model takes no such bag.
		Alone Number `json:"alone" ts:"number | null"`
		// Value f of the whole bag minus f without the group.
		Effect Number `json:"effect" ts:"number | null"`
		// Shapley value among the concepts: they sum to present minus absent.
		Shapley Number `json:"shapley"`
		StdErr  Number `json:"stderr"` // standard error of shapley; 0 if all sets were evaluated
		// Share of random sets of the same size whose effect, over contexts of the other concepts,
		// is at least as large; null without a test.
		P Number `json:"p" ts:"number | null"`
		// The same, corrected for the number of concepts (Holm).
		Adjusted Number `json:"adjusted_p" js:"adjusted" ts:"number | null"`
		// True if adjusted_p is at most 0.05 and the effect is no trifle: a twentieth of the
		// largest, and of 1 in log-odds.
		Evident bool `json:"evident"`
	}
	// Rule says for which sets of concepts f is high: if at least a number of literals hold, and
	// also another one, or else if another one holds.
	Rule struct {
		Of    []Literal `json:"of"`
		Least int       `json:"least"` // number of them that must hold
		Also  *Literal  `json:"also"`  // must hold, too; null for none
		Else  *Literal  `json:"else"`  // suffices; null for none
		// Share of the variance of f over the sets of evident concepts that the rule explains.
		Fit  Number `json:"fit"`
		Text string `json:"text"` // names have the quotation marks “ and ”
	}
	// Literal holds if a concept is present or, with Not, if it is absent.
	Literal struct {
		Concept int  `json:"concept"` // its place in the list
		Not     bool `json:"not"`
	}
)

// GroupsOptions are the options that whatif.GroupsOptions declares.
type GroupsOptions struct {
	Concepts *string `json:"concepts"`
	Random   *int    `json:"random"`
}

// Groups answers the question for instances that are alike, or what named sets of instances do:
// those of the options and of Input.Concepts. Errors are those of whatif.Groups,
// whatif.ConceptsQuestion, of the binding, and *core.SettingError.
func (a *Ask) Groups(
	ctx context.Context, in *Input, o GroupsOptions, progress func(done, total int),
) (*GroupsAnswer, error) {
	if err := checkOptions(&o, whatif.GroupsOptions()); err != nil {
		return nil, err
	}
	if o.Random != nil && o.Concepts == nil && in.Concepts == nil {
		return nil, wrong("random",
			"it compares concepts, and none is named; name some by concepts")
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	if o.Concepts == nil && in.Concepts == nil {
		groups, err := whatif.Groups(ctx, of.Game)
		if err != nil {
			return nil, err
		}
		return &GroupsAnswer{Groups: in.positionsOf(groups), Answered: of.end()}, nil
	}
	list, err := in.concepts(ctx, of.Game, given(o.Concepts))
	if err != nil {
		return nil, err
	}
	c, err := whatif.ConceptsQuestion{Class: of.class, Concepts: list, Random: o.Random,
		Bag: in.Bag}.Answer(ctx, of.Game)
	if err != nil {
		return nil, err
	}
	groups := ListOf(list, func(c whatif.Concept) []int { return c.Instances })
	return &GroupsAnswer{Groups: in.positionsOf(groups), Concepts: concepts(c, of.class),
		Answered: of.end(c.Notes...)}, nil
}

// positionsOf returns the positions of groups in the bag of the file.
func (in *Input) positionsOf(groups [][]int) [][]int {
	return ListOf(groups, func(group []int) []int { return ListOf(group, in.Position) })
}

// valueOf returns the value of a class, not a number without values.
func valueOf(values []float64, class int) Number {
	if values == nil {
		return Number(math.NaN())
	}
	return Number(values[class])
}

// concepts returns the JSON of what concepts do for a class.
func concepts(c *whatif.Concepts, class int) *Concepts {
	out := &Concepts{Unit: c.Unit, Present: Number(c.Present), Absent: Number(c.Absent),
		Joint: ListOf(c.Joint, Numbers), Orders: c.Orders, Random: c.Random,
		Contiguous: c.Contiguous, Additive: Number(c.Additive)}
	if c.Joint == nil {
		out.Joint = nil
	}
	for _, e := range c.List {
		out.List = append(out.List, Concept{Name: e.Name, Without: valueOf(e.Without, class),
			Alone: valueOf(e.Alone, class), Effect: Number(e.Effect), Shapley: Number(e.Shapley),
			StdErr: Number(e.StdErr), P: Number(e.P), Adjusted: Number(e.Adjusted),
			Evident: e.Evident})
	}
	if r := c.Rule; r != nil {
		literal := func(l whatif.Literal) Literal { return Literal(l) }
		pointer := func(l *whatif.Literal) *Literal { return (*Literal)(l) }
		out.Rule = &Rule{ListOf(r.Of, literal), r.Least, pointer(r.Also), pointer(r.Else),
			Number(r.Fit), r.Text}
	}
	return out
}

// ConceptRows returns a row for each concept, after the heading. Numbers have all their digits, and
// missing ones are empty. Concepts must not be nil.
func (a *GroupsAnswer) ConceptRows() [][]string {
	rows := [][]string{{"concept", "instances", "without", "alone", "effect", "shapley", "stderr",
		"unit", "p", "adjusted_p", "evident"}}
	for n, c := range a.Concepts.List {
		row := []string{c.Name, strconv.Itoa(len(a.Groups[n]))}
		for _, v := range []Number{c.Without, c.Alone, c.Effect, c.Shapley, c.StdErr} {
			row = append(row, known(v))
		}
		rows = append(rows, append(row, string(a.Concepts.Unit), known(c.P), known(c.Adjusted),
			strconv.FormatBool(c.Evident)))
	}
	return rows
}

// known returns a number with all its digits, and "" for one that is not a number.
func known(v Number) string {
	if math.IsNaN(float64(v)) {
		return ""
	}
	return Exact(float64(v))
}
