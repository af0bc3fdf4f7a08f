package signature

import (
	"slices"

	"github.com/bagscope/bagscope/core"
)

// Limits of an answer.
const (
	maxHeads = 64
	maxBins  = 1 << 10
	maxUnit  = 32 // letters of a unit
)

// Words of the key "output", and of the key "scale" of each kind.
var (
	classScales = []CardWord{
		{string(core.ScaleLogits), "softmax of them gives probabilities"},
		{string(core.ScaleSigmoidLogits), "the sigmoid of each is a probability of its own"},
		{string(core.ScaleProbabilities), "within 0..1"},
		{string(core.ScaleLogProbabilities), "logarithms of probabilities"},
		{string(core.ScaleRaw), "shown and explained without changes"},
	}
	hazardScales = []CardWord{
		{string(core.ScaleLogits), "the sigmoid of each is a hazard"},
		{string(core.ScaleProbabilities), "hazards"},
	}
	ordinalScales = []CardWord{
		{string(core.ScaleLogits), "one score of each class; softmax gives probabilities"},
		{string(core.ScaleProbabilities), "a probability of each class"},
		{string(cumulativeLogits), "one score of each class above the first; the sigmoid is " +
			"P(grade >= g), as CORAL returns them"},
		{string(cumulativeProbabilities), "P(grade >= g) of each class above the first"},
	}
)

// Keys of several kinds.
var (
	nameKey = CardKey{Name: "name", Help: "name of the number", Without: "its kind names it",
		Forms: anyText}
	unitKey = CardKey{Name: "unit", Help: `unit of the number, such as "mm"`, Without: "none",
		Forms: []CardForm{{Type: CardText, Longest: maxUnit}}}
)

// outputForms returns the forms of the key "output": the word of a scale, or an object of a kind.
func outputForms() []CardForm {
	answers := answerForms(nameKey)
	answers[0].Keys = answers[0].Keys[1:] // classes have names of their own
	words := append(slices.Clone(classScales), CardWord{string(embedding),
		"a vector, which a target is compared with"})
	return slices.Concat([]CardForm{{Type: CardText, Words: words}}, answers,
		[]CardForm{{Type: CardObject, Kind: string(kindHeads), KindHelp: "the numbers of all heads",
			Keys: []CardKey{{Name: "heads", Required: true,
				Help: "the heads, whose classes are called `NAME:CLASS`",
				Forms: []CardForm{{Type: CardList, Least: 1, Most: maxHeads,
					Entries: headForms()}}}}}})
}

// headForms returns the forms of a head: those of an answer, with the keys that a card has for the
// model.
func headForms() []CardForm {
	forms := answerForms(CardKey{Name: "name", Required: true, Forms: anyText,
		Help: "name of the head, unlike those of the others"})
	for i := range forms {
		forms[i].Keys = append(forms[i].Keys,
			CardKey{Name: "classes", Help: "names of the head's classes", Forms: texts,
				Without: "numbers from 0"},
			CardKey{Name: "negative", Help: `number of the class that means "nothing found", ` +
				"within the head, -1 for none",
				Without: "0 if there are several scores, otherwise none", Forms: whole},
			CardKey{Name: "output_name", Help: "name of the graph output with the head's scores; " +
				"heads with the same one have its scores in order",
				Without: "the only output", Forms: anyText})
	}
	return forms
}

// answerForms returns the objects that state what the scores of one head mean.
func answerForms(name CardKey) []CardForm {
	scale := func(words []CardWord) CardKey {
		return CardKey{Name: "scale", Help: "what the graph's output holds", Required: true,
			Forms: []CardForm{{Type: CardText, Words: words}}}
	}
	required := unitKey
	required.Help = `unit of the edges, such as "months"`
	required.Required, required.Without = true, ""
	grade := unitKey
	grade.Help, grade.Without = "unit of the grade", "grades"
	number := []CardForm{{Type: CardNumber}}
	return []CardForm{
		{Type: CardObject, Kind: string(core.KindClasses), KindHelp: "scores of classes",
			Keys: []CardKey{name, scale(classScales)}},
		{Type: CardObject, Kind: string(core.KindHazards),
			KindHelp: "restricted mean survival, in the unit; `predict` prints the survival curve",
			Keys: []CardKey{name, scale(hazardScales),
				{Name: "edges", Required: true, Help: "edges of the bins, increasing from at " +
					"least 0, one more than the graph has hazards, such as `[0, 12, 24, 36, 60]`",
					Forms: []CardForm{
						{Type: CardList, Entries: number, Least: 2, Most: maxBins + 1}}},
				required}},
		{Type: CardObject, Kind: string(core.KindRegression),
			KindHelp: "the number, or one for each of `classes`", Keys: []CardKey{name, unitKey}},
		{Type: CardObject, Kind: string(kindOrdinal),
			KindHelp: "the expected grade, and P(grade >= g) of each grade above the first",
			Keys: []CardKey{name, scale(ordinalScales),
				{Name: "values", Help: "the number of each grade, increasing",
					Without: "0, 1, 2, ...", Forms: []CardForm{{Type: CardList, Entries: number}}},
				grade}},
	}
}
