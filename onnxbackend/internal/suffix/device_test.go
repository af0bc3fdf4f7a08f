package suffix_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A fakeDevice computes on the CPU every operator but some, in a memory that the engine cannot see.
type fakeDevice struct {
	software  bool
	largest   int             // bytes of a tensor
	leaves    []string        // operators that it leaves to the CPU
	breaks    int             // the node, from 1, at which it ends
	lost      bool            // the device does not come back
	warp      func([]float32) // what becomes of results
	runs      int             // runs of sessions that were not dry
	instances []int           // first dimension of each node's first input

	work       int  // work that a node of an instance counts beside its elements
	apart      bool // it joins no blocks
	turns      int  // blocks
	full       bool // it holds nothing to be pooled
	pools      int  // times that it pooled
	poolBreaks int  // the time, from 1, at which it ends
	grams      int
	gramBreaks bool
}

func (d *fakeDevice) Name() string { return "fake" }

func (d *fakeDevice) Software() bool { return d.software }

func (d *fakeDevice) LargestTensor() int { return d.largest }

func (d *fakeDevice) Memory() int { return 1 << 30 }

func (d *fakeDevice) Load() device.Loaded { return d }

func (d *fakeDevice) Session(dry bool) device.Session {
	if !dry {
		d.runs++
	}
	return &fakeSession{d: d, dry: dry, at: map[*tensor.Tensor]*tensor.Tensor{},
		m: machine.New(machine.Limits{Elements: 1 << 28, Bytes: 1 << 30})}
}

type fakeSession struct {
	d    *fakeDevice
	dry  bool
	at   map[*tensor.Tensor]*tensor.Tensor // values that the CPU does not have
	m    *machine.Machine
	cost device.Cost
}

func (s *fakeSession) Run(
	m *machine.Machine, n *graph.Node, in, out []*tensor.Tensor,
) (bool, error) {
	if slices.Contains(s.d.leaves, n.Op) || len(out) != 1 {
		return false, nil
	}
	if !s.dry && s.d.breaks > 0 && s.cost.Nodes+1 == s.d.breaks {
		return false, &device.Retreat{Device: "fake", Reason: "a test made it fail", Lost: s.d.lost}
	}
	mine := make([]*tensor.Tensor, len(in))
	for i, t := range in {
		if mine[i] = t; s.at[t] != nil {
			mine[i] = s.at[t]
		} else if t != nil && t.Words == nil && t.Len() > 0 { // the given value of a dry run
			mine[i] = tensor.New(t.Type, t.Shape...)
		}
	}
	if !s.dry && in[0].Rank() > 0 {
		s.d.instances = append(s.d.instances, in[0].Shape[0])
	}
	var y tensor.Tensor
	if err := n.Func(s.m, mine, []*tensor.Tensor{&y}); err != nil {
		return false, nil
	}
	s.m.EndNode()
	if y.Type != tensor.Float32 {
		return false, nil
	}
	stored := y.Clone()
	if s.d.warp != nil {
		s.d.warp(tensor.Of[float32](stored))
	}
	out[0].Type, out[0].Shape, out[0].Words, out[0].Block = y.Type, slices.Clone(y.Shape), nil, nil
	s.at[out[0]] = stored
	s.cost.Nodes++
	s.cost.Work += stored.Len()
	if in[0].Rank() > 0 {
		s.cost.Work += s.d.work * in[0].Shape[0]
	}
	s.cost.Largest = max(s.cost.Largest, 4*stored.Len())
	return true, nil
}

func (s *fakeSession) Fetch(m *machine.Machine, values []*tensor.Tensor) error {
	for _, t := range values {
		if stored := s.at[t]; stored != nil && t.Words == nil {
			if err := m.Alloc(t, stored.Type, stored.Shape...); err != nil {
				return err
			}
			copy(t.Words, stored.Words)
			s.cost.Down += 4 * stored.Len()
			s.cost.Waits++
		}
	}
	return nil
}

func (s *fakeSession) Finish(m *machine.Machine) error {
	for t := range s.at {
		if err := s.Fetch(m, []*tensor.Tensor{t}); err != nil {
			return err
		}
	}
	return nil
}

