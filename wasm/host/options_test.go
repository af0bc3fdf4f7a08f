package host

import (
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestOptions checks that messages have the JavaScript name of every option of methods.
func TestOptions(t *testing.T) {
	options := reflect.TypeFor[ask.MethodOptions]()
	named := map[string]bool{}
	for i := range options.NumField() {
		named[wire.FieldName(options.Field(i))] = true
	}
	for _, o := range methods.AllOptions() {
		if name := ask.JavaScript.Option(o.Name); !named[name] && o.Kind != core.KindCoalitions {
			t.Errorf("no field has the name %s", name)
		}
	}
}

// TestWrongOptions checks that errors have the JavaScript name of an option.
func TestWrongOptions(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	for name, o := range map[string]ask.MethodOptions{
		"meanBag": {MeanBag: new(-1)},
		"alpha":   {Alpha: new(2.0)},
		"rank":    {Rank: new("?")},
		"samples": {Samples: new(-1)},
	} {
		f := c.fails(kind.Setting, wire.Explain{Model: model, Bag: bag,
			Methods: new([]string{"milli", "lime"}), Options: o})
		if got := settingOf(f); got != name {
			t.Errorf("the error names %q, want %q", got, name)
		}
	}
	f := c.fails(kind.Setting, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"single"}),
		Options: ask.MethodOptions{MeanBag: new(3)}})
	must.Equal(t, settingOf(f), "meanBag")
}

// TestDefaultMethod explains without a method, which is the choice of the model, and with none.
func TestDefaultMethod(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	fours := get[wire.ModelOpened](c, wire.OpenModel{Name: "fours", Bytes: ot.Model{
		Opset:   18,
		Inputs:  []ot.Value{ot.In("bag", "k", 6)},
		Outputs: []ot.Value{ot.In("logits", 6)},
		Initializers: []ot.Tensor{ot.I("fours", []int64{-1, 4, 6}, 3),
			ot.I("axes", []int64{0, 1}, 2)},
		Nodes: ot.Nodes(`bags = Reshape(bag, fours); logits = ReduceMean<keepdims=0>(bags, axes)`),
	}.Bytes()})
	for want, model := range map[string]int{"consensus": model, "random_shap": fours.Handle} {
		e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag})
		must.Equal(t, e.Explanations[0].Method, want)
	}
	c.fails(kind.Setting, wire.Explain{Model: model, Bag: bag, Methods: new([]string{})})
}

// settingOf returns the detail of a failure that names its setting.
func settingOf(f wire.Failure) any {
	for _, d := range f.Details {
		if d.Name == "setting" {
			return d.Value
		}
	}
	return nil
}
