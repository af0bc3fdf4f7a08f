package onnxbackend

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// Randomize says which weights of a file are shuffled before the model is opened. A map that does
// not change then shows the instances, not what the model has learnt (Adebayo et al. 2018).
type Randomize struct {
	Layers int // number of layers, from the output on; 0 leaves the file as it is
	Seed   uint64
}

// layersOf returns the weights of a file's layers by their places among the initializers, in the
// order of the nodes that read them first. A layer's weights are a tensor of real numbers with two
// axes or more, so that biases and statistics stay.
func layersOf(g *decode.Graph) []int {
	place := map[string]int{}
	for i, t := range g.Initializers {
		if t.Tensor.Type.Float() && len(t.Tensor.Shape) > 1 {
			place[t.Name] = i
		}
	}
	var layers []int
	for _, n := range g.Nodes {
		for _, name := range n.Inputs {
			if at, ok := place[name]; ok {
				layers = append(layers, at)
				delete(place, name)
			}
		}
	}
	return layers
}

// shuffle exchanges the weights of each of the last layers among themselves, so that their
// distribution stays.
func (r Randomize) shuffle(g *decode.Graph, layers []int) {
	for n := range min(r.Layers, len(layers)) {
		at := layers[len(layers)-1-n]
		t := g.Initializers[at].Tensor.Clone() // the file's memory may be shared
		data, size := t.Bytes(), t.Type.Size()
		spare := make([]byte, size)
		rand.New(rand.NewPCG(r.Seed, uint64(at))).Shuffle(t.Len(), func(i, j int) {
			a, b := data[i*size:(i+1)*size], data[j*size:(j+1)*size]
			copy(spare, a)
			copy(a, b)
			copy(b, spare)
		})
		g.Initializers[at].Tensor = t
	}
}

// Layers returns the number of layers whose weights Options.Randomize can shuffle: 0 if the file has
// no such tensors, as models of quantized weights.
func (m *Model) Layers() int { return m.layers }
