package host

import (
	"errors"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestOptions checks that messages and errors have the JavaScript name of every option.
func TestOptions(t *testing.T) {
	host := New(Config{})
	for _, o := range core.MethodOptions() {
		js := ask.JavaScript.Option(o.Name)
		if host.optionName(js) != o.Name {
			t.Errorf("%s is sent as %s and read as %s", o.Name, js, host.optionName(js))
		}
		_, err := host.options(wire.Explain{Options: []wire.Setting{{Name: js, Value: "?"}}}, 3)
		var setting *core.SettingError
		if !errors.As(err, &setting) || setting.Setting != js {
			t.Errorf("a wrong value of %s: %v", js, err)
		}
	}
	got, err := host.options(wire.Explain{
		Settings: "mnist", Coalitions: &[]string{"101", "011"},
		Options: []wire.Setting{{Name: "meanBag", Value: 7}, {Name: "precise", Value: true}},
	}, 3)
	if err != nil || got.Samples != 150 || got.MeanBag != 7 || !got.Precise ||
		got.Coalitions.Len() != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := host.options(wire.Explain{Options: []wire.Setting{{Name: "smoothing", Value: 1}}},
		3); err == nil {
		t.Error("an unknown option was taken")
	}
}
