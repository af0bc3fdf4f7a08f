package host

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/wasm/wire"
)

// welcome returns the tables of methods, settings and metrics.
func (h *Host) welcome() wire.Welcome {
	w := wire.Welcome{Version: h.config.Version}
	for _, m := range core.Methods() {
		row := wire.Method{Name: m.Name, Title: m.Title, Summary: m.Summary, Cost: m.Cost}
		for _, o := range m.Options {
			row.Options = append(row.Options, wire.JSOption(o))
		}
		w.Methods = append(w.Methods, row)
	}
	for _, s := range core.AllSettings() {
		w.Settings = append(w.Settings, wire.DataSettings{
			Name: s.Name, Title: s.Title, Samples: s.Options.Samples,
			Alpha: s.Options.Alpha, Beta: s.Options.Beta, MeanBag: s.Options.MeanBag,
			Repeats: s.Options.Repeats,
		})
	}
	for _, m := range metric.Metrics() {
		w.Metrics = append(w.Metrics, wire.Metric{Name: m.Key(), Title: m.Title, Summary: m.Summary,
			Labels: m.Labels, Lower: m.Lower})
	}
	return w
}
