package compute

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// loose is a relative tolerance for sums of a few dozen float32 products in another order.
const loose = 1e-5

// close32 fails if elements differ by more than loose.
func close32(t *testing.T, what string, got, want []float32) {
	t.Helper()
	must.Equal(t, len(got), len(want), what)
	for i, w := range want {
		must.Equal(t, math.Abs(float64(got[i]-w)) <= loose*max(1, math.Abs(float64(w))), true, what,
			i, got[i], w)
	}
}

// testMachine returns a machine with room for small tensors.
func testMachine() *machine.Machine {
	return machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 26})
}

// TestEinsumProducts compares sums that are computed as products of matrices with the plain walk
// over all labels.
func TestEinsumProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	sides := map[rune]int{'a': 2, 'b': 3, 'i': 4, 'j': 5, 'k': 3, 'q': 2}
	for _, equation := range []string{"ij,jk->ik", "ij,kj->ki", "bij,bjk->bik", "abiq,abjq->abij",
		"iab,jba->ij", "bi,bij->bj", "i,i->", "bqi,ai->abq", "ijk,ikb->bij"} {
		left, result, _ := strings.Cut(equation, "->")
		terms := strings.Split(left, ",")
		var in []*tensor.Tensor
		for _, term := range terms {
			var shape []int
			for _, l := range term {
				shape = append(shape, sides[l])
			}
			in = append(in, randomTensor(r, shape...))
		}
		s := must.Get(newEinsumWalk(terms, result, in))(t)
		p := s.product()
		if p == nil {
			t.Errorf("%s is not computed as a product", equation)
			continue
		}
		var fast, slow tensor.Tensor
		m := testMachine()
		must.Do(t, p.run(m, &fast, in))
		must.Do(t, einsum[float32](m, &slow, in, s))
		close32(t, equation, tensor.Of[float32](&fast), tensor.Of[float32](&slow))
	}
	for _, equation := range []string{"ij,k->ik", "ij,jk->i"} {
		left, result, _ := strings.Cut(equation, "->")
		terms := strings.Split(left, ",")
		in := []*tensor.Tensor{randomTensor(r, 3, 3),
			randomTensor(r, []int{3, 3}[:len(terms[1])]...)}
		if s, err := newEinsumWalk(terms, result, in); err != nil || s.product() != nil {
			t.Errorf("%s is computed as a product (%v)", equation, err)
		}
	}
}

// TestConvolutionsAgree compares Conv in float32 with its plain form in float64. It also checks
// that ConvTranspose is the adjoint of Conv: the scalar products ⟨Conv(x), y⟩ and ⟨x,
// ConvTranspose(y)⟩ are equal.
func TestConvolutionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	ints := func(name string, v ...int64) decode.Attribute {
		return decode.Attribute{Name: name, Kind: decode.KindInts, Ints: v}
	}
	for _, c := range []struct {
		x, w   []int
		groups int64
		a      []decode.Attribute
	}{
		{[]int{2, 3, 7}, []int{4, 3, 3}, 1, nil},
		{[]int{1, 4, 7, 6}, []int{6, 2, 3, 2}, 2,
			[]decode.Attribute{ints("strides", 2, 1), ints("pads", 1, 0, 1, 1)}},
		{[]int{2, 2, 9, 8}, []int{2, 1, 3, 3}, 2, []decode.Attribute{ints("dilations", 2, 1)}},
	} {
		attributes := append(c.a, decode.Attribute{Name: "group", Kind: decode.KindInt,
			Int: c.groups})
		x, w := randomTensor(r, c.x...), randomTensor(r, c.w...)
		forward, _ := NewConv(&Node{Op: "Conv", Opset: 13, Attributes: attributes})
		back, _ := NewConvTranspose(&Node{Op: "ConvTranspose", Opset: 13, Attributes: attributes})
		m := testMachine()
		var y, exact, rounded tensor.Tensor
		must.Do(t, forward(m, []*tensor.Tensor{x, w}, []*tensor.Tensor{&y}))
		m.EndNode()
		wide := make([]*tensor.Tensor, 2)
		for i, p := range []*tensor.Tensor{x, w} {
			wide[i] = &tensor.Tensor{}
			must.Do(t, Convert(m, wide[i], p, tensor.Float64))
		}
		must.Do(t, forward(m, wide, []*tensor.Tensor{&exact}))
		must.Do(t, Convert(m, &rounded, &exact, tensor.Float32))
		close32(t, "Conv", tensor.Of[float32](&y), tensor.Of[float32](&rounded))
		m.EndNode()
		g := randomTensor(r, y.Shape...)
		// With output_padding, the result has the shape of the input of Conv.
		spare := make([]int64, len(c.x)-2)
		var z tensor.Tensor
		must.Do(t, back(m, []*tensor.Tensor{g, w}, []*tensor.Tensor{&z}))
		for i := range spare {
			spare[i] = int64(c.x[2+i] - z.Shape[2+i])
		}
		back, _ = NewConvTranspose(&Node{Op: "ConvTranspose", Opset: 13,
			Attributes: append(attributes, ints("output_padding", spare...))})
		must.Do(t, back(m, []*tensor.Tensor{g, w}, []*tensor.Tensor{&z}))
		dot := func(a, b *tensor.Tensor) (sum float64) {
			for i, v := range tensor.Of[float32](a) {
				sum += float64(v) * float64(tensor.Of[float32](b)[i])
			}
			return sum
		}
		if p, q := dot(&y, g), dot(x, &z); !(math.Abs(p-q) <= loose*max(1, math.Abs(p))) {
			t.Errorf("%v by %v: %v and %v differ", c.x, c.w, p, q)
		}
	}
}
