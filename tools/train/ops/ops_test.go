package ops

import (
	"fmt"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

func TestLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, act := range []kernel.Activation{kernel.ActNone, kernel.ActRelu, kernel.ActTanh} {
		for _, c := range [][3]int{{1, 1, 1}, {1, 5, 3}, {30, 17, 33}, {7, 64, 2}} {
			t.Run(fmt.Sprint(act, c), func(t *testing.T) {
				twin := linearTwin(act)
				if c[0] == 1 {
					twin = rowTwin(act)
				}
				compareWithTwin(t, func(in []*G.Node) (*G.Node, error) {
					a := &Arena{}
					return Linear(a, computed(a, in[0]), in[1], in[2], act)
				}, twin, random(r, c[0], c[1]), random(r, c[1], c[2]), random(r, 1, c[2]))
			})
		}
	}
}

func linearTwin(act kernel.Activation) builder {
	return func(in []*G.Node) (*G.Node, error) {
		return activate(G.Must(G.BroadcastAdd(G.Must(G.Mul(in[0], in[1])), in[2], nil, []byte{0})),
			act)
	}
}

func activate(y *G.Node, act kernel.Activation) (*G.Node, error) {
	switch act {
	case kernel.ActRelu:
		return G.Rectify(y)
	case kernel.ActTanh:
		return G.Tanh(y)
	}
	return y, nil
}

// rowTwin adds without broadcasting, which Gorgonia refuses for one row.
func rowTwin(act kernel.Activation) builder {
	return func(in []*G.Node) (*G.Node, error) {
		return activate(G.Must(G.Add(G.Must(G.Mul(in[0], in[1])), in[2])), act)
	}
}

func TestLinearWithoutBias(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	compareWithTwin(t, func(in []*G.Node) (*G.Node, error) {
		a := &Arena{}
		return Linear(a, computed(a, in[0]), in[1], nil, kernel.ActTanh)
	}, func(in []*G.Node) (*G.Node, error) {
		return G.Tanh(G.Must(G.Mul(in[0], in[1])))
	}, random(r, 9, 12), random(r, 12, 5))
}

func TestConvolve(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []Convolution{
		{Channels: 1, Height: 28, Width: 28, Maps: 20, Kernel: 5},
		{Channels: 3, Height: 27, Width: 27, Maps: 5, Kernel: 4},
		{Channels: 4, Height: 9, Width: 12, Maps: 7, Kernel: 3},
		{Channels: 2, Height: 4, Width: 6, Maps: 3, Kernel: 1},
	} {
		for _, k := range []int{1, 9} {
			t.Run(fmt.Sprintf("%+v %d", c, k), func(t *testing.T) {
				b := random(r, 1, c.Maps)
				w := random(r, c.Maps, c.Taps())
				compareWithTwin(t, func(in []*G.Node) (*G.Node, error) {
					a := &Arena{}
					return Convolve(a, computed(a, in[0]), in[1], in[2], c)
				}, convolveTwin(k, c), random(r, k, c.input()), w, b)
			})
		}
	}
}

func convolveTwin(k int, c Convolution) builder {
	return func(in []*G.Node) (*G.Node, error) {
		x := G.Must(G.Reshape(in[0], tensor.Shape{k, c.Channels, c.Height, c.Width}))
		w := G.Must(G.Reshape(in[1], tensor.Shape{c.Maps, c.Channels, c.Kernel, c.Kernel}))
		y := G.Must(G.Conv2d(x, w, tensor.Shape{c.Kernel, c.Kernel}, []int{0, 0}, []int{1, 1},
			[]int{1, 1}))
		bias := G.Must(G.Reshape(in[2], tensor.Shape{1, c.Maps, 1, 1}))
		y = G.Must(G.BroadcastAdd(y, bias, nil, []byte{0, 2, 3}))
		y = G.Must(G.MaxPool2D(G.Must(G.Rectify(y)), tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2}))
		return G.Reshape(y, tensor.Shape{k, c.Values()})
	}
}

func TestPooling(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, k := range []int{1, 2, 30} {
		x := random(r, k, 11)
		compareWithTwin(t, func(in []*G.Node) (*G.Node, error) { return Mean(&Arena{}, in[0]) },
			func(in []*G.Node) (*G.Node, error) {
				return G.Reshape(G.Must(G.Mean(in[0], 0)), tensor.Shape{1, 11})
			}, x)
		compareWithTwin(t, func(in []*G.Node) (*G.Node, error) { return Sum(&Arena{}, in[0]) },
			func(in []*G.Node) (*G.Node, error) {
				return G.Reshape(G.Must(G.Sum(in[0], 0)), tensor.Shape{1, 11})
			}, x)
		compareWithTwin(t, func(in []*G.Node) (*G.Node, error) { return Max(&Arena{}, in[0]) },
			func(in []*G.Node) (*G.Node, error) {
				return G.Reshape(G.Must(G.Max(in[0], 0)), tensor.Shape{1, 11})
			}, x)
	}
}

