package wire

import "github.com/bagscope/bagscope/onnxbackend/ask"

// whatIfs lists the requests of what-ifs and their answers. New ones are added at the end.
var whatIfs = []any{
	Sets{}, ask.SetsAnswer{}, Curves{}, ask.CurvesAnswer{}, Pairs{}, ask.PairsAnswer{},
	Turn{}, ask.TurnAnswer{}, Inside{}, ask.InsideAnswer{}, Check{}, ask.CheckAnswer{},
	Groups{}, ask.GroupsAnswer{}, Profile{}, ask.ProfileAnswer{},
	Loss{}, ask.MissedAnswer{},
}

// Requests of what-ifs, which wait in the queue of explanations. Options that are nil have their
// defaults. Instances have their numbers in the bag of the request. The answers are those of
// package ask.
type (
	// Sets requests the smallest sets of instances that decide an answer. Answer: SetsAnswer.
	Sets struct {
		Ask     Ask
		Options ask.SetsOptions
	}

	// Curves requests an answer by the number of instances. Answer: CurvesAnswer.
	Curves struct {
		Ask Ask
		// Scores are those of a map, for the instances that are not removed; nil leaves it out.
		Scores *[]float64
	}

	// Pairs requests the interactions of pairs of instances. Answer: PairsAnswer.
	Pairs struct {
		Ask     Ask
		Options ask.PairsOptions
	}

	// Turn requests the fewest changes that turn an answer. Answer: TurnAnswer.
	Turn struct {
		Ask     Ask
		Members *[]int // see ask.Additions
		Options ask.TurnOptions
	}

	// Inside requests which parts of an instance matter. Answer: InsideAnswer.
	Inside struct {
		Ask     Ask
		Options ask.InsideOptions
	}

	// Check requests sanity checks of a map. Its Progress counts the evaluations of one explanation
	// after the other. Answer: CheckAnswer.
	Check struct {
		Ask Ask
		// From is the request that opened the model. It is opened again with shuffled weights; nil
		// leaves out this check.
		From    *OpenModel
		Options ask.CheckOptions
	}

	// Groups requests the instances that the model encodes to nearly the same values, or what named
	// sets of instances do. Answer: GroupsAnswer.
	Groups struct {
		Ask     Ask
		Options ask.GroupsOptions
	}

	// Profile requests the prediction for other values of a covariate. Answer: ProfileAnswer.
	Profile struct {
		Ask     Ask
		Options ask.ProfileOptions
	}

	// Loss requests what a bag loses without an instance. Answer: MissedAnswer.
	Loss struct {
		Ask      Ask
		Instance int
		Score    float64 // the instance's, less the neutral point; 0 if it does not stand out
		LogOdds  bool    // whether the score is in log-odds
	}

	// Ask holds what the requests of all what-ifs have in common. Their Progress counts evaluations
	// and has the total 0, because a search has no useful bound.
	Ask struct {
		Model   int
		Bag     int
		Without []int // instances to remove from the bag
		Class   *int  // nil for the largest of the first head
		Output  string
		Seed    uint64
		Budget  int  // most evaluations, 0 for no limit
		Watch   bool // send Progress
		Helpers int  // see Explain
		Eager   bool
	}
)
