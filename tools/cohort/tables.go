package cohort

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/csvfile"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// gatherFn emits to one key, and tablesFn receives all values of that key.
func init() {
	register.DoFn3x0[string, Aggregate, func(int, []byte)](&gatherFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&tablesFn{})
}

// gatherFn gives all aggregates one key. Their number depends on models, sites, methods and
// classes, but not on the number of bags.
type gatherFn struct{}

// A keyedAggregate is an aggregate with its key, as the tables receive it.
type keyedAggregate struct {
	Key       aggregateKey `json:"key"`
	Aggregate Aggregate    `json:"aggregate"`
}

// ProcessElement emits an aggregate under the common key.
func (*gatherFn) ProcessElement(key string, c Aggregate, emit func(int, []byte)) {
	k, err := parseAggregateKey(key)
	if err != nil {
		panic(err)
	}
	emit(0, mustJSON(keyedAggregate{k, c}))
}

// tablesFn writes the tables and the summary.
type tablesFn struct {
	Config config
}

// ProcessElement writes the files from all aggregates.
func (f *tablesFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool) error {
	c := &f.Config
	aggregates := map[aggregateKey]Aggregate{}
	var data []byte
	for next(&data) {
		var k keyedAggregate
		if err := json.Unmarshal(data, &k); err != nil {
			return err
		}
		aggregates[k.Key] = k.Aggregate
	}
	// Empty tables are written as well, with their heading.
	for _, t := range tables {
		if err := writeFile(ctx, join(c.Out, "tables", t.name+".csv"), func(w io.Writer) error {
			return csvfile.Write(w, t.rows(aggregates, c.Metrics))
		}); err != nil {
			return err
		}
	}
	return writeFile(ctx, join(c.Out, summaryFile),
		func(w io.Writer) error { return jsontext.Write(w, summarize(aggregates)) })
}

// A table shows aggregates by some parts of their key, merged over the other parts.
type table struct {
	name string
	keys []string // keys of the parts
	// part returns the parts of a key, or false for aggregates that are not in the table.
	part   func(k aggregateKey) (aggregateKey, bool)
	values func(metrics []string) []tableValue // the columns after the key's columns
}

// tables are the tables of a run, each a CSV file.
var tables = []table{
	{"cells", []string{"model", "site", "method", "class"},
		func(k aggregateKey) (aggregateKey, bool) { return k, k.Method != "" }, classValues},
	{"by_class", []string{"model", "method", "class"}, func(k aggregateKey) (aggregateKey, bool) {
		k.Site = ""
		return k, k.Method != ""
	}, classValues},
	{"by_method", []string{"model", "method"}, func(k aggregateKey) (aggregateKey, bool) {
		return aggregateKey{Model: k.Model, Method: k.Method}, k.Method != ""
	}, scoreValues},
	{"by_site", []string{"model", "site", "method"}, func(k aggregateKey) (aggregateKey, bool) {
		return aggregateKey{Model: k.Model, Site: k.Site, Method: k.Method}, k.Method != ""
	}, scoreValues},
	{"bags", []string{"model", "site"}, func(k aggregateKey) (aggregateKey, bool) {
		return k, k.Method == "" && k.Kind == ""
	}, bagValues},
	{"errors", []string{"model", "site", "kind"},
		func(k aggregateKey) (aggregateKey, bool) { return k, k.Kind != "" }, bagValues},
}

// A tableValue is a column of numbers.
type tableValue struct {
	title string
	of    func(c Aggregate) string
}

// bagValues returns the columns of a table of bags.
func bagValues([]string) []tableValue {
	return []tableValue{whole("bags", func(c Aggregate) int64 { return c.Count })}
}

// scoreValues returns the columns of a table of methods: the scores, and each requested metric with
// its standard error and number of explanations, over all and over the nontrivial ones. The scale
// is the largest of all bags.
func scoreValues(metrics []string) []tableValue {
	out := []tableValue{
		whole("explanations", func(c Aggregate) int64 { return c.Count }),
		mean("score", meanScore), sem("score_sem", meanScore), mean("top_score", meanTop),
		{"scale", scaleText},
	}
	for _, info := range metric.Metrics() {
		if slices.Contains(metrics, info.Name) {
			key := info.Key()
			out = append(out, mean(key, info.Name), sem(key+"_sem", info.Name),
				count(key+"_n", info.Name), mean(key+"_nontrivial", info.Name+nontrivial),
				count(key+"_nontrivial_n", info.Name+nontrivial))
		}
	}
	return out
}

// scaleText returns the scale of an aggregate, "" if there is none.
func scaleText(c Aggregate) string {
	if c.Scale == 0 {
		return ""
	}
	return number(c.Scale)
}

// classValues returns all columns, including those that are only defined within one class.
func classValues(metrics []string) []tableValue {
	return slices.Insert(scoreValues(metrics), 1,
		whole("predicted", func(c Aggregate) int64 { return c.Predicted }),
		mean("prediction", meanPrediction))
}

// whole returns a column of whole numbers.
func whole(title string, of func(c Aggregate) int64) tableValue {
	return tableValue{title, func(c Aggregate) string { return strconv.FormatInt(of(c), 10) }}
}

// count, mean and sem return columns of the mean with this name: its number of values, its value
// and its standard error.
func count(title, name string) tableValue {
	return whole(title, func(c Aggregate) int64 { return c.mean(name).N })
}

// mean returns a column of the means with this name.
func mean(title, name string) tableValue {
	return tableValue{title, func(c Aggregate) string { return number(c.mean(name).Mean()) }}
}

// sem returns a column of their standard errors.
func sem(title, name string) tableValue {
	return tableValue{title, func(c Aggregate) string { return number(c.mean(name).SEM()) }}
}

// number formats a number with all its digits, and NaN as "".
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// rows returns the table, sorted by its key, with classes in the model's order.
func (t *table) rows(aggregates map[aggregateKey]Aggregate, metrics []string) [][]string {
	merged := map[aggregateKey]*Aggregate{}
	for k, c := range aggregates {
		// Aggregates whose keys have the same parts are merged. Merging is exact, so that the order
		// of the map does not matter.
		part, ok := t.part(k)
		if !ok {
			continue
		}
		if merged[part] == nil {
			merged[part] = &Aggregate{}
		}
		merged[part].merge(c)
	}
	values := t.values(metrics)
	head := slices.Clone(t.keys)
	for _, v := range values {
		head = append(head, v.title)
	}
	out := [][]string{head}
	for _, k := range slices.SortedFunc(maps.Keys(merged), aggregateKey.compare) {
		row := []string{}
		for _, name := range t.keys {
			row = append(row, map[string]string{"model": k.Model, "site": k.Site,
				"method": k.Method, "class": k.Class, "kind": k.Kind}[name])
		}
		for _, v := range values {
			row = append(row, v.of(*merged[k]))
		}
		out = append(out, row)
	}
	return out
}

// compare orders keys by their parts, and classes by their index rather than their name.
func (k aggregateKey) compare(o aggregateKey) int {
	return cmp.Or(cmp.Compare(k.Model, o.Model), cmp.Compare(k.Site, o.Site),
		cmp.Compare(k.Method, o.Method), cmp.Compare(k.Number, o.Number), cmp.Compare(k.Class,
			o.Class), cmp.Compare(k.Kind, o.Kind))
}
