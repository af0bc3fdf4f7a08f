package core

import (
	"math"
	"slices"
	"sync"
)

// Distance is the distance of a coalition from the full bag, for LIME's kernel.
type Distance string

// Distances of METHODS section 1: the number of missing instances, or one minus the cosine of the
// two masks.
const (
	DistanceL2     Distance = "l2" // the default
	DistanceCosine Distance = "cosine"
)

// Rank is the value that MILLI orders instances by before it draws coalitions.
type Rank string

const (
	// RankNegative is 1 - F_neg({x_i}), one order for all classes: the default if the model has a
	// negative class.
	RankNegative  Rank = "negative-class"
	RankExplained Rank = "explained-class" // F_c({x_i}), an order per class
)

// Preset names the conventions that hold where the paper's text and its code differ.
type Preset string

const (
	PresetDefault   Preset = ""          // see the package documentation
	PresetPaper     Preset = "paper"     // the paper's printed formula
	PresetReference Preset = "reference" // the published code, for its golden numbers
)

// EmptyValue names a value for the empty bag, which no MIL model takes.
type EmptyValue string

const (
	EmptyNone    EmptyValue = ""        // no efficiency constraint
	EmptyUniform EmptyValue = "uniform" // 1/C for each class
	EmptyZero    EmptyValue = "zero"    // 0 for each class
	EmptyGame    EmptyValue = "game"    // the value of an EmptyEvaluator; ONNX models have none
)

// Options hold the options of all methods. Each method takes those that its row of [Methods] names;
// zero values mean the method's defaults. [MethodOptions] declares each field for the command line,
// requests, the npm package and the page.
type Options struct {
	Samples    int        // n, coalitions to draw
	Alpha      float64    // MILLI: probability of the most important instance
	Beta       float64    // MILLI: bend of the sampling curve
	MeanBag    int        // LIME: mean bag size, which sets the kernel's width; 0 means k
	Distance   Distance   // LIME: l2 or cosine
	Rank       Rank       // MILLI: what instances are ranked by
	Efficiency EmptyValue // SHAP: scores sum to F(X) minus this value of the empty bag
	Preset     Preset     // conventions where the paper's text and its code differ
	Paired     bool       // each draw is followed by its complement
	Repeats    bool       // coalitions that are drawn again count again
	Precise    bool       // Consensus: smaller standard errors
	Coalitions *Coalitions
}

// MethodOptions declares every option of the methods, in the order of forms and help texts. To add
// an option, add a field to [Options], its declaration here and its name to the rows of [Methods]
// that take it, then run make generate.
func MethodOptions() []Option { return slices.Clone(methodOptions()) }

// methodOptions is MethodOptions without the copy; callers do not change the list.
var methodOptions = sync.OnceValue(func() []Option {
	return []Option{
		{
			Name: "samples", Title: "Samples", Kind: KindInteger,
			Help: "Number of coalitions to draw.",
			Default: "4 for each instance, at least 200 (1000 for more than 1000 instances; at " +
				"most 1000 under a preset)",
			Range: &Range{Least: 1, Most: math.Inf(1), Why: "at least one coalition must be drawn"},
			set:   setField(func(o *Options) *int { return &o.Samples }),
		},
		{
			Name: "alpha", Title: "Alpha", Kind: KindNumber,
			Help:    "Probability of the most important instance in a coalition, between 0 and 1.",
			Default: "0.05",
			Range: &Range{Least: 0, Most: 1, Open: true,
				Why: "at 0 or 1 some instances are never or always drawn"},
			set: setField(func(o *Options) *float64 { return &o.Alpha }),
		},
		{
			Name: "beta", Title: "Beta", Kind: KindNumber,
			Help: "Bend of the sampling curve: 0 is straight, negative values draw fewer " +
				"instances.",
			Default: "0",
			Range:   &Range{Least: -1000, Most: 1000},
			set:     setField(func(o *Options) *float64 { return &o.Beta }),
		},
		{
			Name: "mean-bag", Title: "Mean bag size", Kind: KindInteger,
			Help:    "Mean bag size of the data set, which sets the width of LIME's kernel.",
			Default: "the size of the bag",
			Range:   &Range{Least: 1, Most: math.Inf(1), Why: "a bag holds at least one instance"},
			set:     setField(func(o *Options) *int { return &o.MeanBag }),
		},
		{
			Name: "distance", Title: "Distance", Kind: KindChoice,
			Help:    "Distance of a coalition from the bag.",
			Default: string(DistanceL2),
			Choices: []Choice{{string(DistanceL2), "missing instances (L2)"},
				{string(DistanceCosine), "cosine"}},
			set: setChoice(func(o *Options) *Distance { return &o.Distance }),
		},
		{
			Name: "rank", Title: "Rank by", Kind: KindChoice,
			Help:    "Order of the instances before coalitions are drawn.",
			Default: "negative-class if the model has a negative class, else explained-class",
			Choices: []Choice{{string(RankNegative), "against the negative class"},
				{string(RankExplained), "for the explained class"}},
			set: setChoice(func(o *Options) *Rank { return &o.Rank }),
		},
		{
			Name: "efficiency", Title: "Sum constraint", Kind: KindChoice,
			Help:    "Makes scores sum to the prediction minus a value of the empty bag.",
			Default: "none",
			Choices: []Choice{{"none", "none"}, {string(EmptyUniform), "empty bag: 1 / classes"},
				{string(EmptyZero), "empty bag: 0"}},
			set: setChoice(func(o *Options) *EmptyValue { return &o.Efficiency }),
		},
		{
			Name: "preset", Title: "Conventions", Kind: KindChoice,
			Help:    "Conventions where the paper's text and its code differ.",
			Default: "default",
			Choices: []Choice{{"default", "ours"}, {string(PresetPaper), "as printed in the paper"},
				{string(PresetReference), "as in the paper's code"}},
			set: setChoice(func(o *Options) *Preset { return &o.Preset }),
		},
		{
			Name: "paired", Title: "Paired draws", Kind: KindFlag,
			Help: "Each draw is followed by its complement.",
			set:  setField(func(o *Options) *bool { return &o.Paired }),
		},
		{
			Name: "repeats", Title: "Keep repeats", Kind: KindFlag,
			Help: "Coalitions that are drawn again count again.",
			set:  setField(func(o *Options) *bool { return &o.Repeats }),
		},
		{
			Name: "precise", Title: "Precise", Kind: KindFlag,
			Help: "Continues until every standard error is below 2 % of the class's largest score.",
			set:  setField(func(o *Options) *bool { return &o.Precise }),
		},
		{
			Name: "coalitions", Title: "Given coalitions", Kind: KindCoalitions,
			Help: "Coalitions in place of drawn ones: strings of 0 and 1, a character for each " +
				"instance.",
			set: setField(func(o *Options) **Coalitions { return &o.Coalitions }),
		},
	}
})

// MethodOption returns the declaration of an option by name, and whether there is one.
func MethodOption(name string) (Option, bool) {
	options := methodOptions()
	at := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
	if at < 0 {
		return Option{}, false
	}
	return options[at], true
}
