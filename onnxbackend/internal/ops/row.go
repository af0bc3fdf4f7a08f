// Package ops is the table of operators. A [Row] holds everything that the engine knows about an
// operator: versions, arity, kind, its effect on the instance axis, how it computes a batch of
// coalitions, what is known of its result before a run, its device kernel and the function that
// computes it, which is in package compute. Other packages read the row; they hold no lists of
// operators.
//
//	row.go           Row and Kind; table_*.go the rows, by kind
//	node.go          Node, which joins a node to its row
//	attributes.txt   the attributes of each operator, from the specification's schemas
//	attributes*.go   their check when a graph is built
//	axes*.go         the effect on the instance axis
//	bounds.go, boundrules.go
//	                 masks that are computed from the number of instances alone
//	batchrules.go    batching rules; vmap*.go how they run
//	facts*.go        type and shape inference
//	poolrules.go     which axes an operator combines
//	contraction.go   the labels of products
//	noop.go, half.go, overwrites.go
//	                 further traits
package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
)

// Oldest and Newest bound the operator set versions that the table covers. For a version below
// Oldest, the table covers the operators that are the same there as in Oldest.
const (
	Oldest = 7
	Newest = 27
)

// A Row describes one operator of the default domain. The other packages read these traits and do
// not list operators. Kind supplies the rules that are nil in the row (see [Kind]).
type Row struct {
	// Name is the operator's name in the ONNX specification.
	Name string
	// Since lists the versions in which the specification changed the operator, in ascending order.
	// The first one introduced it.
	Since []int
	Arity
	// Omit allows the omission of inputs below this index, although they count for Min.
	Omit int
	// Kind is what the operator does, in general.
	Kind Kind

	// Axes is the effect on the instance axis.
	Axes Rule
	// Batch is how a node computes several coalitions in one call. If it is nil, they are computed
	// one by one.
	Batch Batching
	// Fact infers type and shape of the first output. If it is nil, they are unknown.
	Fact FactRule

	// NoOp reports whether the first output is the first input. If it is nil, it never is.
	NoOp NoOpRule
	// Half returns the 16-bit float type of the outputs. If it is nil, that of the inputs holds.
	Half HalfRule
	// Reduces is how the axes that Pools marks are combined; 0 if by something else.
	Reduces compute.Reduction
	// Pools returns which axes of the first input are combined. If it is nil, they are unknown.
	Pools PoolRule
	// Product returns the labels of a product of two tensors. It is nil for other operators.
	Product ProductRule
	// Fuse makes the operator the activation of a layer. If it is nil, a layer cannot apply it.
	Fuse compute.FuseRule

	// Device names the device kernel, see package gpu. If it is empty, only the CPU computes it.
	Device string
	// New builds the function of a node. A row of a function of one real number names that function
	// instead: in Real, or in RealWith if it has attributes. Rows of such names alone need no code
	// at start. Reduces supplies it for kind Reduce.
	New      compute.Factory
	Real     func(float64) float64
	RealWith func(*compute.Node) func(float64) float64
}

// An Arity bounds the numbers of inputs and outputs. A negative Max or Outputs means any number.
type Arity struct {
	Min, Max int // inputs
	Outputs  int // largest number of outputs
}

var (
	oneInput  = Arity{1, 1, 1}
	twoInputs = Arity{2, 2, 1}
)

// Kind groups operators by what they do to elements.
type Kind int

