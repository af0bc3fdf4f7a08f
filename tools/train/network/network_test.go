package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestRecipesHaveKnownNumbersOfParameters compares with numbers computed by hand from the widths.
func TestRecipesHaveKnownNumbersOfParameters(t *testing.T) {
	const (
		mnistConvolutions = 20*25 + 20 + 50*20*25 + 50
		crcConvolutions   = 36*3*16 + 36 + 48*36*9 + 48
	)
	dense := func(widths ...int) int {
		n := 0
		for i := 1; i < len(widths); i++ {
			n += widths[i-1]*widths[i] + widths[i]
		}
		return n
	}
	sage := func(widths ...int) int {
		n := 0
		for i := 1; i < len(widths); i++ {
			n += 2*widths[i-1]*widths[i] + widths[i]
		}
		return n
	}
	// by the first number of a shape
	clustering := map[int]int{30: sage(128, 1), 166: sage(128, 1), 1: sage(64, 1), 3: sage(128, 1)}
	for _, c := range []struct {
		shape   []int
		classes int
		want    map[Kind]int
	}{
		{[]int{30}, 13, map[Kind]int{
			MINet: dense(30, 128, 256, 13), MINetInstance: dense(30, 512, 256, 64, 13),
			MIAttn: dense(30, 128, 256, 128, 13) + 128*256 + 256, MIGNN: dense(30, 128) + sage(128,
				128, 256, 64) + sage(128, 1) + dense(64, 128, 13),
		}},
		{[]int{166}, 2, map[Kind]int{
			MINet: dense(166, 128, 256, 2), MINetInstance: dense(166, 512, 256, 64, 2),
			MIAttn: dense(166, 128, 256, 128, 2) + 128*256 + 256, MIGNN: dense(166, 128) + sage(128,
				128, 256, 64) + sage(128, 1) + dense(64, 128, 2),
		}},
		{[]int{1, 28, 28}, 4, map[Kind]int{
			MINet: mnistConvolutions + dense(800, 128, 512, 4), MINetInstance: mnistConvolutions +
				dense(800, 512, 128, 64, 4),
			MIAttn: mnistConvolutions + dense(800, 64, 256, 64, 4) + 256*64 + 64,
			MIGNN: mnistConvolutions + dense(800, 64, 64) + sage(64, 128, 128, 128) + sage(64, 1) +
				dense(128, 64, 4),
		}},
		{[]int{3, 27, 27}, 2, map[Kind]int{
			MINet:         crcConvolutions + dense(1200, 64, 512, 128, 64, 2),
			MINetInstance: crcConvolutions + dense(1200, 64, 64, 64, 2),
			MIAttn:        crcConvolutions + dense(1200, 64, 64, 256, 2) + 256*128 + 128,
			MIGNN: crcConvolutions + dense(1200, 64, 128) + sage(128, 128) + sage(128, 1) +
				dense(128, 128, 2),
		}},
	} {
		for kind, want := range c.want {
			for _, preset := range []Preset{Paper, Reference, Summing} {
				want := want
				if preset == Summing && kind == MIGNN { // MI-GNN has no clustering
					want -= clustering[c.shape[0]]
				}
				r := must.Get(For(kind, c.shape, c.classes, core.ScaleLogits, preset))(t)
				got, names := 0, map[string]bool{}
				for _, p := range Initial(r.Architecture, 1) {
					got += len(p.Values)
					if names[p.Name] {
						t.Errorf("%s of %v has two parameters %s", kind, c.shape, p.Name)
					}
					names[p.Name] = true
				}
				must.Equal(t, got, want, kind, c.shape)
			}
		}
	}
	must.Fail(t, must.Err(For("net", []int{3}, 2, core.ScaleLogits, Paper)))
	must.Fail(t, must.Err(For(MINet, []int{3}, 2, core.ScaleLogits, "print")))
}

// little is a network that is quick, with every kind of layer of its kind.
func little(kind Kind) Architecture {
	a := Architecture{
		Kind: kind, Shape: []int{1, 12, 12}, Classes: 3, Scale: core.ScaleLogits,
		Convolutions: []Kernel{{Maps: 3, Size: 3}},
		Encoder:      []int{8, 6}, Attention: 4, Graph: []int{5, 4}, Head: []int{7}, Pool: Max,
		Limit: 2,
	}
	if kind == MIGNN {
		a.Pool = ""
	}
	return a
}

// littles are networks of all kinds, and mi-gnn with a sum.
func littles() []Architecture {
	sum := little(MIGNN)
	sum.Pool = Sum
	return []Architecture{little(MINet), little(MINetInstance), little(MIAttn), little(MIGNN), sum}
}

func randomBag(r *rand.Rand, k int) *core.Bag {
	b := &core.Bag{Name: fmt.Sprint(k), Shape: []int{1, 12, 12}, Values: make([]float32, k*144)}
	for i := range b.Values {
		b.Values[i] = float32(r.NormFloat64())
	}
	return b
}

// still is a solver that changes nothing but notes the gradients.
type still struct{ gradients [][]float32 }

func (s *still) Step(parameters []G.ValueGrad) error {
	s.gradients = nil
	for _, p := range parameters {
		g, err := p.Grad()
		if err != nil {
			return err
		}
		s.gradients = append(s.gradients, slices.Clone(g.(*tensor.Dense).Float32s()))
	}
	return nil
}

