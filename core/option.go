package core

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// An Option declares one option of methods, or of reading bags. Command-line flags, request keys,
// the OpenAPI document, the TypeScript types and the page's form are made from it.
type Option struct {
	Name  string // name of the flag, in lower case with dashes: "mean-bag"
	Title string // label of a form
	Help  string // one sentence
	Kind  OptionKind
	// Default describes the value if the option is not given; "" for a flag and for
	// coalitions.
	Default string
	Range   *Range   // range of a number or an integer
	Choices []Choice // allowed values of a choice
	// Methods names the methods that take the option: none if it belongs to reading bags or to a
	// what-if, whose options may have the same names.
	Methods []string
}

// An OptionKind is the type of an option's values.
type OptionKind string

const (
	KindInteger    OptionKind = "integer"    // an int
	KindNumber     OptionKind = "number"     // a float64
	KindFlag       OptionKind = "flag"       // a bool, false if it is not given
	KindChoice     OptionKind = "choice"     // a string, the word of one of the choices
	KindCoalitions OptionKind = "coalitions" // a *Coalitions
	KindText       OptionKind = "text"       // any string; not of methods
)

// A Range bounds a number. Infinite bounds mean none.
type Range struct {
	Least, Most float64
	Open        bool   // the bounds themselves are excluded
	Why         string // why other values make no sense, or ""
}

// A Choice is one value of an option. If its word is the option's Default, it is stored as the zero
// value.
type Choice struct {
	Word  string // value in flags and requests
	Title string // label in forms
}

// Key returns the option's name in requests: "mean_bag".
func (o Option) Key() string { return strings.ReplaceAll(o.Name, "-", "_") }

// Words returns the words of a choice.
func (o Option) Words() []string {
	words := make([]string, len(o.Choices))
	for i, c := range o.Choices {
		words[i] = c.Word
	}
	return words
}

// Description returns the help, the default and the methods that take the option, in sentences.
func (o Option) Description() string {
	text := o.Help
	if o.Default != "" {
		text += " Default: " + o.Default + "."
	}
	if len(o.Methods) > 0 {
		text += " Taken by " + strings.Join(o.Methods, ", ") + "."
	}
	return text
}

// Check returns a *SettingError that names the option for a value that it does not take.
func (o Option) Check(value any) error {
	_, err := o.Accept("", value)
	return err
}

// Accept returns the value in the option's own type, or a *SettingError that names the method.
func (o Option) Accept(method string, value any) (any, error) {
	refuse := func(format string, args ...any) (any, error) {
		return nil, &SettingError{method, o.Name, msg.Sprintf(format, args...)}
	}
	switch o.Kind {
	case KindInteger:
		n, ok := whole(value)
		if !ok {
			return refuse("%v is not a whole number", value)
		}
		return n, o.checkRange(method, float64(n), strconv.Itoa(n))
	case KindNumber:
		x, ok := value.(float64)
		if n, is := value.(int); is {
			x, ok = float64(n), true
		}
		if !ok {
			return refuse("%v is not a number", value)
		}
		return x, o.checkRange(method, x, fmt.Sprintf("%g", x))
	case KindFlag:
		if _, ok := value.(bool); !ok {
			return refuse("%v is neither true nor false", value)
		}
		return value, nil
	case KindChoice:
		word, ok := value.(string)
		if !ok || !slices.Contains(o.Words(), word) {
			return refuse("%q is unknown; use one of %s", fmt.Sprint(value),
				strings.Join(o.Words(), ", "))
		}
		if word == o.Default {
			word = ""
		}
		return word, nil
	case KindText:
		if _, ok := value.(string); !ok {
			return refuse("%v is not a text", value)
		}
		return value, nil
	}
	if _, ok := value.(*Coalitions); !ok {
		return refuse("%v is not a list of coalitions", value)
	}
	return value, nil
}

// mostExact is the largest whole number up to which float64 holds every one.
const mostExact = 1 << 53

// whole returns a whole number from an int or a float64.
func whole(value any) (int, bool) {
	switch v := value.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) <= mostExact
	}
	return 0, false
}

// checkRange returns a *SettingError for a number outside the option's range. text is the number as
// it was given.
func (o Option) checkRange(method string, x float64, text string) error {
	r := o.Range
	if x > r.Least && x < r.Most || !r.Open && (x == r.Least || x == r.Most) {
		return nil
	}
	reason := msg.Sprintf("must be between %.15g and %.15g, got %s", r.Least, r.Most, text)
	if math.IsInf(r.Most, 1) {
		reason = msg.Sprintf("must be at least %.15g, got %s", r.Least, text)
	}
	if r.Why != "" {
		reason += ": " + r.Why
	}
	return &SettingError{method, o.Name, reason}
}
