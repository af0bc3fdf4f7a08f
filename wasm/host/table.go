package host

import (
	"reflect"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/wasm/wire"
)

// optionsOf returns the options that differ from their defaults, in the order of
// core.MethodOptions. Options without a value that JavaScript can hold, such as coalitions, are
// omitted. A field of core.Options has the name of its option.
func optionsOf(o core.Options) (out []wire.Setting) {
	v := reflect.ValueOf(o)
	for _, option := range core.MethodOptions() {
		name := wire.JSOption(option.Name)
		field := v.FieldByNameFunc(func(field string) bool { return wire.JSName(field) == name })
		if !field.IsZero() && option.Kind != core.KindCoalitions {
			out = append(out, wire.Setting{Name: name, Value: field.Interface()})
		}
	}
	return out
}

// welcome returns the tables of methods, settings and metrics.
func (h *Host) welcome() wire.Welcome {
	return wire.Welcome{
		Version: h.config.Version,
		Methods: listOf(core.Methods(), func(m core.MethodInfo) wire.Method {
			return wire.Method{Name: m.Name, Title: m.Title, Summary: m.Summary, Cost: m.Cost,
				Options: listOf(m.Options, wire.JSOption)}
		}),
		Settings: listOf(core.AllSettings(), func(s core.DataSettings) wire.DataSettings {
			return wire.DataSettings{Name: s.Name, Title: s.Title, Options: optionsOf(s.Options)}
		}),
		Metrics: listOf(metric.Metrics(), func(m metric.Info) wire.Metric {
			return wire.Metric{Name: m.Key(), Title: m.Title, Summary: m.Summary, Labels: m.Labels,
				Lower: m.Lower}
		}),
	}
}
