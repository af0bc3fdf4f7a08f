package methods

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// sampleValue returns a value of an option that is not its default.
func sampleValue(t *testing.T, o core.Option) any {
	t.Helper()
	switch o.Kind {
	case core.KindInteger:
		return 7
	case core.KindNumber:
		return .25
	case core.KindFlag:
		return true
	case core.KindChoice:
		return o.Words()[len(o.Choices)-1]
	case core.KindCoalitions:
		return core.NewCoalitions(3, 1)
	}
	t.Fatalf("%s is of unknown kind %q", o.Name, o.Kind)
	return nil
}

// TestMethodOptions checks that each declaration sets one field of Options, that each field has
// one declaration, and that each option belongs to a method.
func TestMethodOptions(t *testing.T) {
	set := map[string]string{} // field, option
	for _, o := range AllOptions() {
		must.Equal(t, o.Title != "", true, o.Name)
		must.Equal(t, strings.HasSuffix(o.Help, "."), true, o.Name)
		must.Equal(t, len(o.Methods) != 0, true, o.Name)
		must.Equal(t, o.Kind == core.KindInteger || o.Kind == core.KindNumber, o.Range != nil,
			o.Name, o.Kind, o.Range)
		got := must.Get(Options{}.With([]core.Setting{{Name: o.Name, Value: sampleValue(t, o)}}))(t)
		v := reflect.ValueOf(got)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			field := v.Type().Field(i).Name
			if before, ok := set[field]; ok {
				t.Errorf("%s and %s both set %s", before, o.Name, field)
			}
			set[field] = o.Name
		}
	}
	if n := reflect.TypeFor[Options]().NumField(); len(set) != n || len(AllOptions()) != n {
		t.Errorf("%d options set %d of %d fields", len(AllOptions()), len(set), n)
	}
	for _, row := range All() {
		for _, name := range row.Options {
			if _, ok := FindOption(name); !ok {
				t.Errorf("%s has the option %s, which is not declared", row.Name, name)
			}
		}
	}
}

// TestMethodsUseTheirOptions checks that a method uses the options in its row of the table and no
// others.
func TestMethodsUseTheirOptions(t *testing.T) {
	for _, row := range All() {
		for _, o := range AllOptions() {
			options := must.Get(Options{}.With([]core.Setting{{Name: o.Name, Value: sampleValue(t,
				o)}}))(t)
			reaches := !reflect.DeepEqual(row.New(options), row.New(Options{}))
			if takes := slices.Contains(row.Options, o.Name); takes && !reaches {
				t.Errorf("%s does not get %s: copy it in New of its row", row.Name, o.Name)
			} else if told := row.New(options).Settings(5); takes && reflect.DeepEqual(told,
				row.New(Options{}).Settings(5)) {
				t.Errorf("the settings of %s do not tell of %s", row.Name, o.Name)
			}
		}
	}
}

// TestInvalidSettings gives each method an invalid value of each of its options, which a struct can
// have: the error names the option, and nothing is evaluated.
func TestInvalidSettings(t *testing.T) {
	for _, row := range All() {
		for _, name := range row.Options {
			o, _ := FindOption(name)
			options := must.Get(Options{}.With([]core.Setting{{Name: name, Value: sampleValue(t,
				o)}}))(t)
			fields := reflect.ValueOf(&options).Elem()
			for i := range fields.NumField() {
				switch v := fields.Field(i); {
				case v.IsZero():
				case o.Kind == core.KindInteger:
					v.SetInt(-5)
				case o.Kind == core.KindNumber:
					v.SetFloat(math.NaN())
				case o.Kind == core.KindChoice:
					v.SetString("unknown")
				}
			}
			if o.Kind == core.KindFlag {
				continue // both values are valid
			}
			t.Run(row.Name+" "+name, func(t *testing.T) {
				m, g := row.New(options), games.New(t, games.Logits(6))
				_, err := m.Attribute(t.Context(), g, []int{0, 1, 2})
				var setting *core.SettingError
				must.As(t, err, &setting)
				must.Equal(t, setting.Setting, name)
				if v, ok := m.(core.Validator); !ok || v.Validate(g) == nil {
					t.Error("Validate accepts it")
				}
				must.Equal(t, g.Evaluations() <= 0, true, g.Evaluations())
			})
		}
	}
}

