// Package enginetest has what tests of several packages of the engine share: small models and bags,
// files of the repository, and comparisons of two ways to compute the same scores. A Check function
// fails its test.
package enginetest

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// EncoderOf returns what encodes the bags of a model.
func EncoderOf(m *onnxbackend.Model) *prefix.Encoder { return expose.Encoder(m) }

// ProgramsOf returns the suffixes that a model remembers.
func ProgramsOf(m *onnxbackend.Model) *suffix.Cache { return expose.Programs(m) }

// EvaluatorOf returns what scores the coalitions of a bound bag.
func EvaluatorOf(b *onnxbackend.Bound) *suffix.Evaluator { return expose.Evaluator(b) }

// OpenAndBind opens a model and binds a bag.
func OpenAndBind(
	t testing.TB, data []byte, o onnxbackend.Options, bag *core.Bag,
) *onnxbackend.Bound {
	t.Helper()
	return Bind(t, Open(t, data, o), bag, nil)
}

// HelpersOf returns helpers that run tasks on other models of the same file.
func HelpersOf(helpers ...*onnxbackend.Model) *onnxbackend.Helpers {
	send := func(ctx context.Context, i int, task []byte) ([]byte, error) {
		return helpers[i].RunTask(ctx, slices.Clone(task)) // a message does not share memory
	}
	return &onnxbackend.Helpers{Count: len(helpers), Send: send}
}

// Bind binds a bag with helpers, which may be nil.
func Bind(
	t testing.TB, m *onnxbackend.Model, bag *core.Bag, helpers *onnxbackend.Helpers,
) *onnxbackend.Bound {
	t.Helper()
	return must.Get(m.BindWith(context.Background(), bag, helpers, nil))(t)
}

// RandomCoalitions returns n coalitions of a bag of k instances, of random sizes.
func RandomCoalitions(k, n int) *core.Coalitions {
	z := core.NewCoalitions(k, n)
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		z.AppendMembers(r.Perm(k)[:1+r.IntN(k)]...)
	}
	return z
}

// CheckParts compares the scores of coalitions of a bound bag with predictions of bags that hold
// their members only.
func CheckParts(
	t *testing.T, m *onnxbackend.Model, b *onnxbackend.Bound, bag *core.Bag, z *core.Coalitions,
	tolerance float64,
) {
	t.Helper()
	got := make([]float64, z.Len()*b.Task().Classes)
	must.Do(t, b.Evaluate(context.Background(), got, z))
	var want []float64
	for j := range z.Len() {
		p := must.Get(m.Predict(context.Background(), bag.Select(z.Members(nil, j))))(t)
		want = append(want, p.Scores...)
	}
	CheckNear(t, "scores", got, want, tolerance)
}

// KeepPools stops the collector, which empties pools of idle memory, so that allocations can be
// counted. It skips short tests, because the race detector empties pools at random.
func KeepPools(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs short tests, empties pools at random")
	}
	before := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}

// CheckStrategyEqualsPlain compares a bound model with runs of the whole graph on coalitions of
// every size, among them growing and shrinking ones, such as perturbation curves have.
func CheckStrategyEqualsPlain(t *testing.T, b *onnxbackend.Bound, model []byte, bag *core.Bag) {
	t.Helper()
	k := bag.Len()
	plain := OpenAndBind(t, model, onnxbackend.Options{Plain: true}, bag)
	z := core.NewCoalitions(k, 0)
	r := rand.New(rand.NewPCG(3, uint64(k)))
	order := r.Perm(k)
	for m := 1; m <= k; m++ {
		z.AppendMembers(order[:m]...)
	}
	for range 20 {
		z.AppendMembers(r.Perm(k)[:1+r.IntN(k)]...)
	}
	for m := range k - 1 {
		z.AppendWithout(order[:m]...)
	}
	got := make([]float64, z.Len()*b.Task().Classes)
	want := slices.Clone(got)
	var alone []float64
	for j := range z.Len() {
		row := want[j*b.Task().Classes : (j+1)*b.Task().Classes]
		errPlain := plain.Evaluate(context.Background(), row, z.Slice(j, j+1))
		err := b.Evaluate(context.Background(), got[:len(row)], z.Slice(j, j+1))
		if (err == nil) != (errPlain == nil) {
			t.Fatalf("coalition %s: %v, and plainly %v", z.String(j), err, errPlain)
		}
		if err != nil {
			return // too small for the model: the batch fails as a whole
		}
		alone = append(alone, got[:len(row)]...)
	}
	CheckNear(t, "one by one", alone, want, tolerance.For(1))
	must.Do(t, b.Evaluate(context.Background(), got, z))
	CheckNear(t, "batch", got, want, tolerance.For(1))
}

// Open opens a model.
func Open(t testing.TB, data []byte, o onnxbackend.Options) *onnxbackend.Model {
	t.Helper()
	return must.Get(onnxbackend.Open(data, o))(t)
}

// CheckNear compares numbers up to a tolerance relative to the largest expected one.
func CheckNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", what, len(got), len(want))
	}
	scale := 1e-30
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance*scale) {
			t.Fatalf("%s element %d is %v, want %v", what, i, v, want[i])
		}
	}
}
