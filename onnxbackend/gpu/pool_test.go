//go:build gpu

package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	cpu "github.com/bagscope/bagscope/onnxbackend/kernel"
)

// drawn returns n coalitions of k instances, of one member at least.
func drawn(r *rand.Rand, n, k int, density float64) *core.Coalitions {
	z := core.NewCoalitions(k, n)
	for range n {
		members := []int{r.IntN(k)}
		for i := range k {
			if r.Float64() < density {
				members = append(members, i)
			}
		}
		z.AppendMembers(members...)
	}
	return z
}

// numbers returns n normally distributed numbers.
func numbers(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// ordered is the largest members of columns, take of each.
func ordered(values []float32, k, columns, take, inner int) device.Pooled {
	p := device.Pooled{Columns: columns, Values: values, Take: take, Inner: inner}
	for c := range columns {
		order := make([]int32, k)
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			switch x, y := values[int(a)*columns+c], values[int(b)*columns+c]; {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		p.Order = append(p.Order, order...)
	}
	return p
}

// checkPool holds sums of a width, and the largest members of columns, to the CPU's.
func checkPool(t *testing.T, p *processor, n, k, width, columns, take int, density float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	z, rows, values := drawn(r, n, k, density), numbers(r, k*width), numbers(r, k*columns)
	inner := 1
	if columns%3 == 0 {
		inner = 3
	}
	h, err := p.Hold(k, []device.Pooled{{Columns: width, Values: rows},
		ordered(values, k, columns, take, inner), {Columns: 1, Values: rows[:k]}})
	if err != nil || h == nil {
		t.Fatalf("n %d, k %d: %v, %v", n, k, h, err)
	}
	words := (k + 63) / 64
	for range 2 { // what is held stays
		got := must.Get(h.Pool(context.Background(), z.Words(), words, n))(t)
		for i, d := range []int{width, 0, 1} {
			if d == 0 {
				continue
			}
			want := make([]float32, n*d)
			cpu.MaskedSum(want, z.Words(), words, n, rows[:k*d], k, d)
			worst, scale := 0.0, 1e-30
			for j, v := range want {
				worst, scale = max(worst, math.Abs(float64(got[i][j]-v))), max(scale,
					math.Abs(float64(v)))
			}
			if !(worst <= 1e-5*scale) {
				t.Errorf("n %d, k %d, %d columns: sums are off by %g of the largest", n, k, d,
					worst/scale)
			}
		}
		for j := range n {
			members := z.Members(nil, j)
			for c := range columns {
				var column []float32
				for _, i := range members {
					column = append(column, values[i*columns+c])
				}
				slices.SortFunc(column, func(a, b float32) int {
					return int(math.Copysign(1, float64(b-a)))
				})
				for m := range min(take, len(column)) {
					at := j*columns*take + c/inner*take*inner + c%inner + m*inner
					if v := got[1][at]; v != column[m] {
						t.Fatalf(
							"n %d, k %d: member %d of column %d of coalition %d is %v, want %v", n,
							k, m, c, j, v, column[m])
					}
				}
			}
		}
	}
}

func TestPool(t *testing.T) {
	p := processorFor(t)
	for _, c := range []struct {
		n, k, width, columns, take int
		density                    float64
	}{
		{1, 1, 1, 1, 1, 1},
		{1, 33, 3, 3, 2, 0.5},
		{2, 31, 65, 7, 1, 0.4},
		{65, 32, 64, 6, 3, 0.6},
		{63, 64, 5, 9, 1, 0.02},
		{130, 300, 67, 2, 4, 0.5},
		{17, 2048, 4, 3, 1, 0.5},
		{3, 2049, 4, 3, 1, 1},
		{5, 5000, 130, 1, 2, 0.3},
	} {
		checkPool(t, p, c.n, c.k, c.width, c.columns, c.take, c.density)
	}
}

// TestPoolLimits pools where the instances, the orders and the results of a batch are more than can
// be bound at a time, and counts workgroups over two dimensions.
func TestPoolLimits(t *testing.T) {
	p := narrowed(t, limits{groups: 3, binding: 64 << 10}, 0)
	// three parts of rows, three of orders, 60 coalitions at a time
	checkPool(t, p, 70, 5000, 4, 7, 2, 0.5)
	checkPool(t, p, 700, 100, 70, 40, 1, 0.5)
	if h, err := p.Hold(20_000, []device.Pooled{ordered(make([]float32, 20_000), 20_000, 1, 1,
		1)}); h != nil || err != nil {
		t.Errorf("an order beyond what can be bound: %v, %v", h, err)
	}
	small := narrowed(t, limits{}, 100_000)
	if h, err := small.Hold(1000, []device.Pooled{{Columns: 50,
		Values: make([]float32, 50_000)}}); h != nil || err != nil {
		t.Errorf("rows beyond the device's memory: %v, %v", h, err)
	}
	var back *device.Retreat
	if h, err := small.Hold(64, []device.Pooled{{Columns: 100,
		Values: make([]float32, 6400)}}); err != nil {
		t.Error(err)
	} else if _, err := h.Pool(context.Background(), make([]uint64, 1000), 1, 1000); !errors.As(err,
		&back) || back.Lost {
		t.Errorf("results beyond the device's memory: %v", err)
	}
}

// TestPoolNonFinite leaves what is no number, and sums that are beyond float32, to the CPU.
func TestPoolNonFinite(t *testing.T) {
	p := processorFor(t)
	if h, err := p.Hold(2, []device.Pooled{{Columns: 1,
		Values: []float32{1, float32(math.NaN())}}}); h != nil || err != nil {
		t.Errorf("%v, %v", h, err)
	}
	h := must.Get(p.Hold(2, []device.Pooled{{Columns: 1, Values: []float32{3e38, 3e38}}}))(t)
	var back *device.Retreat
	if _, err := h.Pool(context.Background(), []uint64{3}, 1, 1); !errors.As(err, &back) ||
		back.Lost {
		t.Errorf("an overflow: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Pool(ctx, []uint64{1}, 1, 1); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// checkGram holds a weighted Gram matrix to the CPU's, to within what float64 gives, whatever the
// sizes of weights.
func checkGram(
	t *testing.T, p *processor, n, k int, density float64, weight func(r *rand.Rand) float64,
) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	z, w, total := drawn(r, n, k, density), make([]float64, n), 0.0
	for j := range w {
		w[j] = weight(r)
		total += math.Abs(w[j])
	}
	words := (k + 63) / 64
	got, want := make([]float64, k*k), make([]float64, k*k)
	done, err := p.Gram(context.Background(), got, z.Words(), words, n, k, w)
	if err != nil || !done {
		t.Fatalf("n %d, k %d: %v, %v", n, k, done, err)
	}
	cpu.WeightedGram(want, z.Words(), words, n, k, w)
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-13*total) {
			t.Fatalf("n %d, k %d: element (%d, %d) is %v, want %v", n, k, i/k, i%k, got[i], v)
		}
	}
}

func TestGram(t *testing.T) {
	p := processorFor(t)
	weights := map[string]func(r *rand.Rand) float64{
		"signed": func(r *rand.Rand) float64 { return r.NormFloat64() },
		"uneven": func(r *rand.Rand) float64 { return math.Exp(20 * r.NormFloat64()) },
		"tiny":   func(r *rand.Rand) float64 { return 1e-200 * r.Float64() },
		"ones":   func(*rand.Rand) float64 { return 1 },
	}
	for name, w := range weights {
		t.Run(name, func(t *testing.T) {
			for _, c := range [][2]int{{1, 1}, {5, 31}, {127, 32}, {128, 33}, {129, 64}, {300, 100},
				{2000, 65}} {
				checkGram(t, p, c[0], c[1], 0.5, w)
			}
			checkGram(t, p, 200, 70, 0.05, w)
			checkGram(t, p, 66_000, 3, 0.9, w) // more rows than limbs hold
		})
	}
	// two tiles at a time, and 400 rows
	narrow := narrowed(t, limits{groups: 3, binding: 20 << 10}, 0)
	checkGram(t, narrow, 900, 130, 0.5, weights["signed"])
	for _, w := range []float64{math.NaN(), math.Inf(1), 0} {
		if done, err := p.Gram(context.Background(), []float64{0}, []uint64{1}, 1, 1, 1,
			[]float64{w}); done || err != nil {
			t.Errorf("weight %v: %v, %v", w, done, err)
		}
	}
}

// TestPoolLost has the device fail while it pools, after which it computes nothing more.
func TestPoolLost(t *testing.T) {
	p := narrowed(t, limits{}, 0)
	h := must.Get(p.Hold(2, []device.Pooled{{Columns: 1, Values: []float32{1, 2}}}))(t)
	p.fail = errors.New("the cable was pulled out")
	var back *device.Retreat
	if _, err := h.Pool(context.Background(), []uint64{3}, 1, 1); !errors.As(err, &back) ||
		!back.Lost {
		t.Errorf("%v", err)
	}
	if _, err := p.Hold(2, nil); !errors.As(err, &back) {
		t.Errorf("%v", err)
	}
	if done, err := p.Gram(context.Background(), []float64{0}, []uint64{1}, 1, 1, 1,
		[]float64{1}); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
}
