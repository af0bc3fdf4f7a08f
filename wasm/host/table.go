package host

import (
	"reflect"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// optionFields returns the index of each field of methods.Options by its option's name in
// JavaScript. A field has the name of its option.
func optionFields() map[string]int {
	fields := map[string]int{}
	t := reflect.TypeFor[methods.Options]()
	for i := range t.NumField() {
		fields[wire.JSName(t.Field(i).Name)] = i
	}
	return fields
}

// optionsOf returns the options that differ from their defaults, in the order of
// methods.AllOptions. Options without a value that a message can hold, such as coalitions, are
// omitted. fields is the result of optionFields.
func (h *Host) optionsOf(o methods.Options, fields map[string]int) (out []core.Setting) {
	v := reflect.ValueOf(o)
	for _, option := range methods.AllOptions() {
		field := v.Field(fields[ask.JavaScript.Option(option.Name)])
		if !field.IsZero() && option.Kind != core.KindCoalitions {
			out = append(out, core.Setting{Name: h.config.Program.Option(option.Name),
				Value: field.Interface()})
		}
	}
	return out
}

// welcome returns the tables of methods, settings and metrics.
func (h *Host) welcome(wire.Hello) (any, error) {
	fields := optionFields()
	return wire.Welcome{
		Version: h.config.Version,
		Methods: ask.ListOf(methods.All(), func(m methods.Info) ask.Method {
			return ask.Method{Name: m.Name, Title: m.Title, Summary: m.Summary, Cost: m.Cost,
				Options: ask.ListOf(m.Options, h.config.Program.Option)}
		}),
		Settings: ask.ListOf(methods.AllSettings(), func(s methods.DataSettings) wire.DataSettings {
			return wire.DataSettings{Name: s.Name, Title: s.Title,
				Options: h.optionsOf(s.Options, fields)}
		}),
		Metrics: ask.ListOf(metric.Metrics(), func(m metric.Info) metric.Info {
			m.Name = m.Key()
			return m
		}),
	}, nil
}
