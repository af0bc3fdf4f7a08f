package methods

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
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
	Efficiency EmptyValue // SHAP, Shapley: scores sum to F(X) minus this value of the empty bag
	Preset     Preset     // conventions where the paper's text and its code differ
	Paired     bool       // each draw is followed by its complement
	Repeats    bool       // coalitions that are drawn again count again
	Coalitions *core.Coalitions
}

// An optionField is an option with the place of its value.
type optionField struct {
	core.Option
	set func(o *Options, value any) // stores what Option.Accept returned
}

// AllOptions declares every option of the methods, in the order of forms and help texts. To add
// an option, add a field to [Options], its declaration here and its name to the rows of [Methods]
// that take it, then run make generate.
func AllOptions() (options []core.Option) {
	for _, o := range optionFields() {
		options = append(options, o.Option)
	}
	return options
}

// FindOption returns the declaration of an option by name, and whether there is one.
func FindOption(name string) (core.Option, bool) {
	o, ok := findOption(name)
	return o.Option, ok
}

// findOption is MethodOption with the place of the value.
func findOption(name string) (optionField, bool) {
	options := optionFields()
	at := slices.IndexFunc(options, func(o optionField) bool { return o.Name == name })
	if at < 0 {
		return optionField{}, false
	}
	return options[at], true
}

// optionFields declares the options. Callers do not change the list.
var optionFields = sync.OnceValue(func() []optionField {
	options := declaredOptions()
	for i := range options {
		for _, row := range All() {
			if slices.Contains(row.Options, options[i].Name) {
				options[i].Methods = append(options[i].Methods, row.Name)
			}
		}
	}
	return options
})

// declaredOptions returns the options without the methods that take them.
func declaredOptions() []optionField {
	return []optionField{
		{core.Option{
			Name: "samples", Title: "Samples", Kind: core.KindInteger,
			Help: "Number of coalitions to draw.",
			Default: "4 for each instance, at least 200 (1000 for more than 1000 instances; at " +
				"most 1000 under a preset); shapley: until errors are small",
			Range: &core.Range{
				Least: 1,
				Most:  math.Inf(1),
				Why:   "at least one coalition must be drawn",
			},
		}, setField(func(o *Options) *int { return &o.Samples })},
		{core.Option{
			Name: "alpha", Title: "Alpha", Kind: core.KindNumber,
			Help:    "Probability of the most important instance in a coalition, between 0 and 1.",
			Default: "0.05",
			Range: &core.Range{Least: 0, Most: 1, Open: true,
				Why: "at 0 or 1 some instances are never or always drawn"},
		}, setField(func(o *Options) *float64 { return &o.Alpha })},
		{core.Option{
			Name: "beta", Title: "Beta", Kind: core.KindNumber,
			Help: "Bend of the sampling curve: 0 is straight, negative values draw fewer " +
				"instances.",
			Default: "0",
			Range:   &core.Range{Least: -1000, Most: 1000},
		}, setField(func(o *Options) *float64 { return &o.Beta })},
		{core.Option{
			Name: "mean-bag", Title: "Mean bag size", Kind: core.KindInteger,
			Help:    "Mean bag size of the data set, which sets the width of LIME's kernel.",
			Default: "the size of the bag",
			Range: &core.Range{
				Least: 1,
				Most:  math.Inf(1),
				Why:   "a bag holds at least one instance",
			},
		}, setField(func(o *Options) *int { return &o.MeanBag })},
		{core.Option{
			Name: "distance", Title: "Distance", Kind: core.KindChoice,
			Help:    "Distance of a coalition from the bag.",
			Default: string(DistanceL2),
			Choices: []core.Choice{{Word: string(DistanceL2), Title: "missing instances (L2)"},
				{Word: string(DistanceCosine), Title: "cosine"}},
		}, setChoice(func(o *Options) *Distance { return &o.Distance })},
		{core.Option{
			Name: "rank", Title: "Rank by", Kind: core.KindChoice,
			Help:    "Order of the instances before coalitions are drawn.",
			Default: "negative-class if the model has a negative class, else explained-class",
			Choices: []core.Choice{
				{Word: string(RankNegative), Title: "against the negative class"},
				{Word: string(RankExplained), Title: "for the explained class"},
			},
		}, setChoice(func(o *Options) *Rank { return &o.Rank })},
		{core.Option{
			Name: "efficiency", Title: "Sum constraint", Kind: core.KindChoice,
			Help: "Makes scores sum to the prediction minus a value of the empty bag. Those of " +
				"shapley do by default: uniform for probabilities, else zero.",
			Default: "none",
			Choices: []core.Choice{
				{Word: "none", Title: "none"},
				{Word: string(EmptyUniform), Title: "empty bag: 1 / classes"},
				{Word: string(EmptyZero), Title: "empty bag: 0"},
			},
		}, setChoice(func(o *Options) *EmptyValue { return &o.Efficiency })},
		{core.Option{
			Name: "preset", Title: "Conventions", Kind: core.KindChoice,
			Help:    "Conventions where the paper's text and its code differ.",
			Default: "default",
			Choices: []core.Choice{
				{Word: "default", Title: "ours"},
				{Word: string(PresetPaper), Title: "as printed in the paper"},
				{Word: string(PresetReference), Title: "as in the paper's code"},
			},
		}, setChoice(func(o *Options) *Preset { return &o.Preset })},
		{core.Option{
			Name: "paired", Title: "Paired draws", Kind: core.KindFlag,
			Help: "Each draw is followed by its complement.",
		}, setField(func(o *Options) *bool { return &o.Paired })},
		{core.Option{
			Name: "repeats", Title: "Keep repeats", Kind: core.KindFlag,
			Help: "Coalitions that are drawn again count again.",
		}, setField(func(o *Options) *bool { return &o.Repeats })},
		{core.Option{
			Name: "coalitions", Title: "Given coalitions", Kind: core.KindCoalitions,
			Help: "Coalitions in place of drawn ones: strings of 0 and 1, a character for each " +
				"instance.",
		}, setField(func(o *Options) **core.Coalitions { return &o.Coalitions })},
	}
}

// With returns the options with the given values over them. A name that is no option, or a value
// that the option does not take, is a *SettingError that names the option.
func (o Options) With(given []core.Setting) (Options, error) {
	for _, s := range given {
		option, ok := findOption(s.Name)
		if !ok {
			return o, &core.SettingError{Setting: s.Name,
				Reason: "no method has this option; choose one of " +
					strings.Join(optionNames(), ", ")}
		}
		value, err := option.Accept("", s.Value)
		if err != nil {
			return o, err
		}
		option.set(&o, value)
	}
	return o, nil
}

// optionNames returns the names of all options for a message.
func optionNames() (names []string) {
	for _, o := range optionFields() {
		names = append(names, o.Name)
	}
	return names
}

// checkOption checks a value that a caller of a method set in Go, where a zero value, which means
// the default, has been replaced.
func checkOption(method, name string, value any) error {
	option, _ := FindOption(name)
	_, err := option.Accept(method, value)
	return err
}

// checkWord is checkOption for a choice. "" is the default and always valid.
func checkWord(method, name, word string) error {
	if word == "" {
		return nil
	}
	return checkOption(method, name, word)
}

// setField stores values that have the field's own type.
func setField[T any](field func(*Options) *T) func(*Options, any) {
	return func(o *Options, value any) { *field(o) = value.(T) }
}

// setChoice stores the word of a choice.
func setChoice[T ~string](field func(*Options) *T) func(*Options, any) {
	return func(o *Options, value any) { *field(o) = T(value.(string)) }
}
