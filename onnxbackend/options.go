package onnxbackend

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// Options say how a model is opened. The zero value works.
type Options struct {
	Name     string // what the model is called in reports; "" takes the graph's name
	Card     []byte // a model card in JSON; its keys win over those of the card in the file
	External ExternalData
	Limits   Limits
	Plain    bool // run the whole graph as the file has it for every coalition: no passes, no encode-once cut
	Workers  int  // goroutines that encode a bag, 0 for GOMAXPROCS; no result depends on it
}

// Limits bound what a model file may ask for; a file that asks for more is refused with a *LimitError.
// Zero means the default.
type Limits struct {
	ModelBytes int // size of the file; default 1 GiB
	Elements   int // elements of one tensor; default 2^28
	RunBytes   int // memory of the tensors of one run, and of all initializers; default 2 GiB
	Nodes      int // of all graphs, with functions inlined; default 100,000
	LoopTrips  int // of one Loop or Scan in a run; default 1,000,000
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		def   int
	}{{&l.ModelBytes, 1 << 30}, {&l.Elements, 1 << 28}, {&l.RunBytes, 2 << 30}, {&l.Nodes, 100_000}, {&l.LoopTrips, 1_000_000}} {
		if *f.field <= 0 {
			*f.field = f.def
		}
	}
	return l
}

func (l Limits) decode() decode.Limits {
	return decode.Limits{Elements: l.Elements, Bytes: l.RunBytes, Nodes: l.Nodes}
}

func (l Limits) run() machine.Limits {
	return machine.Limits{Elements: l.Elements, Bytes: l.RunBytes, Trips: l.LoopTrips}
}
