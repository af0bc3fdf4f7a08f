package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// addOption adds the flag of an option of methods or of reading bags. The field stays nil unless
// the flag is given.
func addOption(c *cobra.Command, name string, field ask.OptionField) {
	flags := c.Flags()
	usage := optionUsage(*field.Option)
	switch to := field.Value.(type) {
	case **int:
		flags.Var(&optional[int]{to, strconv.Atoi, "int"}, name, usage)
	case **float64:
		flags.Var(&optional[float64]{to, parseFloat, "float"}, name, usage)
	case **bool:
		flags.VarPF(&optional[bool]{to, strconv.ParseBool, "bool"}, name, "",
			usage).NoOptDefVal = "true"
	case **string:
		flags.Var(&optional[string]{to, func(s string) (string, error) { return s, nil }, "word"},
			name, usage)
	default:
		panic(msg.Sprintf("cli: option %s has a field of type %T", name, to))
	}
}

// optionUsage returns the help of an option's flag.
func optionUsage(o core.Option) string {
	// The help of a flag is not a sentence.
	text := strings.TrimSuffix(o.Help, ".")
	text = strings.ToLower(text[:1]) + text[1:]
	if len(o.Choices) > 0 {
		text += ": " + strings.Join(o.Words(), ", ")
	}
	if o.Default != "" {
		text += " (default: " + o.Default + ")"
	}
	if methods := o.Methods; len(methods) > 0 {
		text += "; for " + strings.Join(methods, ", ")
	}
	return text
}

// parseFloat parses a number of the options' kind.
func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

// optional is the value of a flag that has none unless it is given.
type optional[T any] struct {
	to    **T
	parse func(string) (T, error)
	kind  string // type in the help
}

// Set implements pflag.Value.
func (v *optional[T]) Set(text string) error {
	value, err := v.parse(text)
	if err != nil {
		return err
	}
	*v.to = &value
	return nil
}

// String implements pflag.Value. It returns "" for a flag that was not given.
func (v *optional[T]) String() string {
	if v.to == nil || *v.to == nil {
		return ""
	}
	return fmt.Sprint(**v.to)
}

// Type implements pflag.Value.
func (v *optional[T]) Type() string { return v.kind }
