package cli

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// ChosenMetrics returns the rows of the table of metrics that were asked for, in the table's order.
func ChosenMetrics(names []string) ([]metric.Info, error) {
	known := strings.Join(MetricNames(metric.Metrics()), ", ") + ", all"
	if len(names) == 0 {
		return nil, Usagef("--metrics is empty; there are %s", known)
	}
	wanted, all := map[string]bool{}, false
	for _, name := range names {
		info, ok := MetricNamed(name)
		if !ok && !strings.EqualFold(name, "all") {
			return nil, Usagef("--metrics %q is none of %s", name, known)
		}
		wanted[info.Name], all = ok, all || !ok
	}
	return slices.DeleteFunc(metric.Metrics(), func(m metric.Info) bool { return !all && !wanted[m.Name] }), nil
}

// MetricNamed returns the metric of that name, in letters of any case and with dashes or
// underscores.
func MetricNamed(name string) (metric.Info, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, m := range metric.Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return metric.Info{}, false
}

// MetricNames returns the names of metrics.
func MetricNames(infos []metric.Info) []string {
	var names []string
	for _, m := range infos {
		names = append(names, m.Name)
	}
	return names
}
