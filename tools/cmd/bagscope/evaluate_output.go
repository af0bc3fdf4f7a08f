package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// The JSON of evaluate. Scripts depend on it. A method's object has its name and one key for each
// metric.
type (
	// statJSON is a mean over the explained classes of all bags. A class is trivial if every order
	// of the instances has the same value of the metric, for example if all have one label.
	statJSON struct {
		Mean           ask.Number `json:"mean"`
		SEM            ask.Number `json:"sem"`
		N              int        `json:"n"`
		NontrivialMean ask.Number `json:"nontrivial_mean"`
		NontrivialSEM  ask.Number `json:"nontrivial_sem"`
		NontrivialN    int        `json:"nontrivial_n"`
	}
	// methodStats is a row of the table: a method with its statistics.
	methodStats struct {
		method  string
		metrics []metric.Info
		stats   []statJSON // statistics in the order of metrics
	}
	// unusableJSON names a bag that cannot be explained.
	unusableJSON struct {
		Bag    string `json:"bag"`
		Reason string `json:"reason"`
	}
	// unmeasuredJSON says why a metric has no value for any bag.
	unmeasuredJSON struct {
		Metric string `json:"metric"`
		Reason string `json:"reason"`
		title  string
	}
	// evaluateJSON is the whole result. Evaluations counts coalitions over all bags and methods.
	evaluateJSON struct {
		Methods     []methodStats  `json:"methods"`
		Bags        int            `json:"bags"`
		Skipped     []ask.Skipped  `json:"skipped"`
		Unusable    []unusableJSON `json:"unusable"`
		Evaluations int            `json:"evaluations"`
		Seed        uint64         `json:"seed"`
		Preset      string         `json:"preset"`
		FROC        []frocJSON     `json:"froc,omitempty"` // a job folder with annotations has it
		// metrics of instance labels that no bag has a value of
		Unmeasured []unmeasuredJSON `json:"unmeasured,omitempty"`
	}
)

// MarshalJSON returns {"method": ..., "ndcg": {...}, ...} with the keys in this order.
func (m methodStats) MarshalJSON() ([]byte, error) {
	// A map would sort the keys, and scripts print them in the order of --metrics.
	out := fmt.Appendf(nil, `{"method":%q`, m.method)
	for i, info := range m.metrics {
		// Numbers that are not finite become null, see ask.Number.
		stat, err := json.Marshal(m.stats[i])
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, ",%q:%s", info.Key(), stat)
	}
	return append(out, '}'), nil
}

// pool combines the results of all bags, in the order of the bags. A metric that is defined for no
// bag has the mean NaN, which JSON shows as null.
func pool(results []result, metrics []metric.Info) *evaluateJSON {
	out := &evaluateJSON{Methods: []methodStats{}, Skipped: []ask.Skipped{},
		Unusable: []unusableJSON{}}
	var s metric.Study
	for _, r := range results {
		if r.unusable != nil {
			// An unusable bag has no rows and does not count as a bag.
			out.Unusable = append(out.Unusable, unusableJSON{r.Bag, r.unusable.Error()})
			continue
		}
		// A set of bags has no repeats; all bags are in repeat 0.
		s.Add(0, r.Rows)
		out.Bags++
		out.Evaluations += r.Evaluations
		// A method that the model does not support is skipped for every bag, but listed once.
		for _, skipped := range ask.SkippedMethods(r.Skipped) {
			if !slices.Contains(out.Skipped, skipped) {
				out.Skipped = append(out.Skipped, skipped)
			}
		}
	}
	// none is the value of a metric that is not defined for these bags.
	none := ask.Number(math.NaN())
	// Summaries are in the order of the methods, with the reference orders at the end.
	for _, line := range s.Summaries() {
		m := methodStats{method: line.Method, metrics: metrics}
		for _, info := range metrics {
			stat := statJSON{Mean: none, SEM: none, NontrivialMean: none, NontrivialSEM: none}
			// A metric without a value for this method is absent.
			for _, named := range line.Stats {
				if named.Metric.Name == info.Name {
					stat = statJSON{ask.Number(named.Mean), ask.Number(named.SEM), named.N,
						ask.Number(named.NontrivialMean), ask.Number(named.NontrivialSEM),
						named.NontrivialN}
				}
			}
			m.stats = append(m.stats, stat)
		}
		out.Methods = append(out.Methods, m)
	}
	return out
}

