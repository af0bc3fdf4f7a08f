package compute

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// flatly computes the chain flat. It reports whether that is possible.
func (c chainTest) flatly(m *machine.Machine, out, x *tensor.Tensor) (bool, error) {
	f := placeFlat(newLaneLayers(c.links, NewPacks(nil)), x)
	if f == nil {
		return false, nil
	}
	err := f.run(m, out, x)
	m.EndNode()
	return true, err
}

// grouped returns the chain behind a convolution by groups and one that joins them. Groups are
// often as many as channels.
func (c chainTest) grouped(t testing.TB, r *rand.Rand) chainTest {
	channels := c.shape[0]
	groups := channels
	if r.IntN(4) == 0 {
		groups = 1 + r.IntN(2)
	}
	sources, maps := 1+r.IntN(2)/(1+r.IntN(2)), 1+r.IntN(2)
	c.shape[0] = groups * sources
	k := 1 + r.IntN(5)
	w := randomTensor(r, groups*maps, sources, k, k)
	constants := []*tensor.Tensor{w}
	if r.IntN(3) > 0 {
		constants = append(constants, randomTensor(r, groups*maps))
	}
	first := link(t, "Conv", &Node{Op: "Sigmoid"}, constants,
		decode.Attribute{Name: "group", Kind: decode.KindInt, Int: int64(groups)},
		ints("pads", int64(k/2), int64(k/2), int64(k/2), int64(k/2)),
		ints("strides", int64(1+r.IntN(2)), int64(1+r.IntN(3))))
	// A convolution of one place joins the groups to as many channels as the chain had.
	join := link(t, "Conv", nil, []*tensor.Tensor{randomTensor(r, channels, groups*maps, 1, 1)})
	c.links = append([]Link{first, join}, c.links...)
	return c
}

// TestFlatEqualsLinks compares random chains, flat, with the nodes one by one, bit for bit.
func TestFlatEqualsLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 5))
	ran := 0
	for trial := range 1500 {
		c := randomChain(t, r)
		if trial%2 == 0 {
			c = c.grouped(t, r)
		}
		c.shape[1] += r.IntN(30)
		c.shape[2] += r.IntN(30)
		x := randomTensor(r, append([]int{1 + r.IntN(12)}, c.shape...)...)
		if trial%8 == 0 {
			tensor.Of[float32](x)[r.IntN(x.Len())] = float32(math.NaN())
		}
		if c.equalsLinks(t, trial, x) {
			ran++
		}
	}
	must.Equal(t, ran >= 600, true, ran)
}

// equalsLinks compares a chain, flat, with its links. It reports whether both computed it.
func (c chainTest) equalsLinks(t *testing.T, trial int, x *tensor.Tensor) bool {
	t.Helper()
	m := machine.New(machine.Limits{Elements: 1 << 22, Bytes: 1 << 27})
	got, want := &tensor.Tensor{}, &tensor.Tensor{}
	accepted, err := c.flatly(m, got, x)
	if errLinks := linkByLink(m, c.links, want, x); !accepted || err != nil || errLinks != nil {
		must.Do(t, err, trial, errLinks)
		if accepted && errLinks != nil {
			t.Fatalf("trial %d: flat computes what fails link by link: %v", trial, errLinks)
		}
		return false
	}
	must.EqualSlices(t, got.Shape, want.Shape, trial)
	w := tensor.Of[float32](want)
	for i, v := range tensor.Of[float32](got) {
		if math.Float32bits(v) != math.Float32bits(w[i]) && (v == v || w[i] == w[i]) {
			t.Fatalf("trial %d of pictures %v: element %d of %v is %v, want %v", trial, x.Shape, i,
				got.Shape, v, w[i])
		}
	}
	return true
}

// TestFlatWithHostileWindows compares flat chains with links for windows of any numbers.
func TestFlatWithHostileWindows(t *testing.T) {
	compareHostile(t, rand.New(rand.NewPCG(19, 9)), []int{5, 1, 9, 8}, 1<<22, chainTest.flatly)
}
