package suffix_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A fakePooler pools on the CPU what it holds.
type fakePooler struct {
	d    *fakeDevice
	k    int
	what []device.Pooled
}

func (d *fakeDevice) Hold(k int, what []device.Pooled) (device.Pooler, error) {
	if d.full {
		return nil, nil
	}
	return &fakePooler{d, k, what}, nil
}

func (p *fakePooler) Pool(
	ctx context.Context, z []uint64, words, n int,
) (out [][]float32, err error) {
	if p.d.pools++; p.d.pools == p.d.poolBreaks {
		return nil, &device.Retreat{Device: "fake", Reason: "a test made it fail", Lost: p.d.lost}
	}
	for _, w := range p.what {
		y := make([]float32, n*w.Width())
		if w.Take == 0 {
			kernel.MaskedSum(y, z, words, n, w.Values, p.k, w.Columns)
		} else {
			for i := range y {
				y[i] = device.NotMet
			}
			for i := range n * w.Columns {
				c := i % w.Columns
				walkOrder(y[i/w.Columns*w.Width()+c/w.Inner*w.Take*w.Inner+c%w.Inner:],
					z[i/w.Columns*words:], &w, c, p.k)
			}
		}
		if p.d.warp != nil {
			p.d.warp(y)
		}
		out = append(out, y)
	}
	return out, ctx.Err()
}

// walkOrder looks at half of the places, so that not all members are met.
func walkOrder(y []float32, z []uint64, w *device.Pooled, c, k int) {
	at, left := 0, w.Take
	for _, i := range w.Order[c*k : c*k+(k+1)/2] {
		if left > 0 && z[i/64]>>(i%64)&1 == 1 {
			y[at] = w.Values[int(i)*w.Columns+c]
			at, left = at+w.Inner, left-1
		}
	}
}

func (d *fakeDevice) Gram(
	_ context.Context, dst []float64, z []uint64, words, n, k int, w []float64,
) (bool, error) {
	if d.grams++; d.gramBreaks {
		dst[0] = 1
		return false, &device.Retreat{Device: "fake", Reason: "a test made it fail", Lost: d.lost}
	}
	kernel.WeightedGram(dst, z, words, n, k, w)
	return true, nil
}

// sameWithDevice wants the bits of a bound bag from one that a device pools, for coalitions of
// every size.
func sameWithDevice(t *testing.T, b *onnxbackend.Bound, model []byte, bag *core.Bag) {
	t.Helper()
	if enginetest.EvaluatorOf(b).Pooled == nil ||
		enginetest.EvaluatorOf(b).Pooled.Plan().Pooled() == nil {
		return
	}
	d := &fakeDevice{largest: 1 << 30}
	offloaded := enginetest.OpenAndBind(t, model,
		onnxbackend.Options{Device: d, DeviceAlways: true}, bag)
	k := bag.Len()
	r, z := rand.New(rand.NewPCG(5, uint64(k))), core.NewCoalitions(k, 30)
	for range 30 {
		z.AppendMembers(r.Perm(k)[:1+r.IntN(k)]...)
	}
	got, want := make([]float64, z.Len()*b.Task().Classes), make([]float64,
		z.Len()*b.Task().Classes)
	d.pools = 0
	err := offloaded.Evaluate(context.Background(), got, z)
	must.Equal(t, err == nil, b.Evaluate(context.Background(), want, z) == nil)
	must.Equal(t, d.pools, 1, k)
	enginetest.CheckNear(t, "a device", got, want, 1e-12)
}

// TestDevicePools has a device pool the digits' coalitions, until it is lost: the CPU pools them
// then, and the notes of the bag say so.
func TestDevicePools(t *testing.T) {
	bag := digitsBag(30)
	for _, lost := range []bool{false, true} {
		d := &fakeDevice{largest: 1 << 30, lost: lost, poolBreaks: 3}
		want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
		m := openDigits(t, onnxbackend.Options{Device: d, DeviceAlways: true})
		got, notes := boundScores(t, m, bag)
		must.EqualSlices(t, got, want)
		must.Equal(t, d.pools, 2)
		must.Contain(t, notes, "fake pools coalitions.")
		for range 2 {
			got, notes = boundScores(t, m, bag) // it ends in the comparison with the CPU
			must.EqualSlices(t, got, want, notes)
			must.Equal(t, strings.Contains(notes, "fake was lost (a test made it fail)"), lost,
				notes)
		}
		// and is asked for the next bag, unless it is lost
		must.Equal(t, d.pools, map[bool]int{false: 5, true: 3}[lost])
		d = &fakeDevice{largest: 1 << 30, lost: lost, poolBreaks: 2} // it ends after that
		got, notes = boundScores(t, openDigits(t,
			onnxbackend.Options{Device: d, DeviceAlways: true}), bag)
		must.EqualSlices(t, got, want, notes)
		must.Equal(t, strings.Contains(notes, "fake was lost (a test made it fail)"), lost, notes)
	}
	full := &fakeDevice{largest: 1 << 30, full: true}
	if _, notes := boundScores(t, openDigits(t,
		onnxbackend.Options{Device: full, DeviceAlways: true}),
		bag); strings.Contains(notes, "pools coalitions") || full.pools > 0 {
		t.Errorf("a device without room: %q, %d times", notes, full.pools)
	}
}

