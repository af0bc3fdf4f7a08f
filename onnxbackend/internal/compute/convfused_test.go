package compute

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// ints returns an attribute that is a list.
func ints(name string, v ...int64) decode.Attribute {
	return decode.Attribute{Name: name, Kind: decode.KindInts, Ints: v}
}

// randomTensor returns a tensor of normal random numbers.
func randomTensor(r *rand.Rand, shape ...int) *tensor.Tensor {
	x := tensor.New(tensor.Float32, shape...)
	for i := range x.Len() {
		tensor.Of[float32](x)[i] = float32(r.NormFloat64())
	}
	return x
}

// chained has the operators of the chains under test: what makes their functions, and what makes
// them the activation of a layer.
var chained = map[string]struct {
	factory Factory
	fuse    FuseRule
}{
	"Conv": {NewConv, nil}, "MaxPool": {NewMaxPool, nil},
	"Relu":      {NewSigned, Fuse(kernel.ActRelu)},
	"Tanh":      {FastOp(kernel.Tanh, math.Tanh), Fuse(kernel.ActTanh)},
	"Sigmoid":   {FastOp(kernel.Sigmoid, Sigmoid), Fuse(kernel.ActSigmoid)},
	"LeakyRelu": {RealWith(LeakyRelu), FuseReal(LeakyRelu)},
}

// link builds a node of a chain. Constants follow its first input.
func link(
	t testing.TB, op string, activation *Node, constants []*tensor.Tensor, a ...decode.Attribute,
) Link {
	t.Helper()
	in := append([]*tensor.Tensor{nil}, constants...)
	if activation != nil {
		activation.Fuse = chained[activation.Op].fuse
	}
	n := Node{Op: op, Opset: 13, Outputs: 1, Const: in, Attributes: a, Activation: activation,
		Fuse: chained[op].fuse, Packs: NewPacks(nil)}
	f, gap, broken := n.Make(chained[op].factory)
	must.Do(t, gap)
	must.Do(t, broken)
	return Link{Name: op, Node: &n, Func: f, In: in}
}

// A chainTest is a chain and the shape of its pictures.
type chainTest struct {
	links []Link
	shape []int // shape of a picture
}

// encoder returns two convolutions with Relu, each followed by a pool of 2 by 2, as in many models.
func encoder(t testing.TB, channels, side, maps1, kernel1, maps2, kernel2 int) chainTest {
	r := rand.New(rand.NewPCG(1, 1))
	relu, halves := &Node{Op: "Relu"}, []decode.Attribute{ints("kernel_shape", 2, 2),
		ints("strides", 2, 2)}
	return chainTest{[]Link{
		link(t, "Conv", relu, []*tensor.Tensor{randomTensor(r, maps1, channels, kernel1, kernel1),
			randomTensor(r, maps1)}),
		link(t, "MaxPool", nil, nil, halves...),
		link(t, "Conv", relu, []*tensor.Tensor{randomTensor(r, maps2, maps1, kernel2, kernel2),
			randomTensor(r, maps2)}),
		link(t, "MaxPool", nil, nil, halves...),
	}, []int{channels, side, side}}
}

// inLanes computes the chain in lanes. It reports whether they accept it.
func (c chainTest) inLanes(m *machine.Machine, out, x *tensor.Tensor) (bool, error) {
	l := placeLanes(newLaneLayers(c.links, NewPacks(nil)), x)
	if l == nil {
		return false, nil
	}
	err := l.run(m, out, x)
	m.EndNode()
	return true, err
}

// BenchmarkChain compares lanes with links for growing numbers of pictures, for encoders of MNIST
// and of CRC. kernel.LanesPay and lanes.beats choose between them by these measurements.
func BenchmarkChain(b *testing.B) {
	for _, c := range []struct {
		name string
		chainTest
	}{{"mnist", encoder(b, 1, 28, 20, 5, 50, 5)}, {"crc", encoder(b, 3, 27, 36, 4, 48, 3)},
		{"patch", encoder(b, 3, 96, 32, 3, 64, 3)}} {
		layers := newLaneLayers(c.links, NewPacks(nil))
		width := kernel.LaneWidth()
		for _, k := range []int{1, width / 4, width / 2, 3 * width / 4, width, 4 * width} {
			x := randomTensor(rand.New(rand.NewPCG(2, 2)), append([]int{k}, c.shape...)...)
			m, out := machine.New(machine.Limits{Elements: 1 << 30, Bytes: math.MaxInt}),
				&tensor.Tensor{}
			run := func(name string, f func() error) {
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, k, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						must.Do(b, f())
						m.EndNode()
						m.Release(out)
					}
				})
			}
			run("lanes", func() error { return placeLanes(layers, x).run(m, out, x) })
			run("flat", func() error {
				if f := placeFlat(layers, x); f != nil {
					return f.run(m, out, x)
				}
				return nil
			})
			run("links", func() error { return linkByLink(m, c.links, out, x) })
		}
	}
}