func (s *fakeSession) Join(dst, src *tensor.Tensor, axis, lo int) (bool, error) {
	if s.d.apart {
		return false, nil
	}
	all := s.at[dst]
	if all == nil {
		all = tensor.New(dst.Type, dst.Shape...)
		s.at[dst] = all
	}
	from := src
	if s.at[src] != nil {
		from = s.at[src]
	}
	outer, k, inner := tensor.Split(dst.Shape, axis)
	run := src.Len() / outer
	to, values := tensor.Of[float32](all), tensor.Of[float32](from)
	for o := range outer {
		copy(to[(o*k+lo)*inner:], values[o*run:(o+1)*run])
	}
	return true, nil
}

func (s *fakeSession) Turn(context.Context) error {
	s.d.turns++
	return nil
}

func (s *fakeSession) Drop(t *tensor.Tensor) { delete(s.at, t) }

func (s *fakeSession) Close() { clear(s.at) }

func (s *fakeSession) Cost() device.Cost { return s.cost }

// digitsBag returns k pictures of noise.
func digitsBag(k int) *core.Bag {
	r := rand.New(rand.NewPCG(1, uint64(k)))
	bag := &core.Bag{Shape: []int{1, 28, 28}, Values: make([]float32, k*28*28)}
	for i := range bag.Values {
		bag.Values[i] = r.Float32()
	}
	return bag
}

func openDigits(t *testing.T, o onnxbackend.Options) *onnxbackend.Model {
	t.Helper()
	return enginetest.OpenRepositoryFile(t, o, "examples/digits/model.onnx")
}

// boundScores binds a bag and returns the scores of coalitions with the notes.
func boundScores(t *testing.T, m *onnxbackend.Model, bag *core.Bag) ([]float64, string) {
	t.Helper()
	ev := must.Get(m.Bind(context.Background(), bag))(t)
	r, z := rand.New(rand.NewPCG(4, 2)), core.NewCoalitions(bag.Len(), 6)
	for range 6 {
		z.AppendMembers(r.Perm(bag.Len())[:1+r.IntN(bag.Len())]...)
	}
	y := make([]float64, z.Len()*ev.Task().Classes)
	must.Do(t, ev.Evaluate(context.Background(), y, z))
	return y, strings.Join(ev.(*onnxbackend.Bound).Notes(), " ")
}

// TestDevice has a device compute a model, all of it, without some operators, and in blocks, and
// wants the bits of the CPU.
func TestDevice(t *testing.T) {
	for _, c := range []struct {
		name string
		d    *fakeDevice
		k    int
	}{
		{"all", &fakeDevice{largest: 1 << 30}, 20},
		{"without Gemm", &fakeDevice{largest: 1 << 30, leaves: []string{"Gemm", "MatMul"}}, 20},
		{"without Conv", &fakeDevice{largest: 1 << 30, leaves: []string{"Conv"}}, 20},
		{"in blocks", &fakeDevice{largest: 1 << 19}, 211},
		{"in blocks that it does not join", &fakeDevice{largest: 1 << 19, apart: true}, 211},
	} {
		t.Run(c.name, func(t *testing.T) {
			bag := digitsBag(c.k)
			want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
			got, notes := boundScores(t, openDigits(t,
				onnxbackend.Options{Device: c.d, DeviceAlways: true}),
				bag)
			must.EqualSlices(t, got, want)
			if c.d.runs == 0 || !strings.Contains(notes, "fake encoded the bag: it computed ") {
				t.Errorf("%d runs, notes %q", c.d.runs, notes)
			}
			must.Equal(t, (c.d.largest < 1<<30), c.d.turns > 1)
			if c.name == "in blocks" && slices.Max(c.d.instances) >= c.k {
				t.Errorf("%d instances went to the device at once", slices.Max(c.d.instances))
			}
		})
	}
}