// TestDevicePoolsWrongly has a device that encodes nothing pool wrong numbers, which the comparison
// with the CPU finds.
func TestDevicePoolsWrongly(t *testing.T) {
	bag := digitsBag(12)
	want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
	d := &fakeDevice{largest: 1 << 30, breaks: 1, warp: func(v []float32) { v[0] += 0.5 }}
	got, notes := boundScores(t, openDigits(t, onnxbackend.Options{Device: d, DeviceAlways: true}),
		bag)
	must.EqualSlices(t, got, want)
	must.Contain(t, notes,
		"fake was lost (the CPU computes other scores than it on random coalitions)")
}

// TestDeviceGram has a device compute the Gram matrix of a surrogate, or begin to: the scores are
// the CPU's, to the bit.
func TestDeviceGram(t *testing.T) {
	bag := digitsBag(30)
	explain := func(o onnxbackend.Options) (*core.Report, string) {
		ev := must.Get(openDigits(t, o).Bind(context.Background(), bag))(t)
		r := must.Get(core.Explain(context.Background(), ev,
			core.Request{Methods: []core.Method{methods.MILLI{Sampling: methods.Sampling{
				Samples: 100}}}}))(t)
		return r, strings.Join(r.Notes, " ")
	}
	want, _ := explain(onnxbackend.Options{})
	for _, d := range []*fakeDevice{{}, {gramBreaks: true}, {gramBreaks: true, lost: true}} {
		d.largest = 1 << 30
		got, notes := explain(onnxbackend.Options{Device: d, DeviceAlways: true})
		for i, e := range got.Explanations {
			enginetest.CheckNear(t, e.Method, e.Scores, want.Explanations[i].Scores, 1e-12)
		}
		must.Equal(t, d.grams != 0, true, d.grams, notes, d.lost)
		must.Equal(t, strings.Contains(notes, "fake was lost"), d.lost, d.grams, notes)
	}
}

// TestDevicePoolsIfFaster leaves the choice to the estimate: large batches of a large bag go to
// the device, small ones and chains do not.
func TestDevicePoolsIfFaster(t *testing.T) {
	const k, width = 8000, 512
	r := rand.New(rand.NewPCG(6, 6))
	model := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", width)},
		Outputs: []ot.Value{ot.In("logits", 1, 2)},
		// wider than what is summed
		Initializers: []ot.Tensor{enginetest.RandomTensor(r, "W", width, 600),
			enginetest.RandomTensor(r, "V", 600, 2)},
		Nodes: ot.Nodes(`p = ReduceMean<axes=[0]>(bag); m = MatMul(p, W); h = Tanh(m)
			logits = MatMul(h, V)`),
	}
	bag := &core.Bag{Shape: []int{width}, Values: enginetest.Normal(r, k*width)}
	d := &fakeDevice{largest: 1 << 30}
	b := enginetest.OpenAndBind(t, model.Bytes(), onnxbackend.Options{Device: d, Workers: 1}, bag)
	must.Equal(t, d.pools, 1)
	must.Contain(t, strings.Join(b.Notes(), " "), "fake pools coalitions where that pays.")
	random, chain := core.NewCoalitions(k, 1024), core.NewCoalitions(k, 1024)
	for range 1024 {
		row := random.AppendEmpty()
		for i := range row {
			row[i] = r.Uint64()
		}
	}
	for m := range 1024 {
		row := chain.AppendEmpty()
		for i := range m + 1 {
			row[i/64] |= 1 << (i % 64)
		}
	}
	for _, c := range []struct {
		name  string
		z     *core.Coalitions
		pools int
	}{{"a full batch", random, 1}, {"eight", random.Slice(0, 8), 0}, {"a chain", chain, 0}} {
		t.Run(c.name, func(t *testing.T) {
			d.pools = 0
			y := make([]float64, 2*c.z.Len())
			must.Do(t, b.Evaluate(context.Background(), y, c.z))
			must.Equal(t, d.pools, c.pools, c.name)
		})
	}
	software := &fakeDevice{largest: 1 << 30, software: true}
	if enginetest.OpenAndBind(t, model.Bytes(), onnxbackend.Options{Device: software, Workers: 1},
		bag); software.pools > 0 {
		t.Error("a device that is a program pooled")
	}
}