// TestLanesBeatFlat checks the choice between lanes and flat at the ends of what BenchmarkChain
// measures: half empty lanes lose where a sum has many terms, and full ones never do.
func TestLanesBeatFlat(t *testing.T) {
	wide := link(t, "Conv", nil, []*tensor.Tensor{tensor.New(tensor.Float32, 16, 16, 3, 3)},
		ints("pads", 1, 1, 1, 1))
	deep := chainTest{[]Link{wide, wide}, []int{16, 32, 32}}
	digits := encoder(t, 1, 28, 20, 5, 50, 5)
	width := kernel.LaneWidth()
	for _, c := range []struct {
		name string
		chainTest
		pictures int
		want     bool
	}{
		{"many terms, half of the lanes", deep, width / 2, false},
		{"many terms, one picture more than lanes", deep, width + 1, false},
		{"many terms, all lanes", deep, width, true},
		{"digits, three quarters of the lanes", digits, width * 3 / 4, true},
		{"digits, all lanes twice", digits, 2 * width, true},
	} {
		layers := newLaneLayers(c.links, NewPacks(nil))
		x := tensor.New(tensor.Float32, append([]int{c.pictures}, c.shape...)...)
		l, f := placeLanes(layers, x), placeFlat(layers, x)
		must.Equal(t, l != nil, true, c.name)
		must.Equal(t, f != nil, true, c.name)
		must.Equal(t, l.beats(f, c.pictures), c.want, c.name)
		must.Equal(t, l.beats(nil, c.pictures), true, c.name)
	}
}

// randomChain makes up to four layers with windows of any kind, most of which match the pictures.
func randomChain(t testing.TB, r *rand.Rand) chainTest {
	c := chainTest{shape: []int{1 + r.IntN(3), 4 + r.IntN(12), 4 + r.IntN(12)}}
	channels := c.shape[0]
	pick := func(n ...int64) int64 { return n[r.IntN(len(n))] }
	acts := []*Node{nil, {Op: "Relu"}, {Op: "Tanh"}, {Op: "LeakyRelu"}, {Op: "Sigmoid"}}
	for i := range 1 + r.IntN(4) {
		ky, kx := 1+r.IntN(3), 1+r.IntN(3)
		a := []decode.Attribute{ints("kernel_shape", int64(ky), int64(kx)),
			ints("strides", pick(1, 1, 2, 3), pick(1, 1, 2, 3)), ints("dilations", pick(1, 1, 1, 2),
				pick(1, 1, 2, 3))}
		switch r.IntN(4) {
		case 0:
			a = append(a, ints("pads", pick(0, 1, 2), pick(0, 1, 2), pick(0, 1, 2), pick(0, 1, 2)))
		case 1:
			a = append(a, decode.Attribute{Name: "auto_pad", Kind: decode.KindString,
				String: []string{"SAME_UPPER", "SAME_LOWER", "VALID"}[r.IntN(3)]})
		}
		if i == 0 || r.IntN(2) == 0 {
			maps := 1 + r.IntN(14)
			constants := []*tensor.Tensor{randomTensor(r, maps, channels, ky, kx)}
			if r.IntN(3) > 0 {
				constants = append(constants, randomTensor(r, maps))
			}
			c.links = append(c.links, link(t, "Conv", acts[r.IntN(len(acts))], constants, a...))
			channels = maps
		} else {
			c.links = append(c.links, link(t, "MaxPool", nil, nil,
				append(a, decode.Attribute{Name: "ceil_mode", Kind: decode.KindInt,
					Int: pick(0, 1)})...))
		}
		if act := acts[r.IntN(len(acts))]; act != nil && r.IntN(3) == 0 {
			c.links = append(c.links, link(t, act.Op, nil, nil))
		}
	}
	return c
}

