package onnxbackend

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// A Device computes parts of models beside the CPU; package gpu opens one.
type Device = device.Device

// Options say how a model is opened. The zero value works.
type Options struct {
	Name string // what the model is called in reports; "" takes the graph's name
	Card []byte // a model card in JSON; its keys win over those of the card in the file
	// Published are configurations of other libraries beside the file, see FindPublished. Keys of
	// both cards win over what they state.
	Published []Published
	// Inputs is a further card with the key "inputs", which wins over both: what the inputs beside
	// the bag take for bags that do not state it, see core.Bag.Covariates.
	Inputs []byte
	// Via names a file of External that the bag goes through first, as the card's key "via" does,
	// over which it wins.
	Via      string
	External ExternalData
	Limits   Limits
	Plain    bool // run the whole graph of the file for every coalition: no passes, no prefix
	Workers  int  // goroutines that encode a bag, 0 for GOMAXPROCS; no result depends on it

	Device       Device // encodes bags if it is faster, and notes say so; nil for the CPU alone
	DeviceAlways bool   // the device does whatever it has a kernel for, faster or not

	Randomize Randomize // weights to shuffle, for sanity checks of maps

	// Digest returns the SHA-256 of the file, or false if it cannot. A host such as a browser
	// computes it faster than Go in WebAssembly, where it takes half the time that a model of many
	// weights needs to open. Nil computes it here.
	Digest func(model []byte) ([32]byte, bool)
}

// digest returns the SHA-256 of the file.
func (o Options) digest(model []byte) [32]byte {
	if o.Digest != nil {
		if sum, ok := o.Digest(model); ok {
			return sum
		}
	}
	return sha256.Sum256(model)
}

// Limits bound the memory and the work of a model file. Open and runs return a *LimitError for a
// file that needs more. Zero means the default.
type Limits struct {
	ModelBytes int // size of the file; default 1 GiB
	Elements   int // elements of one tensor; default 2^28
	// bytes of one run, and of all initializers; default 2 GiB, or 1 GiB in WebAssembly and if int
	// has 32 bits
	RunBytes  int
	Nodes     int // nodes of all graphs, with functions inlined; default 100,000
	Depth     int // graphs inside of the nodes of graphs; default 16, never above 256
	LoopTrips int // trips of one Loop or Scan in a run; default 1,000,000
	// multiplications, or elements touched, of one run of the graph; default 2^44, or no limit if
	// int has 32 bits
	Work int

	// Memory reserves the model's constants and the memory of its runs before they are allocated,
	// so that Open and runs also return a *quota.MemoryError or a *quota.MemoryBusyError. Nil means
	// no bound beside RunBytes. Runs whose context has a Memory, see quota.WithMemory, reserve
	// there instead. What a Bound keeps stays reserved until that Memory is closed: give each bag a
	// part.
	Memory *quota.Memory
}

// LimitsIn returns the limits of a program that bounds by m all that models take: ModelBytes,
// Elements and RunBytes are the defaults, or what m can hold if that is more. The other limits are
// the defaults. A nil m changes nothing.
func LimitsIn(m *quota.Memory) Limits {
	l := Limits{Memory: m}.filled()
	room := int(min(m.Limit(), math.MaxInt))
	l.ModelBytes = max(l.ModelBytes, room)
	l.Elements = max(l.Elements, room/4)
	l.RunBytes = max(l.RunBytes, room)
	return l
}

// filled returns the limits with defaults for those that are not set.
func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		def   int
	}{
		{&l.ModelBytes, 1 << 30}, {&l.Elements, 1 << 28}, {&l.RunBytes, runBytes()},
		{&l.Nodes, 100_000}, {&l.Depth, 16}, {&l.LoopTrips, 1_000_000},
		{&l.Work, min(1<<44, math.MaxInt)},
	} {
		if *f.field <= 0 {
			*f.field = f.def
		}
	}
	l.Depth = min(l.Depth, maxDepth)
	return l
}

// runBytes returns the default of Limits.RunBytes. The 4 GiB that WebAssembly and 32-bit platforms
// can address hold a bag, its model and uncollected memory beside a run, so that a limit of 2 GiB
// would not be reached before the program ends.
func runBytes() int {
	if runtime.GOARCH == "wasm" || strconv.IntSize == 32 {
		return 1 << 30
	}
	return min(2<<30, math.MaxInt)
}

// maxDepth bounds the recursion over graphs inside of nodes. A program cannot recover from a stack
// overflow.
const maxDepth = 256

// decode returns the limits of decoding a file.
func (l Limits) decode() decode.Limits {
	return decode.Limits{Elements: l.Elements, Bytes: l.RunBytes, Nodes: l.Nodes, Depth: l.Depth,
		Memory: l.Memory}
}

// run returns the limits of a run.
func (l Limits) run() machine.Limits {
	return machine.Limits{Elements: l.Elements, Bytes: l.RunBytes, Trips: l.LoopTrips, Work: l.Work,
		Memory: l.Memory}
}

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

// Layers returns the number of layers whose weights Options.Randomize can shuffle: 0 if the file
// has no such tensors, as models of quantized weights.
func (m *Model) Layers() int { return m.layers }
