package onnxbackend

import (
	"crypto/sha256"
	"runtime"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// A Device computes parts of models beside the CPU; package gpu opens one.
type Device = device.Device

// Options say how a model is opened. The zero value works.
type Options struct {
	Name     string // what the model is called in reports; "" takes the graph's name
	Card     []byte // a model card in JSON; its keys win over those of the card in the file
	External ExternalData
	Limits   Limits
	Plain    bool // run the whole graph of the file for every coalition: no passes, no prefix
	Workers  int  // goroutines that encode a bag, 0 for GOMAXPROCS; no result depends on it

	Device       Device // encodes bags where that pays, and notes say so; nil for the CPU alone
	DeviceAlways bool   // the device does whatever it has a kernel for, pay it or not

	// Digest returns the SHA-256 of the file, or false where it cannot: for a host that computes it
	// faster than Go in WebAssembly, where it is half the time that a model of many weights takes
	// to open. Nil computes it here.
	Digest func(model []byte) ([32]byte, bool)
}

func (o Options) digest(model []byte) [32]byte {
	if o.Digest != nil {
		if sum, ok := o.Digest(model); ok {
			return sum
		}
	}
	return sha256.Sum256(model)
}

// Limits bound what a model file may ask for; a file that asks for more is refused with a
// *LimitError. Zero means the default.
type Limits struct {
	ModelBytes int // size of the file; default 1 GiB
	Elements   int // elements of one tensor; default 2^28
	RunBytes   int // bytes of one run, and of all initializers; default 2 GiB, in WebAssembly 1 GiB
	Nodes      int // of all graphs, with functions inlined; default 100,000
	Depth      int // graphs inside of the nodes of graphs; default 16, never above 256
	LoopTrips  int // of one Loop or Scan in a run; default 1,000,000
	Work       int // multiplications, or elements touched, of one run of the graph; default 2^44
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		def   int
	}{
		{&l.ModelBytes, 1 << 30}, {&l.Elements, 1 << 28}, {&l.RunBytes, runBytes()}, {&l.Nodes,
			100_000},
		{&l.Depth, 16}, {&l.LoopTrips, 1_000_000}, {&l.Work, 1 << 44},
	} {
		if *f.field <= 0 {
			*f.field = f.def
		}
	}
	l.Depth = min(l.Depth, maxDepth)
	return l
}

// runBytes is the default of Limits.RunBytes. The 4 GiB that WebAssembly can address hold a bag,
// its model and uncollected memory beside a run. With a limit of 2 GiB the program ended before the
// limit was reached.
func runBytes() int {
	if runtime.GOARCH == "wasm" {
		return 1 << 30
	}
	return 2 << 30
}

// maxDepth bounds the recursion over graphs inside of nodes: a stack overflow is no error that can
// be handled.
const maxDepth = 256

func (l Limits) decode() decode.Limits {
	return decode.Limits{Elements: l.Elements, Bytes: l.RunBytes, Nodes: l.Nodes, Depth: l.Depth}
}

func (l Limits) run() machine.Limits {
	return machine.Limits{Elements: l.Elements, Bytes: l.RunBytes, Trips: l.LoopTrips, Work: l.Work}
}