// TestLanesEqualLinks compares random chains in lanes with the nodes one by one, bit for bit.
func TestLanesEqualLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ran, width := 0, kernel.LaneWidth()
	for trial := range 800 {
		c := randomChain(t, r)
		x := randomTensor(r, append([]int{1 + r.IntN(2*width+3)}, c.shape...)...)
		if trial%8 == 0 {
			tensor.Of[float32](x)[r.IntN(x.Len())] = float32(math.NaN())
		}
		m := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 26})
		got, want := &tensor.Tensor{}, &tensor.Tensor{}
		accepted, err := c.inLanes(m, got, x)
		if errLinks := linkByLink(m, c.links, want, x); !accepted || err != nil || errLinks != nil {
			must.Do(t, err, trial, errLinks)
			continue
		}
		ran++
		must.EqualSlices(t, got.Shape, want.Shape, trial)
		w := tensor.Of[float32](want)
		for i, v := range tensor.Of[float32](got) {
			if math.Float32bits(v) != math.Float32bits(w[i]) && (v == v || w[i] == w[i]) {
				t.Fatalf("trial %d of pictures %v: element %d of %v is %v, want %v", trial, x.Shape,
					i, got.Shape, v, w[i])
			}
		}
	}
	must.Equal(t, ran >= 300, true, ran)
}

// TestLanesRejectUnsupportedChains checks that lanes decline bands that would be too large, windows
// wholly in the padding and links that fail.
func TestLanesRejectUnsupportedChains(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	conv := func(a ...decode.Attribute) Link {
		return link(t, "Conv", nil, []*tensor.Tensor{randomTensor(r, 2, 1, 2, 2)}, a...)
	}
	huge := int64(math.MaxInt32)
	x := randomTensor(r, 4, 1, 6, 6)
	for _, c := range []struct {
		name  string
		x     *tensor.Tensor
		links []Link
	}{
		{"padding wider than the window", x, []Link{conv(ints("pads", 0, 0, 2, 0))}},
		{"wide padding", x, []Link{conv(ints("pads", 0, huge, 0, huge))}},
		{"high padding", x, []Link{conv(), link(t, "MaxPool", nil, nil, ints("kernel_shape", 1, 1),
			ints("pads", huge, 0, huge, 0))}},
		{"huge dilation", x, []Link{conv(ints("pads", huge, huge, huge, huge),
			ints("dilations", huge, huge))}},
		{"window in the padding", x, []Link{conv(),
			link(t, "MaxPool", nil, nil, ints("kernel_shape", 2, 2), ints("pads", 2, 0, 0, 0))}},
		{"window behind the picture", x, []Link{conv(),
			link(t, "MaxPool", nil, nil, ints("kernel_shape", 1, 1), ints("pads", 0, 0, 0, 1))}},
		{"taps around the picture", randomTensor(r, 4, 1, 2, 2),
			[]Link{conv(), link(t, "MaxPool", nil, nil, ints("kernel_shape", 2, 2),
				ints("dilations", 2, 2), ints("pads", 1, 1, 1, 1))}},
		{"window too large", x, []Link{conv(), conv()}},
		{"no kernel_shape", x, []Link{conv(), link(t, "MaxPool", nil, nil)}},
		{"another type", tensor.New(tensor.Float64, 4, 1, 6, 6), []Link{conv()}},
		{"another rank", tensor.New(tensor.Float32, 4, 1, 6), []Link{conv()}},
		{"no channels", tensor.New(tensor.Float32, 4, 0, 6, 6), []Link{conv()}},
	} {
		must.Equal(t, placeLanes(newLaneLayers(c.links, NewPacks(nil)), c.x) == nil, true, c.name)
	}
}

