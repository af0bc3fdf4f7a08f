package ask

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
)

// Settings hold the methods, the classes and the options of an explanation. A nil or empty field
// means the value of the data set's settings, or else the default. The keys correspond to the flags
// of the command line.
type Settings struct {
	Methods []string `json:"methods"`  // method names, or "all"; nil for the default of the model
	Class   *string  `json:"class"`    // name or number of a class, or "all"; default all
	Data    string   `json:"settings"` // the paper's settings for a data set
	MethodOptions
	Output *string `json:"output"` // prob or logit
	Trust  bool    `json:"trust"`  // measure how reliable the scores are
	// Reference is what the covariates of the bag are compared with, to state what they add:
	// values, such as age=50, or mean for the means over the bags of the file; nil does not.
	Reference *string `json:"reference"`
	Seed      uint64  `json:"seed"`
	// Memory is the memory limit for a bag and its explanation in MB, 0 for no limit.
	Memory int `json:"memory"`
	Bytes  int `json:"-"` // memory limit in bytes, instead of Memory
	// Indices are the numbers of classes, instead of Class.
	Indices []int `json:"-"`
	Budget  int   `json:"budget"` // most model evaluations, 0 for no limit
	// Workers is the number of goroutines, 0 for one per processor. The results do not depend on
	// it.
	Workers int `json:"-"`
}

// PresetDefault is the name of methods.PresetDefault in settings.
const PresetDefault = "default"

// wrong returns a *core.SettingError for the setting with this key.
func wrong(setting, reason string, args ...any) error {
	return &core.SettingError{Setting: setting, Reason: msg.Sprintf(reason, args...)}
}

// checkOutput returns an error unless output is nil, prob or logit.
func checkOutput(output *string) error {
	words := []string{"prob", "logit"}
	if output == nil || slices.Contains(words, *output) {
		return nil
	}
	return wrong("output", "%q is unknown; use one of %s", *output, strings.Join(words, ", "))
}

// Resolve returns the effective options: those of the data set that s names or else of data,
// overridden by each option that was given. An invalid setting is a *core.SettingError
// that names the key.
func (s *Settings) Resolve(
	data methods.DataSettings,
) (methods.Options, methods.DataSettings, error) {
	return s.resolve(data, s.Given())
}

// resolve is Resolve with the options that were given.
func (s *Settings) resolve(
	data methods.DataSettings, given []core.Setting,
) (methods.Options, methods.DataSettings, error) {
	none := methods.Options{}
	if err := checkOutput(s.Output); err != nil {
		return none, data, err
	}
	if err := s.checkNumbers(); err != nil {
		return none, data, err
	}
	if s.Data != "" {
		var err error
		if data, err = methods.Settings(s.Data); err != nil {
			return none, data, err
		}
	}
	o, err := data.Options.With(given)
	if err != nil {
		return none, data, keyed(err)
	}
	return o, data, nil
}

// keyed names the key of an option in an error instead of the option.
func keyed(err error) error {
	var s *core.SettingError
	if errors.As(err, &s) {
		return wrong(strings.ReplaceAll(s.Setting, "-", "_"), "%s", msg.Text(s.Reason))
	}
	return err
}

// checkNumbers returns an error if a limit is negative.
func (s *Settings) checkNumbers() error {
	switch {
	case s.Memory < 0 || s.Bytes < 0:
		return wrong("memory", "must not be negative, got %d; omit it for no limit",
			min(s.Memory, s.Bytes))
	case s.Budget < 0:
		return wrong("budget", "must not be negative, got %d; omit it for no limit", s.Budget)
	case s.Workers < 0:
		return wrong("workers", "must not be negative, got %d; omit it to use one per processor",
			s.Workers)
	}
	return nil
}

// An OptionField is the place of one option of methods or of reading bags in a request.
type OptionField struct {
	Option *core.Option
	Value  any // **int, **float64, **bool or **string; the inner pointer is nil if it was not given
}

// Given returns the options that a request gives.
func (o *MethodOptions) Given() (given []core.Setting) {
	for _, f := range o.Fields() {
		if value, ok := f.value(); ok {
			given = append(given, core.Setting{Name: f.Option.Name, Value: value})
		}
	}
	return given
}

// value returns the value of a field, and whether it was given.
func (f OptionField) value() (any, bool) {
	pointer := reflect.ValueOf(f.Value).Elem()
	if pointer.IsNil() {
		return nil, false
	}
	return pointer.Elem().Interface(), true
}

// fieldsOf returns the places of options in the struct to which of points, in the order of their
// declarations: the fields whose JSON names are their keys. Requests have no key for coalitions.
func fieldsOf(of any, declared []core.Option) (fields []OptionField) {
	v := reflect.ValueOf(of).Elem()
	for i := range declared {
		f := OptionField{Option: &declared[i]}
		if f.Option.Kind == core.KindCoalitions {
			continue
		}
		for n := range v.NumField() {
			if v.Type().Field(n).Tag.Get("json") == f.Option.Key() {
				f.Value = v.Field(n).Addr().Interface()
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// option returns the declaration of an option of methods.
func option(name string) core.Option {
	o, _ := methods.FindOption(name)
	return o
}

// All reports whether the methods contain "all". If so, methods that the model does not support are
// skipped.
func (s *Settings) All() bool { return slices.Contains(s.Methods, "all") }
