package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// MethodFlags hold the methods, the classes and the settings of an explanation.
type MethodFlags struct {
	Methods []string
	class   string
	data    string
	options ask.MethodOptions
	Output  string
	Seed    uint64
	Budget  int
	MemoryFlag
	Workers     int
	RepeatsFlag string // name of the flag for repeated draws, "" for repeats
}

// repeats returns the name of the flag for repeated draws.
func (f *MethodFlags) repeats() string { return cmp.Or(f.RepeatsFlag, "repeats") }

// Register adds the flags to a command. usual is the default of --method. If it is methods.Default,
// the model decides.
func (f *MethodFlags) Register(c *cobra.Command, usual string) {
	data := ask.ListOf(methods.AllSettings(), func(s methods.DataSettings) string { return s.Name })
	s := c.Flags()
	s.StringSliceVar(&f.Methods, "method", strings.Split(usual, ","),
		"methods, separated by commas, or all; \"bagscope methods\" lists them")
	s.StringVar(&f.class, "class", "all", "class to explain, by name or number, or all")
	s.StringVar(&f.data, "settings", "", "use the paper's settings for a data set: "+
		strings.Join(data, ", ")+"; other flags override them")
	for _, field := range f.options.Fields() {
		name := field.Option.Name
		if name == "repeats" {
			name = f.repeats()
		}
		addOption(c, name, field)
	}
	s.StringVar(&f.Output, "output", "prob", "the output to explain: prob or logit")
	s.Uint64Var(&f.Seed, "seed", 0, "seed of the random numbers")
	f.MemoryFlag.Register(c)
	s.IntVar(&f.Budget, "budget", 0, "most model evaluations per bag (default no limit)")
	s.IntVar(&f.Workers, "workers", 0,
		"threads (default one per processor); the results do not depend on it")
}

// Settings returns the settings that flags specify.
func (f *MethodFlags) Settings(c *cobra.Command) *ask.Settings {
	names := f.Methods
	if !c.Flags().Changed("method") && slices.Equal(names, []string{methods.Default}) {
		names = nil
	}
	return &ask.Settings{
		Methods: names, Class: Given(c, "class", &f.class), Data: f.data,
		MethodOptions: f.options,
		Output:        Given(c, "output", &f.Output),
		Seed:          f.Seed, Memory: f.Memory, Budget: f.Budget, Workers: f.Workers,
	}
}

// Given returns the value of a flag that was given, otherwise nil.
func Given[T any](c *cobra.Command, flag string, value *T) *T {
	if c.Flags().Changed(flag) {
		return value
	}
	return nil
}

// Resolve returns the effective settings: those of --settings, overridden by each flag that was
// given. An invalid setting is a usage error that names the flag.
func (f *MethodFlags) Resolve(c *cobra.Command) (methods.Options, methods.DataSettings, error) {
	return f.ResolveFrom(c, methods.DataSettings{})
}

// ResolveFrom is Resolve for a command that has its own data set. The settings of that data set
// apply unless --settings was given.
func (f *MethodFlags) ResolveFrom(
	c *cobra.Command, data methods.DataSettings,
) (methods.Options, methods.DataSettings, error) {
	return f.Settings(c).Resolve(data)
}

// All reports whether --method contains all. If so, methods that the model does not support are
// skipped.
func (f *MethodFlags) All() bool { return slices.Contains(f.Methods, "all") }

// SkipHint adds to an *core.UnavailableError how to skip the method; it returns other errors
// unchanged.
func SkipHint(err error) error {
	if errors.As(err, new(*core.UnavailableError)) {
		return msg.Errorf("%w; omit the method, or use --method all, which skips the methods "+
			"that the model does not support", err)
	}
	return err
}

// Classes returns the classes to explain in a bag, nil for all. They come from --class or, without
// it, from the data set's settings.
func (f *MethodFlags) Classes(
	c *cobra.Command, names []string, data methods.DataSettings, bag *core.Bag,
) ([]int, error) {
	return f.Settings(c).Classes(names, data, bag)
}
