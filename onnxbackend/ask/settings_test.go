package ask

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TestOptionKeys: a request takes every option by its key, gives it on as the core's option, and
// takes no other.
func TestOptionKeys(t *testing.T) {
	samples := map[core.OptionKind]any{
		core.KindInteger: 7, core.KindNumber: .25, core.KindFlag: true,
	}
	count := 0
	for _, o := range methods.AllOptions() {
		if o.Kind == core.KindCoalitions {
			continue // no request has them
		}
		count++
		value, ok := samples[o.Kind]
		if o.Kind == core.KindChoice {
			value, ok = o.Words()[len(o.Choices)-1], true
		}
		must.Equal(t, ok, true, o.Name, o.Kind)
		text := must.Get(json.Marshal(map[string]any{o.Key(): value}))(t)
		var s Settings
		must.Do(t, json.Unmarshal(text, &s))
		if given := s.Given(); len(given) != 1 ||
			given[0] != (core.Setting{Name: o.Name, Value: value}) {
			t.Errorf("%s gives %v", text, given)
		}
		got, _, err := s.Resolve(methods.DataSettings{})
		want, wrong := methods.Options{}.With([]core.Setting{{Name: o.Name, Value: value}})
		if err != nil || wrong != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v (%v)", text, got, err, want, wrong)
		}
	}
	must.Equal(t, len(new(MethodOptions).Fields()), count)
}

// TestKeyed: an error names the key of the request.
func TestKeyed(t *testing.T) {
	zero := 0
	s := Settings{MethodOptions: MethodOptions{MeanBag: &zero}}
	_, _, err := s.Resolve(methods.DataSettings{})
	var setting *core.SettingError
	must.As(t, err, &setting)
	must.Equal(t, setting.Setting, "mean_bag", "a mean bag of 0")
}

// TestReadOptionKeys checks that a request takes every option of reading bags by its key, and that
// each changes how bags are read, in a field that no other changes.
func TestReadOptionKeys(t *testing.T) {
	samples := map[core.OptionKind]any{
		core.KindInteger: 7, core.KindNumber: .25, core.KindText: "uni/features",
	}
	m := openDigits(t)
	changed := map[string]string{} // options that an option gives, by its name
	for _, o := range bagio.ReadOptions() {
		text := must.Get(json.Marshal(map[string]any{o.Key(): samples[o.Kind]}))(t)
		var c ReadOptions
		must.Do(t, json.Unmarshal(text, &c))
		got := fmt.Sprintf("%+v", c.Options(m))
		must.Equal(t, got != fmt.Sprintf("%+v", ReadOptions{}.Options(m)), true, text)
		for other, options := range changed {
			if options == got {
				t.Errorf("%s and %s give the same options", o.Name, other)
			}
		}
		changed[o.Name] = got
	}
	must.Equal(t, len(new(ReadOptions).Fields()), len(changed))
}

// openDigits opens the network of the digits example.
func openDigits(t *testing.T) Engine {
	t.Helper()
	data := must.Get(os.ReadFile("../../examples/digits/model.onnx"))(t)
	return must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
}
