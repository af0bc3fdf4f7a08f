package ask

import (
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// limited returns an error for each limit of files, models and explanations.
func limited() map[string]error {
	all := map[string]error{"memory": &quota.MemoryError{Needed: 2e6, Limit: 1e6, Instances: 3}}
	names := func(limits any) (names []string) {
		for t, i := reflect.TypeOf(limits), 0; i < t.NumField(); i++ {
			if name := t.Field(i).Name; name != "Memory" {
				names = append(names, strings.ToLower(name[:1])+name[1:])
			}
		}
		return names
	}
	for _, n := range names(bagio.Limits{}) {
		all["bag."+n] = &bagio.LimitError{File: "a.npy", What: "it is too large", Setting: n,
			Limit: 7}
	}
	for _, n := range names(onnxbackend.Limits{}) {
		all["model."+n] = &onnxbackend.LimitError{What: "units", Wanted: 8, Limit: 7, Setting: n}
	}
	return all
}

// TestErrorText: each program states what its users can do about each limit, without names of Go.
func TestErrorText(t *testing.T) {
	all := limited()
	must.Equal(t, len(all), len(raisedBy))
	goName := regexp.MustCompile(`\b[A-Z]\w*\.[A-Z]`)
	for name, err := range all {
		t.Run(name, func(t *testing.T) {
			options, ok := raisedBy[name]
			must.Equal(t, quota.ExceededLimit(err), name, ok)
			must.Equal(t, ok, true, quota.ExceededLimit(err), ok)
			for d, option := range options {
				text := ErrorText(err, Program(d))
				switch {
				case option == "":
					option = "; no option raises it"
					if advice := smaller[name]; advice != "" {
						option += ": " + advice
					}
				case Program(d) == Server && name == "memory":
					option = "; the key memory raises the limit of a request, and the " +
						"operator's " + option + " that of the server"
				case Program(d) == Server:
					option = "; the operator of the server can raise it by " + option
				case Program(d) == JavaScript:
					option = "; the option " + option + " raises the limit"
				default:
					option = "; " + option + " raises the limit"
				}
				must.Equal(t, strings.HasPrefix(text, err.Error()+"; "), true, d, text)
				must.Equal(t, strings.Contains(text, option), true, d, text)
				must.Equal(t, goName.MatchString(text), false, d, text)
			}
		})
	}
	other := errors.New("the file a.npy does not exist")
	must.Equal(t, ErrorText(other, CommandLine), other.Error(), "an error without a limit")
	fixed := &onnxbackend.LimitError{What: "bytes of a model card", Wanted: 8, Limit: 7}
	must.Equal(t, ErrorText(fixed, CommandLine),
		"the limit of 7 bytes of a model card is exceeded: 8 are needed; no option raises it",
		"a fixed limit")
}

// TestOption: each program has its own form of an option's name.
func TestOption(t *testing.T) {
	for name, want := range map[string][programs]string{
		"":         {},
		"samples":  {"samples", "samples", "samples", "samples", "samples"},
		"mean-bag": {"meanBag", "mean-bag", "mean-bag", "mean_bag", "mean_bag"},
		"a-b-cd":   {"aBCd", "a-b-cd", "a-b-cd", "a_b_cd", "a_b_cd"},
	} {
		for p := range want {
			if got := Program(p).Option(name); got != want[p] {
				t.Errorf("program %d writes %q as %q, want %q", p, name, got, want[p])
			}
		}
	}
}

// TestLimitsIn: the options that raisedBy names raise the limits.
func TestLimitsIn(t *testing.T) {
	for _, memory := range []int64{64e6, 16e9} {
		m := quota.NewMemory(memory)
		bag, few := bagio.LimitsIn(m), bagio.LimitsIn(nil)
		model, small := onnxbackend.LimitsIn(m), onnxbackend.LimitsIn(nil)
		must.Equal(t, bag.Memory, m, "the limits lack the memory")
		must.Equal(t, model.Memory, m, "the limits lack the memory")
		for name, got := range map[string][2]int64{
			"bag.bytes":        {bag.Bytes, few.Bytes},
			"bag.elements":     {bag.Elements, few.Elements},
			"bag.pixels":       {bag.Pixels, few.Pixels},
			"model.modelBytes": {int64(model.ModelBytes), int64(small.ModelBytes)},
			"model.elements":   {int64(model.Elements), int64(small.Elements)},
			"model.runBytes":   {int64(model.RunBytes), int64(small.RunBytes)},
		} {
			raised := memory == 16e9
			if got[1] == 0 || (got[0] > got[1]) != raised || got[0] < got[1] {
				t.Errorf("%s is %d with %d bytes of memory, %d without",
					name, got[0], memory, got[1])
			}
			if raisedBy[name][CommandLine] != "--memory" {
				t.Errorf("%s is raised by %q", name, raisedBy[name][CommandLine])
			}
		}
	}
}

// TestStateQuotes: a shell passes the value of an answer as it is.
func TestStateQuotes(t *testing.T) {
	for value, want := range map[string]string{
		"bfloat16":          "--columns bfloat16",
		"time=skip":         "--columns time=skip",
		"time=skip; n=skip": "--columns 'time=skip; n=skip'",
		"#1=bag":            "--columns '#1=bag'",
		"it's=bag":          `--columns 'it'\''s=bag'`,
	} {
		must.Equal(t, CommandLine.State("columns", value), want)
	}
	must.Equal(t, Python.State("bag-by", "patient"), `bag_by="patient"`)
}