// TestCPUReplacesFailedDevice has a device end at each of its nodes, of a bag that goes at once and
// of one in blocks: the CPU computes the bag, and the notes say why. A device that is lost is not
// asked again.
func TestCPUReplacesFailedDevice(t *testing.T) {
	for name, largest := range map[string]int{"at once": 1 << 30, "in blocks": 1 << 14} {
		t.Run(name, func(t *testing.T) { replaced(t, largest) })
	}
}

// replaced is TestCPUReplacesFailedDevice for a device that holds values of so many bytes.
func replaced(t *testing.T, largest int) {
	bag := digitsBag(12)
	want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
	for _, lost := range []bool{true, false} {
		for at := 1; ; at++ {
			d := &fakeDevice{largest: largest, breaks: at, lost: lost}
			m := openDigits(t, onnxbackend.Options{Device: d, DeviceAlways: true})
			got, notes := boundScores(t, m, bag)
			must.EqualSlices(t, got, want)
			if strings.Contains(notes, "fake encoded") {
				if blocks := largest < 1<<30; at < 5 || blocks && (at < 12 || d.turns < 2) {
					t.Errorf("the device has only %d nodes, and %d blocks", at-1, d.turns)
				}
				break
			}
			noted := "fake was lost (a test made it fail): the CPU computed what it had not."
			must.Equal(t, strings.Contains(notes, noted), lost, notes)
			runs := d.runs
			boundScores(t, m, bag)
			if asked := d.runs > runs; asked == lost {
				t.Errorf("asked again: %v, and lost is %v", asked, lost)
			}
		}
	}
}

// TestWrongDeviceIsDropped has a device compute wrong numbers: the comparison with the CPU finds
// them, and the CPU computes.
func TestWrongDeviceIsDropped(t *testing.T) {
	bag := digitsBag(12)
	want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
	d := &fakeDevice{largest: 1 << 30, warp: func(v []float32) { v[0] += 0.5 }}
	got, notes := boundScores(t, openDigits(t, onnxbackend.Options{Device: d, DeviceAlways: true}),
		bag)
	must.EqualSlices(t, got, want)
	must.Contain(t, notes,
		"fake was lost (the CPU computes other scores than it on random coalitions)")
	near := &fakeDevice{largest: 1 << 30, warp: func(v []float32) {
		for i := range v {
			v[i] *= 1 + 1e-6
		}
	}}
	if _, notes := boundScores(t, openDigits(t,
		onnxbackend.Options{Device: near, DeviceAlways: true}),
		bag); !strings.Contains(notes, "fake encoded") {
		t.Errorf("a device that rounds otherwise: notes %q", notes)
	}
}

// pictureEncoder returns 3 features of pictures (1, 28, 28), for n pictures at a time.
func pictureEncoder(n any) []byte {
	weights := make([]float32, 3*28*28)
	for i := range weights {
		weights[i] = float32(i%17) - 8
	}
	return ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("pictures", n, 1, 28, 28)},
		Outputs:      []ot.Value{ot.In("features", n, 3)},
		Initializers: []ot.Tensor{ot.F("w", weights, 3, 1, 28, 28)},
		Nodes:        ot.Nodes(`h = Conv(pictures, w); features = Flatten(h)`)}.Bytes()
}