// hostileChain returns a Conv and a MaxPool with windows of any numbers that a file may hold, or no
// links if the attributes are rejected before any run.
func hostileChain(t testing.TB, r *rand.Rand) chainTest {
	rejected := false
	hostile := func(name string, n int) decode.Attribute {
		a, least := ints(name), int64(1)
		if name == "pads" {
			least = 0
		}
		for range n {
			a.Ints = append(a.Ints, []int64{-1, 0, 1, 1, 1, 2, 2, 3, 50, math.MaxInt16,
				math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64}[r.IntN(13)])
		}
		rejected = rejected || slices.Min(a.Ints) < least
		return a
	}
	var links []Link
	for i := range 2 {
		var a []decode.Attribute
		for j, name := range []string{"pads", "strides", "dilations"} {
			if r.IntN(3) == 0 {
				a = append(a, hostile(name, []int{4, 2, 2}[j]))
			}
		}
		if i == 0 {
			links = append(links, link(t, "Conv", nil,
				[]*tensor.Tensor{randomTensor(r, 2, 1, 2, 2)}, a...))
		} else {
			links = append(links, link(t, "MaxPool", nil, nil,
				append(a, hostile("kernel_shape", 2))...))
		}
	}
	if rejected {
		return chainTest{}
	}
	return chainTest{links: links}
}

// TestLanesWithHostileWindows compares lanes with links for windows of any numbers.
func TestLanesWithHostileWindows(t *testing.T) {
	compareHostile(t, rand.New(rand.NewPCG(9, 9)), []int{5, 1, 5, 4}, 1<<21, chainTest.inLanes)
}

// compareHostile compares a way to compute chains with their links, for pictures of the given shape
// and windows of any numbers that a file may hold. A chain is computed as by the links, or
// declined, or ends in an error.
func compareHostile(
	t *testing.T, r *rand.Rand, pictures []int, bytes int,
	run func(c chainTest, m *machine.Machine, out, x *tensor.Tensor) (bool, error),
) {
	computed := 0
	for trial := range 3000 {
		c := hostileChain(t, r)
		if c.links == nil {
			continue // no graph with such a node is built
		}
		x := randomTensor(r, pictures...)
		m := machine.New(machine.Limits{Elements: 1 << 16, Bytes: bytes})
		got, want := &tensor.Tensor{}, &tensor.Tensor{}
		accepted, err := run(c, m, got, x)
		if !accepted || err != nil {
			continue
		}
		if err := linkByLink(m, c.links, want, x); err != nil {
			continue // whole planes may be over a limit that bands or places are not
		}
		computed++
		must.EqualSlices(t, tensor.Of[float32](got), tensor.Of[float32](want), trial, got.Shape,
			want.Shape)
	}
	must.Equal(t, computed >= 50, true, computed)
}

// TestChainErrors checks that an error names the link that fails, or the limit that a chain
// exceeds.
func TestChainErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	c := encoder(t, 1, 12, 2, 3, 3, 3)
	c.links[2].Name = "second"
	m := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 26})
	var run *fault.Run
	must.As(t, linkByLink(m, c.links, &tensor.Tensor{}, randomTensor(r, 9, 1, 5, 5)), &run)
	must.Equal(t, run.Node, "second")
	must.Equal(t, run.Op, "Conv")
	var limit *fault.Limit
	for _, l := range []machine.Limits{{Elements: 1 << 20, Bytes: 1 << 10},
		{Elements: 10, Bytes: 1 << 26}} {
		m, x := machine.New(l), randomTensor(r, 9, 1, 12, 12)
		if accepted, err := c.inLanes(m, &tensor.Tensor{}, x); !accepted ||
			!errors.As(err, &limit) {
			t.Errorf("in lanes: %v", err)
		}
		must.As(t, linkByLink(m, c.links, &tensor.Tensor{}, x), &limit)
	}
}

// TestLanesReuseMemory checks that later runs allocate only what describes the stages.
func TestLanesReuseMemory(t *testing.T) {
	c := encoder(t, 1, 12, 4, 3, 3, 3)
	m, out := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 26}), &tensor.Tensor{}
	x := randomTensor(rand.New(rand.NewPCG(8, 8)), 40, 1, 12, 12)
	layers := newLaneLayers(c.links, NewPacks(nil))
	if n := testing.AllocsPerRun(5, func() {
		must.Do(t, placeLanes(layers, x).run(m, out, x))
		m.EndNode()
		m.Release(out)
	}); n > 40 {
		t.Errorf("%v allocations a run", n)
	}
}