func TestPredictionsDoNotDependOnEarlierBags(t *testing.T) {
	for _, a := range littles() {
		kind, r := a.Kind, rand.New(rand.NewPCG(1, 2))
		used := must.Get(New(a, 5))(t)
		target := []float32{0, 1, 0}
		for _, k := range []int{3, 1, 9, 3, 2, 9, 1} {
			bag := randomBag(r, k)
			fresh := must.Get(New(a, 5))(t)
			var got, want still
			for n, s := range map[*Network]*still{used: &got, fresh: &want} {
				if _, _, err := n.Train(bag, target, r, s); err != nil {
					t.Fatal(err)
				}
			}
			one := must.Get(used.Predict(bag))(t)
			other := must.Get(fresh.Predict(bag))(t)
			must.EqualSlices(t, one.Logits, other.Logits, kind, k, one, other)
			must.EqualSlices(t, one.Attention, other.Attention, kind, k, one, other)
			must.EqualSlices(t, one.Predictions, other.Predictions, kind, k, one, other)
			for i := range want.gradients {
				if !slices.Equal(got.gradients[i], want.gradients[i]) {
					t.Errorf("%s, %d instances: the gradient of %s differs from that of a fresh "+
						"network", kind, k, used.Parameters[i].Name)
				}
			}
		}
	}
}

// TestGradientsEqualDifferences compares the gradient of each parameter with differences of the
// loss.
func TestGradientsEqualDifferences(t *testing.T) {
	const step = 3e-4 // wider ones cross kinks of rectifiers
	for _, a := range littles() {
		for _, scale := range []core.Scale{core.ScaleLogits, core.ScaleSigmoidLogits,
			core.ScaleRaw} {
			kind, r := a.Kind, rand.New(rand.NewPCG(3, 4))
			a.Scale = scale
			if a.Pool == Max { // a maximum has no derivative where two instances are level
				a.Pool = Mean
			}
			n := must.Get(New(a, 6))(t)
			bag, target := randomBag(r, 7), []float32{0, 1, 0}
			var s still
			if _, _, err := n.Train(bag, target, r, &s); err != nil {
				t.Fatal(err)
			}
			gradients := s.gradients
			loss := func() float64 {
				v, _, err := n.Train(bag, target, r, &s)
				must.Do(t, err)
				return v
			}
			for i, p := range n.Parameters {
				slope, before := 0.0, slices.Clone(p.Values)
				along := make([]float64, len(before))
				for j := range along {
					along[j] = r.NormFloat64()
					slope += along[j] * float64(gradients[i][j])
				}
				at := func(by float64) float64 {
					for j := range p.Values {
						p.Values[j] = before[j] + float32(by*along[j])
					}
					return loss()
				}
				numeric := (at(step) - at(-step)) / (2 * step)
				copy(p.Values, before)
				if d := numeric - slope; d > .03*max(.1, max(slope, -slope)) ||
					d < -.03*max(.1, max(slope, -slope)) {
					t.Errorf("%s, %s: the loss changes by %v along a direction of %s, and the "+
						"gradient says %v", kind, scale, numeric, p.Name, slope)
				}
			}
		}
	}
}

func TestArchitectureErrors(t *testing.T) {
	for what, spoil := range map[string]func(*Architecture){
		"kind":           func(a *Architecture) { a.Kind = "net" },
		"shape":          func(a *Architecture) { a.Shape = []int{12, 12} },
		"no side":        func(a *Architecture) { a.Shape = []int{1, 0, 12} },
		"no pictures":    func(a *Architecture) { a.Shape = []int{12} },
		"large kernel":   func(a *Architecture) { a.Convolutions[0].Size = 12 },
		"no maps":        func(a *Architecture) { a.Convolutions[0].Maps = 0 },
		"one class":      func(a *Architecture) { a.Classes = 1 },
		"no encoder":     func(a *Architecture) { a.Encoder = nil },
		"width 0":        func(a *Architecture) { a.Head = []int{0} },
		"dropout":        func(a *Architecture) { a.Dropout = 1 },
		"limit":          func(a *Architecture) { a.Limit = -1 },
		"pooling":        func(a *Architecture) { a.Pool = "median" },
		"scale":          func(a *Architecture) { a.Scale = core.ScaleProbabilities },
		"no attention":   func(a *Architecture) { a.Kind, a.Attention = MIAttn, 0 },
		"no graph layer": func(a *Architecture) { a.Kind, a.Graph = MIGNN, nil },
	} {
		a := little(MINet)
		spoil(&a)
		must.Equal(t, must.Err(New(a, 1)) != nil, true, what)
	}
	n := must.Get(New(little(MINet), 1))(t)
	bag := randomBag(rand.New(rand.NewPCG(1, 1)), 2)
	if _, _, err := n.Train(bag, []float32{1}, nil, &still{}); err == nil {
		t.Error("a target of one class is taken for three")
	}
	bag.Shape = []int{1, 9, 16}
	must.Fail(t, must.Err(n.Predict(bag)))
	must.Fail(t, must.Err(n.Predict(&core.Bag{Shape: []int{1, 12, 12}})))
}

// BenchmarkStep is one step of training on a bag of the paper's size, with its solver left out.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape []int
		k     int
	}{{"mnist", []int{1, 28, 28}, 30}, {"crc", []int{3, 27, 27}, 264}, {"sival", []int{30}, 30}} {
		for _, kind := range Kinds() {
			b.Run(c.name+"/"+string(kind), func(b *testing.B) {
				recipe, err := For(kind, c.shape, 2, core.ScaleLogits, Reference)
				must.Do(b, err)
				n, err := New(recipe.Architecture, 1)
				must.Do(b, err)
				r := rand.New(rand.NewPCG(1, 1))
				bag := &core.Bag{Shape: c.shape, Values: make([]float32, c.k*n.values())}
				for i := range bag.Values {
					bag.Values[i] = float32(r.NormFloat64())
				}
				for b.Loop() {
					if _, _, err := n.Train(bag, []float32{0, 1}, r, idle{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

type idle struct{}

func (idle) Step([]G.ValueGrad) error { return nil }
