package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// Settings hold the methods, the classes and the options of an explanation. A nil or empty field means
// the value of the data set's settings, or else the default. The keys correspond to the flags
// of the command line.
type Settings struct {
	Methods    []string `json:"methods"`    // by name, or "all"; default core.DefaultMethod
	Class      *string  `json:"class"`      // name or number of a class, or "all"; default all
	Data       string   `json:"settings"`   // the paper's settings for a data set
	Samples    *int     `json:"samples"`    // n, at least 1
	Alpha      *float64 `json:"alpha"`      // of MILLI, between 0 and 1
	Beta       *float64 `json:"beta"`       // of MILLI
	MeanBag    *int     `json:"mean_bag"`   // of LIME, at least 1
	Paired     *bool    `json:"paired"`     // each draw is followed by its complement
	Repeats    *bool    `json:"repeats"`    // repeated draws are kept
	Distance   *string  `json:"distance"`   // l2 or cosine
	Rank       *string  `json:"rank"`       // negative-class or explained-class
	Preset     *string  `json:"preset"`     // default, paper or reference
	Efficiency *string  `json:"efficiency"` // uniform, zero or game
	Output     *string  `json:"output"`     // prob or logit
	Trust      bool     `json:"trust"`      // measure how reliable the scores are
	Seed       uint64   `json:"seed"`
	Memory     int      `json:"memory"` // memory limit for a bag and its explanation in MB, 0 for no limit
	Budget     int      `json:"budget"` // most model evaluations, 0 for no limit
	Workers    int      `json:"-"`      // goroutines, 0 for one per processor; the results do not depend on it
}

// PresetDefault is the name of core.PresetDefault in settings.
const PresetDefault = "default"

// A choice is a setting whose value is one of a list of words.
type choice struct {
	name  string
	value *string
	words []string
}

func (c choice) check() error {
	if c.value == nil || slices.Contains(c.words, *c.value) {
		return nil
	}
	return wrong(c.name, "%q is unknown; use one of %s", *c.value, strings.Join(c.words, ", "))
}

// wrong returns a *core.SettingError for the setting with this key.
func wrong(setting, reason string, args ...any) error {
	return &core.SettingError{Setting: setting, Reason: fmt.Sprintf(reason, args...)}
}

// checkOutput returns an error unless output is nil, prob or logit.
func checkOutput(output *string) error {
	return choice{"output", output, []string{"prob", "logit"}}.check()
}

// Resolve returns the effective options: those of the data set that s names or else of data,
// overridden by each setting that was given. An invalid setting is a *core.SettingError
// that names the key.
func (s *Settings) Resolve(data core.DataSettings) (core.Options, core.DataSettings, error) {
	none := core.Options{}
	for _, c := range []choice{
		{"distance", s.Distance, []string{"l2", "cosine"}},
		{"rank", s.Rank, []string{"negative-class", "explained-class"}},
		{"preset", s.Preset, []string{PresetDefault, "paper", "reference"}},
		{"efficiency", s.Efficiency, []string{"uniform", "zero", "game"}},
	} {
		if err := c.check(); err != nil {
			return none, data, err
		}
	}
	if err := checkOutput(s.Output); err != nil {
		return none, data, err
	}
	if err := s.checkNumbers(); err != nil {
		return none, data, err
	}
	if s.Data != "" {
		var err error
		if data, err = core.Settings(s.Data); err != nil {
			return none, data, err
		}
	}
	o := data.Options
	take(&o.Samples, s.Samples)
	take(&o.Alpha, s.Alpha)
	take(&o.Beta, s.Beta)
	take(&o.MeanBag, s.MeanBag)
	take(&o.Paired, s.Paired)
	take(&o.Repeats, s.Repeats)
	takeWord(&o.Distance, s.Distance)
	takeWord(&o.Rank, s.Rank)
	takeWord(&o.Efficiency, s.Efficiency)
	if s.Preset != nil && *s.Preset != PresetDefault {
		o.Preset = core.Preset(*s.Preset)
	}
	return o, data, nil
}

func take[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

func takeWord[T ~string](to *T, value *string) {
	if value != nil {
		*to = T(*value)
	}
}

// checkNumbers returns an error if a number is out of range. This includes given zeros, because in
// core.Options a zero means the default.
func (s *Settings) checkNumbers() error {
	switch {
	case s.Samples != nil && *s.Samples < 1:
		return wrong("samples", "must be at least 1, got %d", *s.Samples)
	case s.Alpha != nil && !(*s.Alpha > 0 && *s.Alpha < 1):
		return wrong("alpha", "must be between 0 and 1, got %g", *s.Alpha)
	case s.MeanBag != nil && *s.MeanBag < 1:
		return wrong("mean_bag", "must be at least 1, got %d", *s.MeanBag)
	case s.Memory < 0:
		return wrong("memory", "must not be negative, got %d; omit it for no limit", s.Memory)
	case s.Budget < 0:
		return wrong("budget", "must not be negative, got %d; omit it for no limit", s.Budget)
	case s.Workers < 0:
		return wrong("workers", "must not be negative, got %d; omit it to use one per processor", s.Workers)
	}
	return nil
}

// given returns the names of the method options that were given, as in core.MethodInfo.Options.
func (s *Settings) given() (names []string) {
	for _, setting := range []struct {
		name  string
		given bool
	}{
		{"samples", s.Samples != nil}, {"alpha", s.Alpha != nil}, {"beta", s.Beta != nil},
		{"mean-bag", s.MeanBag != nil}, {"paired", s.Paired != nil}, {"repeats", s.Repeats != nil},
		{"distance", s.Distance != nil}, {"rank", s.Rank != nil}, {"preset", s.Preset != nil},
		{"efficiency", s.Efficiency != nil},
	} {
		if setting.given {
			names = append(names, setting.name)
		}
	}
	return names
}

// All reports whether the methods contain "all". If so, methods that the model does not support are
// skipped.
func (s *Settings) All() bool { return slices.Contains(s.Methods, "all") }
