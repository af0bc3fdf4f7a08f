package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
)

// methodFlags are the flags that choose methods, classes and settings.
type methodFlags struct {
	methods    []string
	class      string
	data       string
	options    core.Options
	distance   string
	rank       string
	preset     string
	efficiency string
	output     string
	seed       uint64
	budget     int
	memory     int // MB
	workers    int
	redraw     string // name of the flag that keeps repeated draws, "" for repeats
}

// repeats is the flag that keeps repeated draws.
func (f *methodFlags) repeats() string { return cmp.Or(f.redraw, "repeats") }

func (f *methodFlags) register(c *cobra.Command, methods string) {
	var data []string
	for _, s := range core.AllSettings() {
		data = append(data, s.Name)
	}
	s := c.Flags()
	s.StringSliceVar(&f.methods, "method", strings.Split(methods, ","), "methods, separated by commas, or all; bagscope methods lists them")
	s.StringVar(&f.class, "class", "all", "class to explain, by name or number, or all")
	s.StringVar(&f.data, "settings", "", "the paper's settings for a data set: "+strings.Join(data, ", ")+"; other flags win over them")
	s.IntVar(&f.options.Samples, "samples", 0, "n, coalitions to draw (default 4k, from 200 to 1000)")
	s.Float64Var(&f.options.Alpha, "alpha", 0, "MILLI: probability of the most important instance (default 0.05)")
	s.Float64Var(&f.options.Beta, "beta", 0, "MILLI: bend of the sampling curve, 0 is straight")
	s.IntVar(&f.options.MeanBag, "mean-bag", 0, "LIME: mean bag size, which sets the kernel's width (default k)")
	s.BoolVar(&f.options.Paired, "paired", false, "let each draw be followed by its complement")
	s.BoolVar(&f.options.Repeats, f.repeats(), false, "keep repeated draws")
	s.StringVar(&f.distance, "distance", "", "LIME: l2 or cosine (default l2)")
	s.StringVar(&f.rank, "rank", "", "MILLI: negative-class or explained-class (default negative-class where there is one)")
	s.StringVar(&f.preset, "preset", "", "default, paper or reference: whose conventions hold where they differ")
	s.StringVar(&f.efficiency, "efficiency", "", "SHAP: let scores sum to F(X) minus the empty bag's value: uniform, zero or game")
	s.StringVar(&f.output, "output", "prob", "what is explained: prob or logit")
	s.Uint64Var(&f.seed, "seed", 0, "of all randomness")
	s.IntVar(&f.memory, "memory", 0, "most MB of memory that a bag and its explanation may take (default no limit)")
	s.IntVar(&f.budget, "budget", 0, "most model evaluations a bag (default no limit)")
	s.IntVar(&f.workers, "workers", 0, "threads (default one a processor); no result depends on it")
}

// presetDefault is the word for core.PresetDefault.
const presetDefault = "default"

// choice is a flag whose value is one of a few words.
type choice struct {
	flag, value string
	words       []string
}

// resolve returns the settings in force: those of the data set, with each flag that was given over them.
func (f *methodFlags) resolve(c *cobra.Command) (core.Options, core.DataSettings, error) {
	return f.resolveFrom(c, core.DataSettings{})
}

// resolveFrom is resolve for a command that has a data set of its own, whose settings hold unless --settings was given.
func (f *methodFlags) resolveFrom(c *cobra.Command, data core.DataSettings) (core.Options, core.DataSettings, error) {
	for _, ch := range []choice{
		{"distance", f.distance, []string{"l2", "cosine"}},
		{"rank", f.rank, []string{"negative-class", "explained-class"}},
		{"preset", f.preset, []string{presetDefault, "paper", "reference"}},
		{"efficiency", f.efficiency, []string{"uniform", "zero", "game"}},
		{"output", f.output, []string{"prob", "logit"}},
	} {
		if err := ch.check(c); err != nil {
			return core.Options{}, core.DataSettings{}, err
		}
	}
	if err := f.checkNumbers(c); err != nil {
		return core.Options{}, core.DataSettings{}, err
	}
	if f.data != "" {
		var err error
		if data, err = core.Settings(f.data); err != nil {
			return core.Options{}, data, err
		}
	}
	o := data.Options
	given := c.Flags().Changed
	take(given("samples"), &o.Samples, f.options.Samples)
	take(given("alpha"), &o.Alpha, f.options.Alpha)
	take(given("beta"), &o.Beta, f.options.Beta)
	take(given("mean-bag"), &o.MeanBag, f.options.MeanBag)
	take(given("paired"), &o.Paired, f.options.Paired)
	take(given(f.repeats()), &o.Repeats, f.options.Repeats)
	take(given("distance"), &o.Distance, core.Distance(f.distance))
	take(given("rank"), &o.Rank, core.Rank(f.rank))
	take(given("preset") && f.preset != presetDefault, &o.Preset, core.Preset(f.preset))
	take(given("efficiency"), &o.Efficiency, core.Void(f.efficiency))
	return o, data, nil
}

func take[T any](given bool, to *T, value T) {
	if given {
		*to = value
	}
}

func (ch choice) check(c *cobra.Command) error {
	if !c.Flags().Changed(ch.flag) {
		return nil
	}
	if slices.Contains(ch.words, ch.value) {
		return nil
	}
	return usage("--%s %q is none of %s", ch.flag, ch.value, strings.Join(ch.words, ", "))
}

// checkNumbers refuses numbers out of range, zeros too, which the core would take for "not given".
func (f *methodFlags) checkNumbers(c *cobra.Command) error {
	given := c.Flags().Changed
	switch {
	case given("samples") && f.options.Samples < 1:
		return usage("--samples %d: at least one coalition must be drawn", f.options.Samples)
	case given("alpha") && !(f.options.Alpha > 0 && f.options.Alpha < 1):
		return usage("--alpha %g is not between 0 and 1", f.options.Alpha)
	case given("mean-bag") && f.options.MeanBag < 1:
		return usage("--mean-bag %d: a bag holds at least one instance", f.options.MeanBag)
	case f.memory < 0:
		return usage("--memory %d is less than nothing; leave it out for no limit", f.memory)
	case f.budget < 0:
		return usage("--budget %d is less than nothing; leave it out for no limit", f.budget)
	case f.workers < 0:
		return usage("--workers %d is less than one; leave it out for one a processor", f.workers)
	}
	return nil
}

// all reports whether --method all was among the methods: then one that the model cannot serve is skipped.
func (f *methodFlags) all() bool {
	return slices.Contains(f.methods, "all")
}

// classes returns the classes to explain in a bag, nil for all: those of the data set's settings, unless
// --class was given.
func (f *methodFlags) classes(c *cobra.Command, names []string, data core.DataSettings, bag *core.Bag) ([]int, error) {
	if !c.Flags().Changed("class") {
		return data.Classes(bag), nil
	}
	if f.class == "all" {
		return nil, nil
	}
	i, err := findClass(names, f.class)
	return []int{i}, err
}

// findClass finds a class by its name, else by its name in other letters, else by its number.
func findClass(names []string, wanted string) (int, error) {
	if i := slices.Index(names, wanted); i >= 0 {
		return i, nil
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, wanted) }); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(wanted); err == nil && i >= 0 && i < len(names) {
		return i, nil
	}
	known := make([]string, len(names))
	for i, name := range names {
		known[i] = fmt.Sprintf("%d %q", i, name)
	}
	return 0, usage("--class %q is no class of the model; there are %s", wanted, strings.Join(known, ", "))
}
