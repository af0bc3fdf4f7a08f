package core

import "math"

// SetsOptions declares the options of the question for smallest sets.
func SetsOptions() []Option {
	return []Option{
		{
			Name: "kind", Title: "Kind", Kind: KindChoice,
			Help: "What the sets do: sufficient ones give the answer alone, without necessary " +
				"ones the bag does not give it.",
			Default: "both",
			Choices: []Choice{{"both", "both"}, {string(SetsSufficient), "sufficient"},
				{string(SetsNecessary), "necessary"}},
		},
		levelOption(),
		{
			Name: "several", Title: "Disjoint sets", Kind: KindInteger,
			Help:    "Number of disjoint sets to look for.",
			Default: "1",
			Range:   &Range{Least: 1, Most: MostSets},
		},
		{
			Name: "curves", Title: "Curves", Kind: KindFlag,
			Help: "Adds the answer by the number of instances that are kept, and removed, in the " +
				"best order, in that of Consensus, and in random orders.",
		},
	}
}

// PairsOptions declares the options of the question for interactions of pairs.
func PairsOptions() []Option {
	return []Option{
		{
			Name: "interaction", Title: "Interaction", Kind: KindChoice,
			Help:    "Definition of the interaction of two instances.",
			Default: string(PairsShapley),
			Choices: []Choice{{string(PairsShapley), "Shapley interaction index"},
				{string(PairsGuided), "over the contexts of Consensus"},
				{string(PairsFaithful), "faithful index of order 2"}},
		},
		{
			Name: "among", Title: "Among", Kind: KindInteger,
			Help: "Number of instances, those with the largest effects, whose pairs are " +
				"evaluated.",
			Default: "30",
			Range:   &Range{Least: 2, Most: MostAmong, Why: "a pair has two instances"},
		},
		{
			Name: "contexts", Title: "Contexts", Kind: KindInteger,
			Help:    "Number of contexts to draw; small bags are enumerated instead.",
			Default: "64",
			Range:   &Range{Least: 2, Most: MostContexts, Why: "errors need two contexts"},
		},
	}
}

// TurnOptions declares the options of the question for changes that turn an answer.
func TurnOptions() []Option {
	return []Option{
		levelOption(),
		{
			Name: "moves", Title: "Moves", Kind: KindChoice,
			Help:    "Changes of the bag: instances of another bag are added, or its own removed.",
			Default: "add if there is another bag, else remove",
			Choices: []Choice{{string(MovesAdd), "add"}, {string(MovesRemove), "remove"},
				{string(MovesBoth), "both"}},
		},
		{
			Name: "most", Title: "Most changes", Kind: KindInteger,
			Help:    "Largest number of changes.",
			Default: "no limit",
			Range:   &Range{Least: 1, Most: math.Inf(1), Why: "at least one change is made"},
		},
	}
}

// InsideOptions declares the options of the question for the parts of an instance.
func InsideOptions() []Option {
	return []Option{
		{
			Name: "instance", Title: "Instance", Kind: KindInteger,
			Help:    "Index of the instance whose parts are scored, from 0.",
			Default: "0",
			Range:   &Range{Least: 0, Most: math.Inf(1)},
		},
		{
			Name: "cell", Title: "Cell", Kind: KindInteger,
			Help:    "Side of a cell in pixels, or number of features in a cell.",
			Default: "the smallest that makes at most 100 cells",
			Range:   &Range{Least: 1, Most: math.Inf(1), Why: "a cell has a pixel"},
		},
		{
			Name: "hidden", Title: "Hidden", Kind: KindChoice,
			Help:    "What hidden cells become.",
			Default: string(HiddenMean),
			Choices: []Choice{{string(HiddenMean), "the bag's mean at this place"},
				{string(HiddenBlur), "the blurred instance"}, {string(HiddenZero), "zero"}},
		},
		{
			Name: "samples", Title: "Samples", Kind: KindInteger,
			Help:    "Number of sets of visible cells to draw.",
			Default: "6 for each cell, at least 400",
			Range:   &Range{Least: 1, Most: mostInside, Why: "at least one set must be drawn"},
		},
		{
			Name: "fixed", Title: "Fixed", Kind: KindFlag,
			Help: "Keeps all other instances; without it, scores are means over contexts in " +
				"which the other instances do not decide alone.",
		},
	}
}

// levelOption declares the level of a goal.
func levelOption() Option {
	return Option{
		Name: "level", Title: "Level", Kind: KindNumber,
		Help:    "Value of the class that decides, on the output.",
		Default: "the class is the largest of its head; one half if it is the only one",
		Range:   &Range{Least: math.Inf(-1), Most: math.Inf(1)},
	}
}
