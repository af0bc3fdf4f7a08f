package offload_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
)

// A linear game scores a coalition by the sums of its members' values, squashed: its evaluations
// cost little beside a surrogate.
type linear struct {
	k  int
	h  []float64 // (instance, class)
	by core.Arithmetic
}

const linearClasses = 3

func newLinear(k int, by core.Arithmetic) *linear {
	rng := rand.New(rand.NewPCG(71, uint64(k)))
	g := &linear{k: k, h: make([]float64, k*linearClasses), by: by}
	for i := range g.h {
		g.h[i] = rng.NormFloat64() / math.Sqrt(float64(k))
	}
	return g
}

func (g *linear) Task() core.Task {
	return core.Task{Instances: g.k, Classes: linearClasses, Scale: core.ScaleLogits}
}

func (g *linear) Arithmetic() core.Arithmetic { return g.by }

func (g *linear) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	offload.CPU{}.Sums(dst, z, g.h, linearClasses)
	return nil
}

// TestArithmeticOfExplanations compares the scores, standard errors and R² of every method under
// the kernels with those under plain loops.
func TestArithmeticOfExplanations(t *testing.T) {
	for _, o := range []struct {
		k int
		methods.Options
	}{
		{12, methods.Options{Samples: 90, Alpha: .2}},
		{70, methods.Options{Samples: 300, Alpha: .05, Paired: true}},
		{130, methods.Options{Samples: 700, Alpha: .9, Beta: 1}}, // most instances in
		{130, methods.Options{Samples: 400, Alpha: .01, Beta: -2}},
		{300, methods.Options{Samples: 150, Alpha: .3}}, // the dual
		{300, methods.Options{Samples: 150, Alpha: .3, Paired: true}},
		{40, methods.Options{Samples: 200, Alpha: .3, Preset: methods.PresetReference}},
		{90, methods.Options{Samples: 300, Efficiency: methods.EmptyZero}},
		{200, methods.Options{Samples: 100, Efficiency: methods.EmptyUniform}},
	} {
		var list []core.Method
		for _, m := range methods.All() {
			if m.Name != "inherent" {
				list = append(list, m.New(o.Options))
			}
		}
		explain := func(by core.Arithmetic) *core.Report {
			return must.Get(core.Explain(t.Context(), newLinear(o.k, by),
				core.Request{Methods: list, GameOptions: core.GameOptions{Seed: 5}}))(t)
		}
		fast, plain := explain(offload.CPU{}), explain(nil)
		must.Equal(t, fast.Evaluations, plain.Evaluations, o)
		for i, want := range plain.Explanations {
			got := fast.Explanations[i]
			where := fmt.Sprintf("k = %d, %s, class %d", o.k, got.Method, got.Class)
			within := 1e-9
			if len(want.Notes) > 0 {
				within = 1e-5 // a ridge may have taken the choice, to about six digits
			}
			closeTo(t, where+", scores", got.Scores, want.Scores, within)
			closeTo(t, where+", standard errors", got.StdErr, want.StdErr, within)
			if want.R2 == want.R2 {
				closeTo(t, where+", R²", []float64{got.R2}, []float64{want.R2}, within)
			}
		}
	}
}

// closeTo fails where numbers differ by more than a part of the largest.
func closeTo(t *testing.T, what string, got, want []float64, within float64) {
	t.Helper()
	must.Equal(t, len(got), len(want), what)
	top := 0.0
	for _, v := range want {
		top = max(top, math.Abs(v))
	}
	for i, v := range want {
		if got[i] != v && !(math.Abs(got[i]-v) <= within*top) { // infinite ones are equal
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// TestArithmeticEqualsPlain compares each product with that of core.PlainArithmetic.
func TestArithmeticEqualsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	for _, s := range [][2]int{{1, 1}, {3, 65}, {70, 64}, {130, 33}, {65, 200}} {
		n, k := s[0], s[1]
		z := core.NewCoalitions(k, n)
		for range n {
			row := z.AppendEmpty()
			for i := range k {
				row[i/64] |= rng.Uint64() & 1 << (i % 64)
			}
		}
		const d = 3
		w, h, r, a, b := numbers(n), numbers(k*d), numbers(n*d), numbers(n*k), numbers(k*d)
		for name, product := range map[string]func(by core.Arithmetic) []float64{
			"Gram": func(by core.Arithmetic) []float64 {
				x := make([]float64, k*k)
				by.Gram(x, z, w)
				return x
			},
			"Sums": func(by core.Arithmetic) []float64 {
				x := make([]float64, n*d)
				by.Sums(x, z, h, d)
				return x
			},
			"InstanceSums": func(by core.Arithmetic) []float64 {
				x := make([]float64, k*d)
				by.InstanceSums(x, z, r, d)
				return x
			},
			"Overlaps": func(by core.Arithmetic) []float64 {
				x := make([]float64, n*n)
				by.Overlaps(x, z, z)
				return x
			},
			"Subtract": func(by core.Arithmetic) []float64 {
				x := make([]float64, n*d)
				by.Subtract(x, d, a, k, 1, b, d, n, d, k)
				return x
			},
		} {
			got, want := product(offload.CPU{}), product(core.PlainArithmetic())
			for i, v := range want {
				if !(math.Abs(got[i]-v) <= 1e-13*float64(n+k)) {
					t.Fatalf("%s of %d coalitions of %d instances: element %d is %v, want %v", name,
						n, k, i, got[i], v)
				}
			}
		}
	}
}

func BenchmarkSurrogate(b *testing.B) {
	for _, c := range []struct {
		k      int
		method core.Method
	}{
		{264, methods.MILLI{Sampling: methods.Sampling{Samples: 1000}, Alpha: .008, Beta: -5}},
		{264, methods.RandomSHAP{Sampling: methods.Sampling{Samples: 1000}}},
		{900, methods.RandomSHAP{Sampling: methods.Sampling{Samples: 1000}}},
		{10_000, methods.MILLI{Sampling: methods.Sampling{Samples: 1000}}},
		{100_000, methods.MILLI{Sampling: methods.Sampling{Samples: 1000},
			Rank: methods.RankExplained}},
	} {
		b.Run(fmt.Sprintf("%s/k=%d", c.method.Name(), c.k), func(b *testing.B) {
			g := newLinear(c.k, offload.CPU{})
			b.ReportAllocs()
			for b.Loop() {
				must.Get(core.Explain(context.Background(), g,
					core.Request{Methods: []core.Method{c.method}, Classes: []int{0}}))(b)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
		})
	}
}
