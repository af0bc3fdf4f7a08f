//go:build gpu && !js

package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// digits returns the bundled model for the CPU and for a device, and a bag for it.
func digits(
	t *testing.T, p *processor,
) (predict func(ctx context.Context) (scores []float64, note string, err error), want []float64) {
	t.Helper()
	data := must.Get(os.ReadFile("../../examples/digits/model.onnx"))(t)
	cpu, gpu := openBoth(t, p, data)
	bag := randomBag(t, cpu, 30)
	alone := must.Get(cpu.Predict(t.Context(), bag))(t)
	return func(ctx context.Context) ([]float64, string, error) {
		p, err := gpu.Predict(ctx, bag)
		if err != nil {
			return nil, "", err
		}
		return p.Scores, p.Notes[len(p.Notes)-1], nil
	}, alone.Scores
}

// TestLost has the device fail between two predictions: the CPU does the second, to the bit, and
// all that follow.
func TestLost(t *testing.T) {
	p := narrowed(t, limits{}, 0)
	predict, want := digits(t, p)
	if got, note, err := predict(t.Context()); err != nil || apart(got, want) > tolerance ||
		!strings.Contains(note, "encoded the bag: it computed") {
		t.Fatalf("scores %v of %v, note %q, %v", got, want, note, err)
	}
	p.fail = errors.New("the cable was pulled out")
	for range 2 {
		got, note, err := predict(t.Context())
		if err != nil || apart(got, want) != 0 {
			t.Errorf("scores %v of %v, %v", got, want, err)
		}
		if said := p.Name() + " was lost (the cable was pulled out): " +
			"the CPU computed what it had not."; note != said {
			t.Errorf("note %q, want %q", note, said)
		}
	}
}

// TestCancelled ends a prediction with its context, after which the device goes on with others.
func TestCancelled(t *testing.T) {
	predict, want := digits(t, processorFor(t))
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, _, err := predict(ctx); !errors.Is(err, enough) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Millisecond, enough)
	defer stop()
	if got, _, err := predict(ctx); !errors.Is(err, enough) &&
		(err != nil || apart(got, want) > tolerance) {
		t.Errorf("cancelled within: %v, %v", got, err)
	}
	if got, _, err := predict(t.Context()); err != nil || apart(got, want) > tolerance {
		t.Errorf("scores %v of %v, %v", got, want, err)
	}
}

// TestNonFinite leaves values that are no numbers to the CPU: those that are given, and those that
// a run makes.
func TestNonFinite(t *testing.T) {
	p := processorFor(t)
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{onnxtest.N("Mul", []string{"x", "x"}, []string{"y"})},
		Inputs: []onnxtest.Value{onnxtest.In("x", 3)}, Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	both(t, p, m, 0, tensor.From(tensor.Float32, []float32{1, float32(math.NaN()), 2}, 3))
	both(t, p, m, 0, tensor.From(tensor.Float32, []float32{1, float32(math.Inf(-1)), 2}, 3))
	g, err := compile(m.Bytes(), false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.run([]*tensor.Tensor{tensor.From(tensor.Float32, []float32{1, 1e30, 2}, 3)},
		p.Load().Session(false))
	var back *device.Retreat
	if !errors.As(err, &back) || back.Lost {
		t.Errorf("an overflow: %v", err)
	}
}

// TestEstimate compares the cost of a dry run with that of the run.
func TestEstimate(t *testing.T) {
	p := processorFor(t)
	r := rand.New(rand.NewPCG(7, 7))
	for name, m := range everyKernel(r) {
		g := must.Get(compile(m.Bytes(), true))(t)
		x, l := normal(r, 3, 20, 15, 17), p.Load()
		dry := g.plan.Try(l.Session(true), bounds,
			map[int]*tensor.Tensor{g.given[0]: {Type: x.Type, Shape: x.Shape}})
		s := l.Session(false)
		must.Get(g.run([]*tensor.Tensor{x}, s))(t)
		if cost := s.Cost(); dry != cost || cost.Nodes != 1 {
			t.Errorf("%s: estimated %+v, took %+v", name, dry, cost)
		}
	}
}

// TestConcurrent has several bags on one device at a time.
func TestConcurrent(t *testing.T) {
	predict, want := digits(t, processorFor(t))
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			got, _, err := predict(context.Background())
			if err == nil && apart(got, want) > tolerance {
				err = errors.New("other scores")
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestAwaitAfterCancel waits twice for one list of commands: the first caller's context has ended,
// and the second one gets the result.
func TestAwaitAfterCancel(t *testing.T) {
	p := narrowed(t, limits{}, 0)
	j := job{p: p}
	ended, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	must.Do(t, p.use(func() error {
		defer j.close()
		want := []float32{1, 2, 3}
		b := must.Get(j.upload(bytesOf(want)))(t)
		got := make([]float32, 3)
		to := [][]float32{got}
		if err := p.downloadFloats(ended, &j.record, []*buffer{b}, to); err != nil &&
			!errors.Is(err, enough) {
			t.Errorf("cancelled: %v", err)
		}
		if err := p.downloadFloats(t.Context(), &j.record, []*buffer{b}, to); err != nil {
			return err
		}
		if got[0] != 1 || got[2] != 3 {
			t.Errorf("it returns %v, want %v", got, want)
		}
		return nil
	}))
}
