package cli

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Root returns the top command of a program, with the given subcommands. Without a subcommand it
// prints its help. It writes results to out and other texts to messages.
func Root(name, short string, out, messages io.Writer, commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           name,
		Short:         short,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(out)
	root.SetErr(messages)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return Usagef("%s; %s --help lists the flags", flagError(err), c.CommandPath())
	})
	for _, c := range commands {
		c.Flags().SortFlags = false // flags stay in the order of registration
		root.AddCommand(c)
	}
	return root
}

// numbers says what flags of a type take, by the name of the type.
var numbers = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 on",
	"float64": "a number", "bool": "true or false", "duration": "a duration such as 30s or 5m",
	"intSlice": "whole numbers with commas between", "float64Slice": "numbers with commas between",
}

// flagError returns what is wrong with a flag. The parsers of numbers name functions of Go.
func flagError(err error) string {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		if errors.Is(err, strconv.ErrRange) {
			size := "large"
			if strings.HasPrefix(invalid.GetValue(), "-") {
				size = "small"
			}
			return msg.Sprintf("--%s is too %s: %s", flag.Name, size, invalid.GetValue())
		}
		if kind := numbers[flag.Value.Type()]; kind != "" {
			return msg.Sprintf("--%s must be %s, got %q", flag.Name, kind, invalid.GetValue())
		}
	}
	return err.Error()
}

// knownCommand returns a usage error for a word that is not a command, with similar commands.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return Usagef("the command %q does not exist; did you mean %s?", args[0],
			strings.Join(near, " or "))
	}
	return Usagef("the command %q does not exist; %s --help lists the commands", args[0], c.Name())
}

// Command returns a command that takes no arguments and runs work, after the files of [FileFlag]
// were checked. Errors of work are failures, with the exit code ExitFailed.
func Command(name, short string, work func(c *cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usagef(
					"%s does not take the argument %q; use flags to name files, see %s --help",
					c.Name(), args[0], c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkEndings(c); err != nil {
				return err
			}
			return Failed(settingError(c, work(c)))
		},
	}
}

// settingError names the flag of an invalid setting; it returns other errors unchanged.
func settingError(c *cobra.Command, err error) error {
	var s *core.SettingError
	if !errors.As(err, &s) || s.Method != "" {
		return err
	}
	flag := strings.NewReplacer("_", "-", " ", "-").Replace(s.Setting)
	if c.Flags().Lookup(flag) == nil {
		return err
	}
	return Usagef("--%s: %s", flag, s.Reason)
}

// Require returns a usage error that names the first missing flag, or nil if all have values.
func Require(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Value.String() == "" {
			return Usagef("--%s is missing: %s", name, f.Usage)
		}
	}
	return nil
}

// NotNegative returns a usage error that names the first of the flags with a negative number or
// duration. hint says what to do, for example "omit it to use all bags".
func NotNegative(c *cobra.Command, hint string, names ...string) error {
	for _, name := range names {
		if value := c.Flags().Lookup(name).Value.String(); strings.HasPrefix(value, "-") {
			return Usagef("--%s must not be negative, got %s; %s", name, value, hint)
		}
	}
	return nil
}

// IndexFlag adds the flag --index, which selects a bag of a set.
func IndexFlag(c *cobra.Command, index *int) {
	c.Flags().IntVar(index, "index", 0, "index of the bag in a set of bags, from 0")
}
