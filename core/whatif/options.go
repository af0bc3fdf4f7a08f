package whatif

import (
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core"
)

// SetsOptions declares the options of the question for smallest sets.
func SetsOptions() []core.Option {
	return []core.Option{
		{
			Name: "kind", Title: "Kind", Kind: core.KindChoice,
			Help: "What the sets do: sufficient ones give the answer alone, without necessary " +
				"ones the bag does not give it.",
			Default: "both",
			Choices: []core.Choice{
				{Word: "both", Title: "both"},
				{Word: string(SetsSufficient), Title: "sufficient"},
				{Word: string(SetsNecessary), Title: "necessary"},
			},
		},
		levelOption(),
		{
			Name: "several", Title: "Disjoint sets", Kind: core.KindInteger,
			Help:    "Number of disjoint sets to look for.",
			Default: "1",
			Range:   &core.Range{Least: 1, Most: MostSets},
		},
		{
			Name: "curves", Title: "Curves", Kind: core.KindFlag,
			Help: "Adds the answer by the number of instances that are kept, and removed, in the " +
				"best order, in that of Consensus, and in random orders.",
		},
	}
}

// PairsOptions declares the options of the question for interactions of pairs.
func PairsOptions() []core.Option {
	return []core.Option{
		{
			Name: "interaction", Title: "Interaction", Kind: core.KindChoice,
			Help:    "Definition of the interaction of two instances.",
			Default: string(PairsShapley),
			Choices: []core.Choice{{Word: string(PairsShapley), Title: "Shapley interaction index"},
				{Word: string(PairsGuided), Title: "over guided contexts"},
				{Word: string(PairsFaithful), Title: "faithful index of order 2"}},
		},
		{
			Name: "among", Title: "Among", Kind: core.KindInteger,
			Help: "Number of instances, those with the largest effects, whose pairs are " +
				"evaluated.",
			Default: "30",
			Range:   &core.Range{Least: 2, Most: MostAmong, Why: "a pair has two instances"},
		},
		{
			Name: "contexts", Title: "Contexts", Kind: core.KindInteger,
			Help:    "Number of contexts to draw; small bags are enumerated instead.",
			Default: "64",
			Range:   &core.Range{Least: 2, Most: MostContexts, Why: "errors need two contexts"},
		},
	}
}

// TurnOptions declares the options of the question for changes that turn an answer.
func TurnOptions() []core.Option {
	return []core.Option{
		levelOption(),
		{
			Name: "moves", Title: "Moves", Kind: core.KindChoice,
			Help:    "Changes of the bag: instances of another bag are added, or its own removed.",
			Default: "add if there is another bag, else remove",
			Choices: []core.Choice{
				{Word: string(MovesAdd), Title: "add"},
				{Word: string(MovesRemove), Title: "remove"},
				{Word: string(MovesBoth), Title: "both"},
			},
		},
		{
			Name: "most", Title: "Most changes", Kind: core.KindInteger,
			Help:    "Largest number of changes.",
			Default: "no limit",
			Range:   &core.Range{Least: 1, Most: math.Inf(1), Why: "at least one change is made"},
		},
	}
}

// InsideOptions declares the options of the question for the parts of an instance.
func InsideOptions() []core.Option {
	return []core.Option{
		{
			Name: "instance", Title: "Instance", Kind: core.KindInteger,
			Help:    "Index of the instance whose parts are scored, from 0.",
			Default: "0",
			Range:   &core.Range{Least: 0, Most: math.Inf(1)},
		},
		{
			Name: "strongest", Title: "Strongest", Kind: core.KindInteger,
			Help: "Number of instances whose bands are hidden together, instead of those of " +
				"one: those with the largest scores alone.",
			Default: "one instance",
			Range:   &core.Range{Least: 1, Most: math.Inf(1), Why: "one has the bands"},
		},
		{
			Name: "cell", Title: "Cell", Kind: core.KindInteger,
			Help:    "Side of a cell in pixels, or number of features in a cell.",
			Default: "the smallest that makes at most 100 cells",
			Range:   &core.Range{Least: 1, Most: math.Inf(1), Why: "a cell has a pixel"},
		},
		{
			Name: "groups", Title: "Parts", Kind: core.KindChoice,
			Help:    "What the parts of an instance are: cells, or the bands of its picture.",
			Default: string(PartsCells),
			Choices: []core.Choice{{Word: string(PartsCells), Title: "cells"},
				{Word: string(PartsBands), Title: "bands"}},
		},
		{
			Name: "hidden", Title: "Hidden", Kind: core.KindChoice,
			Help:    "What hidden cells become.",
			Default: string(HiddenMean),
			Choices: []core.Choice{
				{Word: string(HiddenMean), Title: "the bag's mean at this place"},
				{
					Word:  string(HiddenBlur),
					Title: "the blurred instance",
				},
				{Word: string(HiddenZero), Title: "zero"},
			},
		},
		{
			Name: "samples", Title: "Samples", Kind: core.KindInteger,
			Help:    "Number of sets of visible cells to draw.",
			Default: "6 for each cell, at least 400",
			Range:   &core.Range{Least: 1, Most: mostInside, Why: "at least one set must be drawn"},
		},
		{
			Name: "fixed", Title: "Fixed", Kind: core.KindFlag,
			Help: "Keeps all other instances; without it, scores are means over contexts in " +
				"which the other instances do not decide alone.",
		},
	}
}

// GroupsOptions declares the options of the question for groups of instances.
func GroupsOptions() []core.Option {
	return []core.Option{
		{
			Name: "concepts", Title: "Concepts", Kind: core.KindText,
			Help: "Named sets of instances whose effect is measured, such as gland=3,5-9; " +
				"ink~3,4: those instances, and all that the model encodes as 3 and 4; groups " +
				"stands for the largest groups.",
			Default: "none: groups are found, and no effect is measured",
		},
		{
			Name: "random", Title: "Random sets", Kind: core.KindInteger,
			Help: "Number of random sets that each concept is compared with; 0 leaves out the " +
				"tests and the rule.",
			Default: "25 for each concept, at least 199",
			Range:   &core.Range{Least: 0, Most: MostRandomSets},
		},
	}
}

// ProfileOptions declares the options of the question for other values of a covariate.
func ProfileOptions() []core.Option {
	return []core.Option{
		{
			Name: "covariate", Title: "Covariate", Kind: core.KindText,
			Help:    "Name of the model's input beside the bag that takes other values.",
			Default: "the only one",
		},
		{
			Name: "values", Title: "Values", Kind: core.KindText,
			Help: "What the covariate takes, such as 40,50,60; for an input of three numbers, " +
				"0,0,1; 1,0,0.",
			Default: "steps from the lowest to the highest value of the bags in the file",
		},
		{
			Name: "steps", Title: "Steps", Kind: core.KindInteger,
			Help:    "Number of values if none are stated.",
			Default: strconv.Itoa(usualProfile),
			Range:   &core.Range{Least: 2, Most: MostProfile, Why: "a range has two ends"},
		},
	}
}

// levelOption declares the level of a goal.
func levelOption() core.Option {
	return core.Option{
		Name: "level", Title: "Level", Kind: core.KindNumber,
		Help:    "Value of the class that decides, on the output.",
		Default: "the class is the largest of its head; one half if it is the only one",
		Range:   &core.Range{Least: math.Inf(-1), Most: math.Inf(1)},
	}
}
