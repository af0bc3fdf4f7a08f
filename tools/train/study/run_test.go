package study

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// drawn is a small set of drawn digits, opened once.
var drawn = func() *dataset.Set {
	set, err := dataset.Open("digits", "", dataset.Options{Train: 1, Validation: 1, Test: 12})
	if err != nil {
		panic(err)
	}
	return set
}()

// options ask for cheap methods on the drawn digits, of two repeats and two architectures.
func options(t *testing.T, m *oracle, dir string) Options {
	t.Helper()
	m.truth = drawn.Truth
	methods := must.Get(methods.New([]string{"inherent", "single", "milli"},
		methods.Options{Samples: 60}))(t)
	a := Architectures()
	return Options{
		Set:    drawn,
		Models: []File{{a[1], 0, "a"}, {a[0], 1, "b"}, {a[1], 1, "c"}},
		Open: func(_ context.Context, path string) (core.Model, string, error) {
			return m, path, nil
		},
		Job: Job{Truth: drawn.Truth, Methods: methods, SkipMissing: true,
			Judging: metric.Options{Metrics: []string{metric.NameNDCG, metric.NameAOPCR}}},
		Limit: 8, Workers: 2, Store: Store{Dir: dir},
	}
}

// all is a report in its three forms.
func all(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	for _, write := range []func() error{func() error { return r.Markdown(&b) },
		func() error { return r.CSV(&b) }, func() error { return r.LaTeX(&b) }} {
		must.Do(t, write())
	}
	return b.String()
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	return runIn(t, t.Context(), o, nil)
}

// runIn prepares a study and runs it in a context that may end, with an error.
func runIn(t *testing.T, ctx context.Context, o Options, end error) *Report {
	t.Helper()
	p := must.Get(Prepare(o))(t)
	r, err := p.Run(ctx)
	must.Is(t, err, end)
	return r
}

// TestRunOfKnownModel checks rows, columns and counts, and the values of a model that knows the
// labels.
func TestRunOfKnownModel(t *testing.T) {
	r := run(t, options(t, &oracle{}, ""))
	if len(r.Columns) != 2 || r.Columns[0].Name != "mi_net" || r.Columns[0].Bags != 8 ||
		r.Columns[1].Bags != 16 || !slices.Equal(r.Columns[1].Repeats, []int{0, 1}) {
		t.Fatalf("columns %+v", r.Columns)
	}
	tables := r.Tables()
	if len(tables) != 2 || tables[0].Metric.Name != metric.NameNDCG || !tables[0].Trivial {
		t.Fatalf("%d tables", len(tables))
	}
	value := map[string]Row{}
	var names []string
	for _, row := range tables[0].Rows {
		value[row.Method] = row
		names = append(names, row.Method)
	}
	must.EqualSlices(t, names, []string{"single", "milli", metric.RowRandom, metric.RowOracle})
	// Alone and together, every instance weighs what it is worth.
	if s := value["single"].Overall.Mean; s < .999 {
		t.Errorf("NDCG of Single is %v on a model that knows the labels", s)
	}
	if r := value[metric.RowRandom]; r.Overall.Mean > .7 || !(r.Cells[1].RepeatSEM > 0) ||
		!math.IsNaN(r.Overall.RepeatSEM) {
		t.Errorf("a random order has %+v", r)
	}
	must.Contain(t, all(t, r), "inherent: the model has no output of instance scores")
}

// TestResumedStudyEqualsUninterrupted interrupts a study halfway. The result has the same bytes,
// and no bag is judged twice.
func TestResumedStudyEqualsUninterrupted(t *testing.T) {
	want := all(t, run(t, options(t, &oracle{}, "")))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	m := &oracle{bind: func(n int32) {
		if n == 10 {
			cancel()
		}
	}}
	runIn(t, ctx, options(t, m, dir), context.Canceled)
	m.bind = nil
	first := m.bound.Load()
	var stored int
	o := options(t, m, dir)
	o.Progress = func(_, s, total int) {
		stored = s
		if total != 24 {
			t.Errorf("%d bags in all", total)
		}
	}
	must.Equal(t, all(t, run(t, o)), want, "a study that was interrupted ends with other tables")
	// Up to two bags were under way when the study was stopped.
	must.Equal(t, int((m.bound.Load()-first))+stored, 24, first, stored)
	must.Equal(t, stored >= 6, true, first, stored)
	before := m.bound.Load()
	must.Equal(t, all(t, run(t, options(t, m, dir))), want)
	must.Equal(t, m.bound.Load(), before)
}

