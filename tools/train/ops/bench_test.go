package ops

import (
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// BenchmarkLayers times layers of 4-MNIST-Bags forward and backward for 30 digits, ours beside
// Gorgonia's own.
func BenchmarkLayers(b *testing.B) {
	const k = 30
	r := rand.New(rand.NewPCG(1, 1))
	second := Convolution{Channels: 20, Height: 12, Width: 12, Maps: 50, Kernel: 5}
	for _, c := range []struct {
		name string
		in   []*variable
		ours func(a *Arena) builder
		twin builder
	}{
		{"convolution", []*variable{random(r, k, second.input()), random(r, 50, second.Taps()),
			random(r, 1, 50)}, func(a *Arena) builder {
			return func(in []*G.Node) (*G.Node, error) {
				return Convolve(a, computed(a, in[0]), in[1], in[2], second)
			}
		}, convolveTwin(k, second)},
		{"linear", []*variable{random(r, k, 800), random(r, 800, 512), random(r, 1, 512)},
			func(a *Arena) builder {
				return func(in []*G.Node) (*G.Node, error) {
					return Linear(a, computed(a, in[0]), in[1], in[2], kernel.ActRelu)
				}
			}, linearTwin(kernel.ActRelu)},
	} {
		b.Run(c.name+"/ours", func(b *testing.B) { measure(b, c.ours(&Arena{}), c.in) })
		b.Run(c.name+"/gorgonia", func(b *testing.B) { measure(b, c.twin, c.in) })
	}
}

func measure(b *testing.B, build builder, in []*variable) {
	g := G.NewGraph()
	nodes := make(G.Nodes, len(in))
	for i, v := range in {
		nodes[i] = G.NewMatrix(g, tensor.Float32, G.WithShape(v.shape...),
			G.WithName(string(rune('a'+i))),
			G.WithValue(tensor.New(tensor.WithShape(v.shape...), tensor.WithBacking(v.values))))
	}
	out, err := build(nodes)
	must.Do(b, err)
	must.Get(G.Grad(G.Must(G.Sum(out)), nodes...))(b)
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	for b.Loop() {
		vm.Reset()
		must.Do(b, vm.RunAll())
	}
}
