// Package device is the seam to processors beside the CPU, which compute nodes of a graph in memory
// of their own.
//
// A runner of a plan asks a Session about every node in turn. What the session computes stays in
// the device's memory; what it leaves to the CPU is brought back first. So values cross where an
// operator without a kernel reads them, and at the end of the run, and nowhere else.
package device

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Device computes nodes. It is safe for concurrent use.
type Device interface {
	// Name is what the adapter calls itself.
	Name() string
	// Software reports whether the adapter is a program on the CPU, which never pays.
	Software() bool
	// LargestTensor is how many bytes of one value the device can hold.
	LargestTensor() int
	// Memory is how many bytes all values may have together.
	Memory() int
	// Load begins the device's memory of one model's constants, which are uploaded once.
	Load() Loaded
	// Hold uploads what coalitions of a bag of k instances are pooled from, where it stays until
	// nobody has the Pooler. It returns nil when the device cannot hold it.
	Hold(k int, what []Pooled) (Pooler, error)
	// Gram writes to the upper triangle of dst (k, k) the weighted Gram matrix of bit-packed rows z
	// (n, words) with weights w (n), as kernel.WeightedGram adds it, to within n·2^-62 of the
	// weights' sum of magnitudes. It reports false when it leaves that to the CPU.
	Gram(ctx context.Context, dst []float64, z []uint64, words, n, k int, w []float64) (bool, error)
}

// Pooled is numbers of each instance of a bag, of which coalitions take the sum of their members or
// the first few members in an order.
type Pooled struct {
	Columns int
	Values  []float32 // (instance, column)
	// (column, rank) instances in the order in which members are taken; nil for sums
	Order []int32
	Take  int // how many members are taken of each column, 0 for sums
	// columns that lie together in a result of several members: (column / Inner, Take, Inner)
	Inner int
}

// Width returns how many numbers are pooled for a coalition.
func (p *Pooled) Width() int {
	return p.Columns * max(p.Take, 1)
}

// NotMet stands for members that a device has not met.
const NotMet = -math.MaxFloat32

// A Pooler pools coalitions of one bag, of which the bits go to the device and the results come
// back. It is safe for concurrent use.
type Pooler interface {
	// Pool returns (coalition, width) for each of what is held. z is (n, words), bit-packed. Where
	// not enough members of a coalition were met in an order the rest is NotMet. Results are
	// finite, or there is an error.
	Pool(ctx context.Context, z []uint64, words, n int) ([][]float32, error)
}

// A Loaded remembers a model's constants on the device until nobody holds it.
type Loaded interface {
	// Session begins a run. A session of a dry run looks at shapes alone and counts what the run
	// would cost.
	Session(dry bool) Session
}

// A Session is the use of a device by one run, or by several in turn that encode blocks of a bag.
// Tensors are told apart by their address.
type Session interface {
	// Run computes a node whose outputs then lie on the device: they have a type and a shape, and
	// no words. It reports false when it leaves the node to the CPU. Inputs may lie anywhere.
	Run(m *machine.Machine, n *graph.Node, in, out []*tensor.Tensor) (bool, error)
	// Fetch gives words to those of the values that lie on the device alone.
	Fetch(m *machine.Machine, values []*tensor.Tensor) error
	// Finish fetches all values that lie on the device alone.
	Finish(m *machine.Machine) error
	// Join copies src, the rows of some instances, to dst, which has the rows of all, from row lo
	// of an axis on. dst has a type and a shape; its elements lie on the device. Nothing waits. It
	// reports false if the device cannot hold dst or src; the caller then fetches src.
	Join(dst, src *tensor.Tensor, axis, lo int) (bool, error)
	// Turn ends a block: the device begins with it, and the caller may record the next one. It
	// waits until the block before it is computed, so that at most two are in memory.
	Turn(ctx context.Context) error
	// Drop forgets a value.
	Drop(t *tensor.Tensor)
	// Close gives the session's memory back. What has not been fetched is lost.
	Close()
	// Cost is what the session has done so far, or in a dry run would have.
	Cost() Cost
}

// A Cost is what a run takes of a device.
type Cost struct {
	Nodes   int // computed
	Work    int // multiplications, or elements touched
	Up      int // bytes of values to the device, without constants
	Down    int // bytes from the device
	Waits   int // times that the CPU waits for the device
	Largest int // bytes of the largest value
	Peak    int // bytes of the values that are on the device at a time
	Unknown int // steps of a dry run whose shapes are unknown
}

// A Retreat is an error of a session: the device cannot finish the run, which the CPU has to begin
// again.
type Retreat struct {
	Device string
	Reason string
	Lost   bool // the device will not compute anything any more
}

func (e *Retreat) Error() string { return msg.Cut(e.Device + " cannot go on: " + e.Reason) }