func TestOptionsWith(t *testing.T) {
	base := Options{Samples: 150, Alpha: .3, Repeats: true, Distance: DistanceCosine,
		Preset: PresetPaper}
	for _, c := range []struct {
		name  string
		value any
		want  func(o *Options) // nil if the value is rejected
		fault string
	}{
		{"samples", 10, func(o *Options) { o.Samples = 10 }, ""},
		{"samples", 10., func(o *Options) { o.Samples = 10 }, ""},
		{"beta", 0, func(o *Options) { o.Beta = 0 }, ""},
		{"repeats", false, func(o *Options) { o.Repeats = false }, ""},
		{"distance", "l2", func(o *Options) { o.Distance = "" }, ""},
		{"preset", "default", func(o *Options) { o.Preset = PresetDefault }, ""},
		{"preset", "reference", func(o *Options) { o.Preset = PresetReference }, ""},
		{"efficiency", "none", func(o *Options) { o.Efficiency = EmptyNone }, ""},
		{"samples", 0, nil, "must be at least 1, got 0: at least one coalition must be drawn"},
		{"samples", 1.5, nil, "1.5 is not a whole number"},
		{"samples", math.Inf(1), nil, "+Inf is not a whole number"},
		{"samples", "ten", nil, "ten is not a whole number"},
		{"alpha", 0., nil, "must be between 0 and 1, got 0"},
		{"alpha", math.NaN(), nil, "must be between 0 and 1, got NaN"},
		{"alpha", "x", nil, "x is not a number"},
		{"beta", -1001., nil, "must be between -1000 and 1000, got -1001"},
		{"mean-bag", 0, nil, "a bag holds at least one instance"},
		{"paired", 1, nil, "1 is neither true nor false"},
		{"rank", "best", nil, `"best" is unknown; use one of negative-class, explained-class`},
		{"efficiency", 2, nil, `"2" is unknown; use one of none, uniform, zero`},
		{"coalitions", "101", nil, "101 is not a list of coalitions"},
		{"smoothing", 1, nil, "choose one of samples, alpha,"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := base.With([]core.Setting{{Name: c.name, Value: c.value}})
			if c.want != nil {
				want := base
				if c.want(&want); err != nil || got != want {
					t.Errorf("%v: %+v, %v, want %+v", c.value, got, err, want)
				}
				return
			}
			var setting *core.SettingError
			must.Equal(t, errors.As(err, &setting), true, c.value, err, c.fault)
			must.Equal(t, setting.Setting, c.name, c.value, err, c.fault)
			must.Equal(t, strings.Contains(setting.Reason, c.fault), true, c.value, err, c.fault)
		})
	}
}

// outside is a method as a package other than core may write it.
type outside struct{ core.Method }

func (outside) Memory(t core.Task, classes int) core.MethodMemory {
	return core.MethodMemory{Coalitions: 10 * classes, Bytes: 1e9}
}

// TestMemoryByHand compares the need of a sample of 100 coalitions over 129 instances, three
// words each, in a task of 3 classes with the sum of its parts.
func TestMemoryByHand(t *testing.T) {
	got := Sampling{Samples: 100}.Memory(core.Task{Instances: 129, Classes: 3}, 3)
	const sample, system, solutions = 4 * 100 * 24, 3 * 8 * 100 * 100, 4 * 129 * 24
	three := MILLI{Sampling: Sampling{Samples: 100}, Rank: RankExplained}.Memory(
		core.Task{Instances: 129, Classes: 3}, 3)
	must.Equal(t, three.Coalitions, 300)
	must.Equal(t, got.Coalitions, 100, got)
	must.Equal(t, got.Bytes, sample+system+solutions, got)
}

// TestMemoryOfLargeBags compares the needs of methods with the sums of their parts, for two
// explained classes of three: for bags that are too large for a regression or for a cache, and for
// a sample.
func TestMemoryOfLargeBags(t *testing.T) {
	const k = 10_000
	task := core.Task{Instances: k, Classes: 3}
	double := core.Task{Instances: 2 * k, Classes: 3}
	// In each of 32 groups twice as many numbers as instances, for each class and one more, and the
	// scores.
	if got, want := (Shapley{}).Memory(task, 2).Bytes, 2.*32*k*8*3+k*8*3; got != want {
		t.Errorf("Shapley takes %v bytes, want %v", got, want)
	}
	// Five matrices of 500 pairs by instances, and five of instances by instances.
	must.Equal(t, (Shapley{Samples: 1000}).Memory(core.Task{Instances: 300, Classes: 3}, 2),
		core.MethodMemory{Coalitions: 1001, Bytes: 8 * (5*500*300 + 5*300*300)},
		"Shapley with samples takes")
	more := (Consensus{}).Memory(double, 2).Bytes - (Consensus{}).Memory(task, 2).Bytes
	must.Equal(t, more, (8. * 4 * k * (2 + 3)), k)
}

// TestMemoryEstimator checks that the estimate of a request includes the need that a method
// states.
func TestMemoryEstimator(t *testing.T) {
	task := core.Task{Instances: 100, Classes: 3, Negative: -1}
	without := core.Request{Methods: []core.Method{Single{}}, Classes: []int{0, 2}}.Needs(task)
	with := core.Request{Methods: []core.Method{Single{}, outside{Single{}}},
		Classes: []int{0, 2}}.Needs(task)
	held := int64(20 * (2*8 + 3*8)) // values of 20 coalitions of two words
	must.Equal(t, with, (without + held + 1e9 - 4*100*3*8))
	must.As(t, must.Err(core.Explain(context.Background(), games.Logits(4),
		core.Request{Methods: []core.Method{outside{Single{}}}, Memory: 1e9})),
		new(*quota.MemoryError))
}