func TestStoreKeyDependsOnEverySetting(t *testing.T) {
	for what, change := range map[string]func(o *Options){
		"seed":   func(o *Options) { o.Seed = 5 },
		"method": func(o *Options) { o.Job.Methods = o.Job.Methods[:2] },
		"setting": func(o *Options) {
			o.Job.Methods[2] = methods.MILLI{
				Sampling: methods.Sampling{Samples: 61}}
		},
		"metric": func(o *Options) { o.Job.Judging.Metrics = nil },
		"preset": func(o *Options) { o.Job.Judging.Preset = methods.PresetReference },
		"truth":  func(o *Options) { o.Job.Truth = drawn.Truth[1:] },
		"output": func(o *Options) { o.Job.Output = core.OutputLogit },
		"classes": func(o *Options) {
			o.Job.Classes = func(*core.Bag, core.Task) ([]int, error) { return []int{1}, nil }
		},
		"model": func(o *Options) {
			o.Open = func(ctx context.Context, _ string) (core.Model, string, error) {
				m, _, err := options(t, &oracle{}, "").Open(ctx, "")
				return m, "other", err
			}
		},
		"bag":      func(o *Options) { o.Bags = reversed(t) },
		"nothing!": func(*Options) {},
	} {
		dir := t.TempDir()
		o := options(t, &oracle{}, dir)
		o.Models, o.Limit = o.Models[:1], 2
		run(t, o)
		change(&o)
		stored := 0
		o.Progress = func(_, s, _ int) { stored = s }
		run(t, o)
		if same := what == "nothing!"; (stored == 2) != same || (stored == 0) == same {
			t.Errorf("%s: %d of 2 results came out of the store", what, stored)
		}
	}
}

// reversed are the test bags of repeat 0 with their instances in the other order, under the same
// names.
func reversed(t *testing.T) []dataset.Example {
	t.Helper()
	split := must.Get(drawn.Split(0))(t)
	var out []dataset.Example
	for _, e := range split.Test {
		bag := must.Get(e.Bag())(t)
		order := make([]int, bag.Len())
		for i := range order {
			order[i] = bag.Len() - 1 - i
		}
		out = append(out, dataset.Hold(bag.Select(order), dataset.FourClasses))
	}
	return out
}

func TestDamagedResultIsComputedAgain(t *testing.T) {
	dir := t.TempDir()
	o := options(t, &oracle{}, dir)
	o.Models, o.Limit = o.Models[:1], 3
	want := all(t, run(t, o))
	files := must.Get(filepath.Glob(filepath.Join(dir, "*", "*")))(t)
	must.Equal(t, len(files), 3)
	for i, text := range []string{"", "nonsense"} {
		must.Do(t, os.WriteFile(files[i], []byte(text), 0o644))
	}
	must.Equal(t, all(t, run(t, o)), want, "a broken store changes the tables")
	stored := 0
	o.Progress = func(_, s, _ int) { stored = s }
	if run(t, o); stored != 3 {
		t.Errorf("%d of 3 results are stored", stored)
	}
}

func TestSmallBagsAreOmittedAndCounted(t *testing.T) {
	o := options(t, &oracle{}, "")
	o.Models = o.Models[:1]
	for size := 1; size <= 4; size++ {
		bag := &core.Bag{Name: fmt.Sprint(size), Shape: []int{1}, Class: []int{1}}
		for i := range size {
			bag.Values, bag.Labels = append(bag.Values, float32(i)), append(bag.Labels, 8*(i%2))
		}
		o.Bags = append(o.Bags, dataset.Hold(bag, dataset.FourClasses))
	}
	r := run(t, o)
	must.Equal(t, r.Small, 2)
	must.Equal(t, r.Columns[0].Bags, 2)
}

func TestFindModels(t *testing.T) {
	dir := t.TempDir()
	must.Fail(t, must.Err(Find(dir, "musk1", 0)), "mi_attn.onnx")
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, nil, 0o644))
	must.Fail(t, must.Err(Find(file, "musk1", 0)), "is a file, but the models must be in a folder")
	touch := func(name string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, nil, 0o644))
	}
	found := func(repeats int) string {
		t.Helper()
		files := must.Get(Find(dir, "musk1", repeats))(t)
		var out []string
		for _, f := range files {
			out = append(out, fmt.Sprint(f.Name, f.Repeat))
		}
		return strings.Join(out, " ")
	}
	touch("mi_gnn.onnx")
	touch("mi_attn.onnx")
	touch("other.onnx")
	must.Equal(t, found(0), "mi_attn0 mi_gnn0", "a flat folder")
	touch("musk1/0/mi_net.onnx")
	touch("musk1/2/mi-net-instance.onnx")
	touch("musk1/2/mi-net-instance.json")
	touch("musk1/9/mi_gnn.onnx")
	touch("tiger/1/mi_gnn.onnx")
	must.Equal(t, found(0), "mi_net0 mi_net_instance2 mi_gnn9", "all repeats")
	must.Equal(t, found(3), "mi_net0 mi_net_instance2", "three repeats")
}
