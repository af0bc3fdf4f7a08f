package query

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// TestOptionKeys: a request takes every option by its key, gives it on as the core's option, and
// takes no other.
func TestOptionKeys(t *testing.T) {
	samples := map[core.OptionKind]any{
		core.KindInteger: 7, core.KindNumber: .25, core.KindFlag: true,
	}
	count := 0
	for _, o := range core.MethodOptions() {
		if o.Kind == core.KindCoalitions {
			continue // no request has them
		}
		count++
		value, ok := samples[o.Kind]
		if o.Kind == core.KindChoice {
			value, ok = o.Words()[len(o.Choices)-1], true
		}
		if !ok {
			t.Fatalf("%s is of unknown kind %q", o.Name, o.Kind)
		}
		text, err := json.Marshal(map[string]any{o.Key(): value})
		if err != nil {
			t.Fatal(err)
		}
		var s Settings
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		if given := s.Given(); len(given) != 1 ||
			given[0] != (core.Setting{Name: o.Name, Value: value}) {
			t.Errorf("%s gives %v", text, given)
		}
		got, _, err := s.Resolve(core.DataSettings{})
		want, wrong := core.Options{}.With([]core.Setting{{Name: o.Name, Value: value}})
		if err != nil || wrong != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v (%v)", text, got, err, want, wrong)
		}
	}
	if fields := new(MethodOptions).Fields(); len(fields) != count {
		t.Errorf("a request has %d options, want %d", len(fields), count)
	}
}

// TestKeyed: an error names the key of the request.
func TestKeyed(t *testing.T) {
	zero := 0
	s := Settings{MethodOptions: MethodOptions{MeanBag: &zero}}
	_, _, err := s.Resolve(core.DataSettings{})
	var setting *core.SettingError
	if !errors.As(err, &setting) || setting.Setting != "mean_bag" {
		t.Errorf("a mean bag of 0: %v", err)
	}
}