// Kinds of operators. Elementwise, PassThrough, Broadcast, Reduce and Layout supply rules of their
// rows for the instance axis, batching and facts; a row of one of these kinds names a rule only to
// replace it.
const (
	// Elementwise applies a function to each element of the first input.
	Elementwise Kind = iota + 1
	// PassThrough returns each element of the first input, perhaps in another type.
	PassThrough
	// Broadcast applies a function to the elements that meet when the inputs are broadcast.
	Broadcast
	// Linear is a product with weights, such as Gemm and Conv.
	Linear
	// Resample interpolates between elements.
	Resample
	// Quantize converts to or from quantised numbers.
	Quantize
	// Pool combines windows over planes, or whole planes.
	Pool
	// AlongAxis is a function along an axis, such as Softmax and TopK.
	AlongAxis
	// Reduce combines all elements along some axes.
	Reduce
	// Normalize divides by a norm, or normalises mean and variance.
	Normalize
	// Sequence is an attention or recurrent layer.
	Sequence
	// Copy selects elements of the first input for its first output.
	Copy
	// Layout returns the elements of the first input in their order, in another shape.
	Layout
	// Assemble joins elements of several inputs, or elements and padding.
	Assemble
	// Control runs the graphs inside of the node.
	Control
	// ReadShape reads the shape of the first input, but not its elements.
	ReadShape
	// Create returns new elements that depend on sizes, indices or attributes.
	Create
)

// kindRules holds the rules that a kind supplies. The other kinds supply none, since their
// operators have too little in common.
var kindRules = map[Kind]Row{
	Elementwise: {Axes: unaryRule, Batch: batchElementwise, Fact: sameFact},
	PassThrough: {Axes: passThroughRule, Batch: batchElementwise, Fact: sameFact},
	Broadcast:   {Axes: broadcastRule, Batch: batchBroadcast, Fact: broadcastFact},
	Layout:      {Batch: batchLayout},
	Reduce:      {Axes: reduceRule, Batch: batchReduce, Fact: reduceFact, Pools: reducedBy},
}

// table holds every operator, with the rules of its kind filled in, and byName finds its rows by
// the names of operators. They do not change.
var table, byName = operators()

// operators fills in the rules of kinds and the index of names.
func operators() ([]Row, map[string]*Row) {
	rows, index := slices.Concat(linearTable, elementwiseTable, broadcastTable, axisTable,
		moveTable), map[string]*Row{}
	for i := range rows {
		r := &rows[i]
		r.inherit(kindRules[r.Kind])
		index[r.Name] = r
	}
	return rows, index
}

// inherit fills in the rules of the row's kind that the row does not name, and New.
func (r *Row) inherit(kind Row) {
	switch {
	case r.Kind == Reduce:
		r.New = compute.NewReduce(r.Reduces)
	case r.Real != nil:
		r.New = compute.RealOp(r.Real)
	case r.RealWith != nil:
		r.New = compute.RealWith(r.RealWith)
	}
	if r.Axes == nil {
		r.Axes = kind.Axes
	}
	if r.Batch == nil {
		r.Batch = kind.Batch
	}
	if r.Fact == nil {
		r.Fact = kind.Fact
	}
	if r.Pools == nil {
		r.Pools = kind.Pools
	}
}

// Lookup returns the row of an operator of a domain, or nil. The table covers the default domain
// only.
func Lookup(domain, op string) *Row {
	if domain != "" {
		return nil
	}
	return byName[op]
}

// Names returns the operators of the table, in its order.
func Names() []string {
	var names []string
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}

// SameInOldest reports whether the operator in an older version is the same as in Oldest: it
// existed, and no version in between changed it.
func (r *Row) SameInOldest(opset int) bool {
	for _, v := range r.Since[1:] {
		if v > opset && v <= Oldest {
			return false
		}
	}
	return r.Since[0] <= opset
}

// MayOmit reports whether input i may be omitted. Inputs of operators with any number of them may
// not, except those below Omit.
func (r *Row) MayOmit(i int) bool { return i >= r.Min && r.Max >= 0 || i < r.Omit }

// Moves reports whether each element of the first output is an element of the first input, perhaps
// converted to another type.
func (r *Row) Moves() bool { return r.Kind == Copy || r.Kind == Layout || r.Kind == PassThrough }

// Build returns the function of a node. gap is an error if the engine does not support the node,
// broken if the node contradicts the specification.
func (r *Row) Build(n *Node, p *compute.Packs) (f compute.Func, gap, broken error) {
	n.Row, n.Fuse, n.Packs = r, r.Fuse, p
	return n.Make(r.New)
}
