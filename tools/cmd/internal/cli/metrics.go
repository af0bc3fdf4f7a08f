package cli

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// ChosenMetrics returns the metrics with the given names, in the order of metric.Metrics. The name
// all selects every metric. An unknown name is a usage error.
func ChosenMetrics(names []string) ([]metric.Info, error) {
	known := strings.Join(MetricNames(metric.Metrics()), ", ") + ", all"
	if len(names) == 0 {
		return nil, Usagef("--metrics is empty; use one or more of %s", known)
	}
	wanted, all := map[string]bool{}, false
	for _, name := range names {
		info, ok := MetricNamed(name)
		if !ok && !strings.EqualFold(name, "all") {
			return nil, Usagef("--metrics %q is unknown; use one or more of %s", name, known)
		}
		wanted[info.Name], all = ok, all || !ok
	}
	return slices.DeleteFunc(metric.Metrics(),
		func(m metric.Info) bool { return !all && !wanted[m.Name] }), nil
}

// MetricNamed returns the metric with that name. Case is ignored, and an underscore equals a dash.
func MetricNamed(name string) (metric.Info, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, m := range metric.Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return metric.Info{}, false
}

// MetricNames returns the names of the metrics.
func MetricNames(infos []metric.Info) []string {
	return ask.ListOf(infos, func(m metric.Info) string { return m.Name })
}