// unmeasured says which metrics of instance labels have no value for any bag that was explained,
// and why: truth is the table of the model.
func (e *evaluateJSON) unmeasured(metrics []metric.Info, truth []core.Truth) {
	if e.Bags == 0 || len(e.Methods) == 0 {
		return
	}
	reason := "no bag has instance labels that support an explained class"
	if truth == nil {
		reason = "the model card has no key truth, which states the instance labels that support " +
			"each class"
	}
	for i, info := range metrics {
		measured := func(m methodStats) bool { return m.stats[i].N > 0 }
		if info.Labels && !slices.ContainsFunc(e.Methods, measured) {
			e.Unmeasured = append(e.Unmeasured, unmeasuredJSON{info.Key(), reason, info.Title})
		}
	}
}

// csv returns a row for each method and metric, after the heading.
func (e *evaluateJSON) csv() [][]string {
	rows := [][]string{{"method", "metric", "mean", "sem", "n", "nontrivial_mean", "nontrivial_sem",
		"nontrivial_n"}}
	for _, m := range e.Methods {
		for i, s := range m.stats {
			rows = append(rows, []string{m.method, m.metrics[i].Key(), ask.Exact(float64(s.Mean)),
				ask.Exact(float64(s.SEM)), strconv.Itoa(s.N),
				ask.Exact(float64(s.NontrivialMean)), ask.Exact(float64(s.NontrivialSEM)),
				strconv.Itoa(s.NontrivialN)})
		}
	}
	for _, f := range e.FROC {
		rows = append(rows, []string{f.Method, "froc", ask.Exact(float64(f.FROC)),
			ask.Exact(float64(f.SEM)), strconv.Itoa(f.Slides), "", "", ""})
	}
	return rows
}

// methodNames returns the methods of rows.
func methodNames(list []methodStats) []string {
	return ask.ListOf(list, func(m methodStats) string { return m.method })
}

// text appends a line for each method: the mean and standard error of each metric and, in brackets,
// the mean without the trivial bags, in which every order of the instances has the same value.
func (e *evaluateJSON) text(to *bytes.Buffer) {
	bags := "bags"
	if e.Bags == 1 {
		bags = "bag"
	}
	fmt.Fprintf(to, "%d %s, mean ± standard error, in brackets without trivial items\n\n", e.Bags,
		bags)
	t := cli.Table{}
	for i, m := range e.Methods {
		// The first method supplies the heading, because all methods have the same metrics.
		if i == 0 {
			title := func(info metric.Info) string { return info.Title }
			t.Add(append([]string{"method"}, ask.ListOf(m.metrics, title)...)...)
		}
		t.Add(append([]string{m.method}, ask.ListOf(m.stats, statJSON.text)...)...)
	}
	t.Write(to)
	frocText(to, e.FROC)
	for _, s := range e.Skipped {
		fmt.Fprintf(to, "\n%s was skipped: %s\n", s.Method, s.Reason)
	}
	for _, u := range e.Unmeasured {
		fmt.Fprintf(to, "\n%s is not measured: %s\n", u.title, u.Reason)
	}
	for _, u := range e.Unusable {
		fmt.Fprintf(to, "\n%s was skipped: %s\n", u.Bag, u.Reason)
	}
	fmt.Fprintf(to, "\n%d evaluations, seed %d, preset %s\n", e.Evaluations, e.Seed, e.Preset)
}

// text returns the mean with its standard error if there are several values, or "-" if there are
// none. A mean that rounds to zero has no sign.
func (s statJSON) text() string {
	// The metric is not defined for these bags, for example because they have no labels.
	if s.N == 0 {
		return "-"
	}
	text := strings.Replace(fmt.Sprintf("%.3f", float64(s.Mean)), "-0.000", "0.000", 1)
	// One value has no standard error.
	if s.N > 1 {
		text += fmt.Sprintf(" ± %.3f", float64(s.SEM))
	}
	// The second mean is shown only if it differs in its bags.
	if s.NontrivialN < s.N && s.NontrivialN > 0 {
		text += fmt.Sprintf(" (%.3f)", float64(s.NontrivialMean))
	}
	return text
}