// TestEncoderOnDevice encodes pictures on devices that compute the CPU's features, round otherwise,
// compute wrong ones of the first picture or of the last one, or are lost.
func TestEncoderOnDevice(t *testing.T) {
	wrong := "fake was lost (the CPU computes other features than it): " +
		"the CPU computed what it had not."
	for _, c := range []struct {
		name   string
		d      *fakeDevice
		note   string
		within float64 // relative to a feature
	}{
		{"right", &fakeDevice{}, "fake encoded the pictures: it computed 2 of 2 steps.", 0},
		{"rounds", &fakeDevice{warp: func(v []float32) {
			for i := range v {
				v[i] *= 1 + 2e-5
			}
		}}, "fake encoded the pictures: it computed 2 of 2 steps.", 1e-4},
		{"first wrong", &fakeDevice{warp: func(v []float32) { v[0] *= 2 }}, wrong, 0},
		{"last wrong", &fakeDevice{warp: func(v []float32) { v[len(v)-1] *= 2 }}, wrong, 0},
		{"lost", &fakeDevice{breaks: 2, lost: true},
			"fake was lost (a test made it fail): the CPU computed what it had not.", 0},
	} {
		for _, n := range []any{"n", 1} {
			t.Run(fmt.Sprint(c.name, "/", n), func(t *testing.T) {
				d := *c.d
				d.largest = 1 << 30
				encode := func(o onnxbackend.Options, k int) ([]float32, []string) {
					e := must.Get(onnxbackend.OpenEncoder(pictureEncoder(n), o))(t)
					var got *core.Bag
					for range 2 {
						got = must.Get(e.Encode(t.Context(), digitsBag(k)))(t)
					}
					return got.Values, e.Notes()
				}
				for _, k := range []int{1, 7} {
					want, none := encode(onnxbackend.Options{}, k)
					got, notes := encode(onnxbackend.Options{Device: &d, DeviceAlways: true}, k)
					for i, v := range want {
						off := math.Abs(float64(got[i] - v))
						if off > c.within*math.Abs(float64(v)) {
							t.Errorf("%d pictures: feature %d is %v, want %v", k, i, got[i], v)
						}
					}
					must.Equal(t, len(none) <= 0, true, k, notes, none)
					must.EqualSlices(t, notes, []string{c.note}, k, none)
				}
			})
		}
	}
}

// TestEncoderComparesABatch encodes one picture, as for its number of features, and then several. A
// device that is wrong in batches alone is dropped.
func TestEncoderComparesABatch(t *testing.T) {
	device := &fakeDevice{largest: 1 << 30, warp: func(v []float32) {
		if len(v) > 3 {
			v[len(v)-1] *= 2
		}
	}}
	var values [2][]float32
	for i, o := range []onnxbackend.Options{{}, {Device: device, DeviceAlways: true}} {
		e := must.Get(onnxbackend.OpenEncoder(pictureEncoder("n"), o))(t)
		for _, k := range []int{1, 7} {
			got := must.Get(e.Encode(t.Context(), digitsBag(k)))(t)
			values[i] = got.Values
		}
	}
	must.EqualSlices(t, values[0], values[1])
}

// TestEncoderComparesWithCPUOnce counts the runs of a device that encodes two bags.
func TestEncoderComparesWithCPUOnce(t *testing.T) {
	d := &fakeDevice{largest: 1 << 30}
	e, err := onnxbackend.OpenEncoder(pictureEncoder("n"),
		onnxbackend.Options{Device: d, DeviceAlways: true})
	must.Do(t, err)
	for range 2 {
		must.Get(e.Encode(t.Context(), digitsBag(5)))(t)
	}
	must.Equal(t, d.runs, 2)
	// Pictures that influence each other are refused with their reason, and not for the device.
	mixed := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("x", "n", 1, 2, 2)},
		Outputs: []ot.Value{ot.In("y", "n", 4)},
		Nodes:   ot.Nodes(`f = Flatten(x); m = ReduceMax<axes=[0]>(f); y = Sub(f, m)`)}
	e = must.Get(onnxbackend.OpenEncoder(mixed.Bytes(),
		onnxbackend.Options{Device: &fakeDevice{largest: 1 << 30}, DeviceAlways: true}))(t)
	_, err = e.Encode(t.Context(), &core.Bag{Shape: []int{1, 2, 2},
		Values: []float32{8, 7, 6, 5, 1, 2, 3, 4}})
	must.Fail(t, err, "depend on the other pictures")
}

// TestSlowDeviceIsUnused leaves small bags to the CPU, and all bags if the device is a program.
func TestSlowDeviceIsUnused(t *testing.T) {
	for _, software := range []bool{true, false} {
		d := &fakeDevice{largest: 1 << 30, software: software}
		_, notes := boundScores(t, openDigits(t, onnxbackend.Options{Device: d}), digitsBag(3))
		if d.runs > 0 || !strings.Contains(notes,
			"The CPU encoded the bag: fake was there and would not have paid") {
			t.Errorf("%d runs, notes %q", d.runs, notes)
		}
	}
}
