package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// functions is every elementwise function beside its name, its truth, and how many units in the
// last place of a float32 it may be away from it. The unit is that of of(x), or of the result if of
// is nil: a product with a factor that cancels has no small relative error.
var functions = []struct {
	name   string
	kernel func(dst, src []float32)
	truth  func(float64) float64
	units  float64
	of     func(x float64) float64
}{
	{"exp", Exp, math.Exp, 1, nil},
	{"tanh", Tanh, math.Tanh, 2.7, nil},
	{"sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 2.5, nil},
	{"erf", Erf, math.Erf, 1.5, nil},
	{"swish", Swish, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 3.5,
		func(x float64) float64 { return x * max(0x1p-126, 1/(1+math.Exp(-x))) }},
	{"gelu", Gelu, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, 2.5,
		func(x float64) float64 { return x / 2 }},
	{"hardSwish", HardSwish, func(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }, 2,
		func(x float64) float64 { return x }},
}

// allowed returns the unit of a function's error at x, where it should be want.
func allowed(of func(x float64) float64, x, want float64) float64 {
	if of != nil {
		return max(unit(of(x)), unit(want))
	}
	return unit(want)
}

// arguments are the places where such functions break, their neighbours, and every step-th float32.
func arguments(step uint32) []float32 {
	inf := float32(math.Inf(1))
	var x []float32
	for _, v := range []float32{0, 1, 4, 9.5, 19, 0.5, 87, 87.33655, 88, 88.72283, 88.72284, 89, 90,
		103, 103.28, 103.97208,
		104, 1e-40, math.SmallestNonzeroFloat32, 1.1754944e-38, math.MaxFloat32, inf} {
		for _, w := range []float32{v, math.Nextafter32(v, inf), math.Nextafter32(v, -inf)} {
			x = append(x, w, -w)
		}
	}
	x = append(x, float32(math.NaN()), math.Float32frombits(0xffc12345))
	for b := uint64(0); b < 1<<32; b += uint64(step) {
		x = append(x, math.Float32frombits(uint32(b)))
	}
	return x
}

// unit is the distance of the float32 around v, also below the normal range.
func unit(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-24, -149))
}

func TestElementwiseAccuracy(t *testing.T) {
	step := uint32(2039)
	if testing.Short() {
		step = 65521
	}
	x := arguments(step)
	y := make([]float32, len(x))
	for _, f := range functions {
		f.kernel(y, x)
		var worst, where float64
		for i, v := range x {
			want := f.truth(float64(v))
			if math.IsNaN(want) || math.IsInf(float64(float32(want)), 0) {
				if math.Float32bits(y[i])&^(1<<31) != math.Float32bits(float32(want))&^(1<<31) &&
					!(math.IsNaN(want) && y[i] != y[i]) {
					t.Errorf("%s(%v) = %v, want %v", f.name, v, y[i], want)
				}
				continue
			}
			if d := math.Abs(float64(y[i])-want) / allowed(f.of, float64(v), want); !(d <= worst) {
				worst, where = d, float64(v)
			}
		}
		t.Logf("%s: %.3f units at %v", f.name, worst, where)
		must.Equal(t, worst <= f.units, true, f.name, where, worst, f.units)
	}
}

// TestElementwiseAlike holds every level to the loops in Go, bit for bit, NaN apart.
func TestElementwiseAlike(t *testing.T) {
	x := arguments(16381)
	for id, f := range functions {
		want := make([]float32, len(x))
		elementwisePortable(function(id), want, x)
		atLevels(t, func(t *testing.T) {
			got, check := guarded(len(x))
			f.kernel(got, x)
			check(t)
			for i := range x {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) &&
					(got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%s(%v) = %v, in Go %v", f.name, x[i], got[i], want[i])
				}
			}
		})
	}
}

// TestElementwiseLengths tries every remainder of a vector, and dst = src.
func TestElementwiseLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	atLevels(t, func(t *testing.T) {
		for id, f := range functions {
			for n := range 50 {
				x := random(r, n)
				want := make([]float32, n)
				elementwisePortable(function(id), want, x)
				y, check := guarded(n)
				copy(y, x)
				f.kernel(y, y)
				check(t)
				for i := range y {
					if y[i] != want[i] {
						t.Fatalf("%s of %d: element %d is %v, want %v", f.name, n, i, y[i], want[i])
					}
				}
			}
		}
	})
}

func TestElementwiseSigns(t *testing.T) {
	zero := math.Float32frombits(1 << 31)
	for _, f := range functions {
		if f.name != "tanh" && f.name != "erf" {
			continue
		}
		y := []float32{zero}
		f.kernel(y, y)
		must.Equal(t, math.Float32bits(y[0]), 1<<31, f.name, y[0])
	}
}

func FuzzElementwise(f *testing.F) {
	f.Add(uint32(0x3f800000), uint8(0))
	f.Add(uint32(0xc2aeac50), uint8(1))
	f.Fuzz(func(t *testing.T, bits uint32, id uint8) {
		id %= uint8(len(functions))
		x := math.Float32frombits(bits)
		var want [1]float32
		elementwisePortable(function(id), want[:], []float32{x})
		atLevels(t, func(t *testing.T) {
			var got [1]float32
			functions[id].kernel(got[:], []float32{x})
			if got != want && (got[0] == got[0] || want[0] == want[0]) {
				t.Errorf("%s(%v) = %v, in Go %v", functions[id].name, x, got[0], want[0])
			}
		})
		truth := functions[id].truth(float64(x))
		if d := math.Abs(float64(want[0]) - truth); d > functions[id].units*
			allowed(functions[id].of, float64(x), truth) &&
			!math.IsInf(float64(float32(truth)), 0) {
			t.Errorf("%s(%v) = %v, want %v", functions[id].name, x, want[0], truth)
		}
	})
}

func BenchmarkElementwise(b *testing.B) {
	best := current
	defer func() { current = best }()
	x := random(rand.New(rand.NewPCG(13, 14)), 4096)
	y := make([]float32, len(x))
	for _, f := range functions {
		for l := best; ; l-- {
			b.Run(fmt.Sprintf("%s/%v", f.name, l), func(b *testing.B) {
				current = l
				b.ReportAllocs()
				for b.Loop() {
					f.kernel(y, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)),
					"ns/value")
			})
			if l == portable {
				break
			}
		}
	}
}
