package bagio

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// question returns a question about columns. Each answer gives roles to the columns, beside those
// that the caller has stated.
func (c *columns) question(file, seen string, o Options, answers ...Answer) *QuestionError {
	if o.Columns != "" {
		for i := range answers {
			answers[i].Value = strings.TrimRight(o.Columns, "; ") + "; " + answers[i].Value
		}
	}
	return &QuestionError{File: file, Seen: seen, Option: "columns", Answers: answers}
}

// assignment returns the words that give columns a role.
func (c *columns) assignment(r role, list ...int) string {
	var parts []string
	for _, name := range c.labels(list) {
		parts = append(parts, name+"="+string(r))
	}
	return strings.Join(parts, "; ")
}

// askBag decides whether the first column is the bag's id if its name does not say so.
func (c *columns) askBag(file string, p *profile, o Options) error {
	if !c.guessed {
		if c.unnamed && p.kind(0) == kindText && p.columns[0].repeats {
			return c.question(file, "its first column has no name, and its texts repeat", o,
				Answer{c.assignment(roleBag, 0), "they are the ids of bags"},
				Answer{c.assignment(roleSkip, 0), "all rows are one bag"})
		}
		return nil
	}
	first := c.id
	switch {
	case p.kind(first) == kindReal:
		c.id, c.roles[first], c.said = -1, roleNone, true
	case p.unique(first) && c.hasNumbers(p):
		answers := []Answer{
			{c.assignment(roleBag, first), "each row is a bag of one instance"},
			{c.assignment(roleSkip, first), "it names instances, and all rows are one bag"}}
		if p.kind(first) == kindWhole {
			answers = append(answers, Answer{c.assignment(roleFeature, first),
				"it is a feature, and all rows are one bag"})
		}
		return c.question(file, msg.Sprintf("its first column, %s, is different in each row",
			c.label(first)), o, answers...)
	}
	return nil
}

// hasNumbers reports whether a column can be a feature.
func (c *columns) hasNumbers(p *profile) bool {
	return c.only(roleFeature) >= 0 || slices.ContainsFunc(c.having(roleNone),
		func(at int) bool { return p.kind(at) >= kindWhole })
}

// mostAsked is the number of columns in a question, whose answers are texts that users copy.
const mostAsked = 8

// askRising asks whether columns of whole numbers that rise from row to row are features.
func (c *columns) askRising(file string, rising []int, o Options) error {
	if len(rising) == 0 {
		return nil
	}
	rising = rising[:min(len(rising), mostAsked)] // the next question has the others
	return c.question(file, msg.Sprintf("whole numbers rise from row to row in %s",
		msg.List(c.labels(rising))), o,
		Answer{c.assignment(roleSkip, rising...), "they count rows"},
		Answer{c.assignment(roleFeature, rising...), "they are features"})
}

// findOfBags notes the features that have one number for all rows of a bag: these are often labels,
// folds of a study or ages. Without them a feature must remain.
func (c *columns) findOfBags(p *profile) {
	features := c.having(roleFeature)
	c.ofBags = slices.DeleteFunc(slices.Clone(features), func(at int) bool { return !p.ofBags(at) })
	if len(c.ofBags) == len(features) {
		c.ofBags = nil
	}
}

// askPlaces asks whether two columns are coordinates, whose names differ in a word x and y only.
func (c *columns) askPlaces(file string, p *profile, o Options) error {
	at := map[string][2]int{}
	for i, name := range c.names {
		rest, axis, ok := pairOfName(name)
		if !ok || rest == "" || p.columns[i] == nil || c.roles[i] != roleFeature {
			continue
		}
		pair := at[rest]
		if pair[axis] != 0 {
			return nil
		}
		pair[axis] = i + 1
		at[rest] = pair
	}
	var pairs [][2]int
	for _, pair := range at {
		if pair[0] > 0 && pair[1] > 0 {
			pairs = append(pairs, [2]int{pair[0] - 1, pair[1] - 1})
		}
	}
	// Several pairs are features, such as gradients along both axes.
	if len(pairs) != 1 {
		return nil
	}
	x, y := pairs[0][0], pairs[0][1]
	if !slices.ContainsFunc(c.having(roleFeature), func(i int) bool { return i != x && i != y }) {
		return nil // no feature would remain without them
	}
	return c.question(file, msg.Sprintf("%s and %s have the names of coordinates", c.label(x),
		c.label(y)), o,
		Answer{c.assignment(roleX, x) + "; " + c.assignment(roleY, y), "they are places"},
		Answer{c.assignment(roleFeature, x, y), "they are features"})
}