func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, k := range []int{2, 30} {
		compareWithTwin(t, func(in []*G.Node) (*G.Node, error) { return Weights(&Arena{}, in[0]) },
			func(in []*G.Node) (*G.Node, error) {
				return G.SoftMax(G.Must(G.Reshape(in[0], tensor.Shape{1, k})), 1)
			}, random(r, k, 1))
	}
}

func TestLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	square := func(in []*G.Node, target []float32) *G.Node {
		want := G.NewConstant(tensor.New(tensor.WithShape(1, len(target)),
			tensor.WithBacking(append([]float32(nil), target...))))
		return G.Must(G.Square(G.Must(G.Sub(in[0], want))))
	}
	for _, c := range []struct {
		scale  core.Scale
		target []float32
		twin   func(in []*G.Node, target []float32) *G.Node
	}{
		{core.ScaleLogits, []float32{1, 0, 0, 0}, entropyTwin(0)},
		{core.ScaleLogits, []float32{0, 0, 0, 1}, entropyTwin(3)},
		{core.ScaleSigmoidLogits, []float32{0, 1, 1, 0},
			func(in []*G.Node, target []float32) *G.Node {
				sign := make([]float32, len(target))
				for j, v := range target {
					sign[j] = 1 - 2*v
				}
				signs := G.NewConstant(tensor.New(tensor.WithShape(1, len(sign)),
					tensor.WithBacking(sign)))
				return G.Must(G.Mean(G.Must(G.Softplus(G.Must(G.HadamardProd(in[0], signs))))))
			}},
		{core.ScaleRaw, []float32{.5, 3, -1, 0}, func(in []*G.Node, target []float32) *G.Node {
			return G.Must(G.Mean(square(in, target)))
		}},
	} {
		t.Run(fmt.Sprint(c.scale, c.target), func(t *testing.T) {
			compareWithTwin(t, func(in []*G.Node) (*G.Node, error) {
				loss, target, err := Loss(&Arena{}, c.scale, in[0])
				copy(target, c.target)
				return loss, err
			}, func(in []*G.Node) (*G.Node, error) { return c.twin(in, c.target), nil },
				random(r, 1, 4))
		})
	}
}

func entropyTwin(class int) func(in []*G.Node, _ []float32) *G.Node {
	return func(in []*G.Node, _ []float32) *G.Node {
		p := G.Must(G.SoftMax(in[0], 1))
		return G.Must(G.Neg(G.Must(G.Log(G.Must(G.Slice(p, G.S(0), G.S(class)))))))
	}
}

// TestDropout holds the mask to its rate and scale, and the gradient to the mask.
func TestDropout(t *testing.T) {
	const rate = .3
	a := &Arena{}
	g := G.NewGraph()
	x := random(rand.New(rand.NewPCG(15, 16)), 100, 100)
	node := G.NewMatrix(g, tensor.Float32, G.WithShape(100, 100), G.WithName("x"),
		G.WithValue(tensor.New(tensor.WithShape(100, 100), tensor.WithBacking(x.values))))
	y, mask, err := Dropout(a, node, rate)
	must.Do(t, err)
	G.Must(G.Sum(y))
	must.Get(G.Grad(G.Must(G.Sum(y)), node))(t)
	mask.Draw(rand.New(rand.NewPCG(17, 18)))
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	must.Do(t, vm.RunAll())
	d := must.Get(node.Grad())(t)
	dropped, values, gradient := 0, floats(y.Value()), floats(d)
	for i, v := range values {
		scale := float32(0)
		if v != 0 {
			scale = mask.values[i]
		} else {
			dropped++
		}
		must.Equal(t, gradient[i], scale, i, v, x.values[i])
		must.Equal(t, v, x.values[i]*scale, i, x.values[i], gradient[i])
	}
	if share := float64(dropped) / float64(len(values)); share < rate-.02 || share > rate+.02 {
		t.Errorf("%v of the values are dropped, want %v", share, rate)
	}
	for _, wrong := range []float64{-.1, 1, 2} {
		if _, _, err := Dropout(a, node, wrong); err == nil {
			t.Errorf("a dropout of %v is taken", wrong)
		}
	}
}
