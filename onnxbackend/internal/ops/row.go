package ops

import "slices"

// Oldest and Newest bound the operator set versions that the table covers. For a version below
// Oldest, the table covers the operators that are the same there as in Oldest.
const (
	Oldest = 7
	Newest = 27
)

// A Row describes one operator of the default domain. The other packages read these traits and do
// not list operators. Kind supplies the rules that are nil in the row (see [Kind]).
type Row struct {
	Name  string
	Since []int // versions in which the specification changed it; the first introduced it
	Arity
	Omit int  // inputs below this index may be omitted, although they count for Min
	Kind Kind // what the operator does, in general

	Axes  Rule     // effect on the instance axis
	Batch Batching // how a node computes several coalitions in one call; nil: one by one
	Fact  FactRule // type and shape of the first output; nil: unknown

	NoOp    NoOpRule    // when the first output is the first input; nil: never
	Half    HalfRule    // the 16-bit float type of the outputs; nil: that of the inputs
	Reduces Reduction   // how the axes that Pools marks are combined; 0: in no such way
	Pools   PoolRule    // which axes of the first input are combined; nil: unknown
	Product ProductRule // the labels of a product of two tensors; nil: it is not one
	Fuse    FuseRule    // makes it the activation of a layer; nil: a layer cannot apply it

	Device string // the device kernel, see package gpu; "": computed on the CPU only
	New    Factory
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
	Elementwise Kind = iota + 1 // a function of each element of the first input
	PassThrough                 // each element of the first input as it is, perhaps in another type
	// a function of the elements that meet when the inputs are broadcast
	Broadcast
	Linear    // a product with weights, such as Gemm and Conv
	Resample  // interpolation between elements
	Quantize  // to or from quantised numbers
	Pool      // windows over planes, or whole planes
	AlongAxis // a function along an axis, such as Softmax and TopK
	Reduce    // a reduction of axes
	Normalize // by mean, variance or norm
	Sequence  // attention and recurrent layers
	Copy      // each element of the first output is an element of the first input
	Layout    // the elements of the first input in their order, in another shape
	Assemble  // elements of several inputs, or elements and padding
	Control   // runs the graphs inside of the node
	ReadShape // reads the shape of the first input, not its elements
	Create    // makes new elements from sizes, indices or attributes
)

// kindRules holds the rules that a kind supplies.
var kindRules = map[Kind]Row{
	Elementwise: {Axes: unaryRule, Batch: batchElementwise, Fact: sameFact},
	PassThrough: {Axes: passThroughRule, Batch: batchElementwise, Fact: sameFact},
	Broadcast:   {Axes: broadcastRule, Batch: batchBroadcast, Fact: broadcastFact},
	Layout:      {Batch: batchLayout},
	Reduce:      {Axes: reduceRule, Batch: batchReduce, Fact: reduceFact, Pools: reducedBy},
}

var table []Row // every operator, with the rules of its kind filled in

// byName is filled by init, since factories look up rows.
var byName = map[string]*Row{}

func init() {
	table = slices.Concat(
		linearTable, elementwiseTable, broadcastTable, axisTable, moveTable,
	)
	for i := range table {
		r := &table[i]
		r.inherit(kindRules[r.Kind])
		byName[r.Name] = r
	}
}

// inherit fills in the rules of the row's kind that the row does not name.
func (r *Row) inherit(kind Row) {
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

// Lookup returns the row of an operator, or nil.
func Lookup(domain, op string) *Row {
	if domain != "" {
		return nil
	}
	return byName[op]
}

// Names returns the operators of the table.
func Names() []string {
	var names []string
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}

// SameInOldest reports whether the operator in an older version is the same as in Oldest.
func (r *Row) SameInOldest(opset int) bool {
	for _, v := range r.Since[1:] {
		if v > opset && v <= Oldest {
			return false
		}
	}
	return r.Since[0] <= opset
}

// MayOmit reports whether input i may be omitted.
func (r *Row) MayOmit(i int) bool { return i >= r.Min && r.Max >= 0 || i < r.Omit }

// Moves reports whether each element of the first output is an element of the first input, perhaps
// converted to another type.
func (r *Row) Moves() bool { return r.Kind == Copy || r.Kind == Layout || r.Kind == PassThrough }

// Build returns the function of a node. A gap says what the engine cannot do of the node, broken
// what is wrong with it.
func (r *Row) Build(n *Node, p *Packs) (f Func, gap, broken error) {
	n.packs = p
	f, gap = r.New(n)
	return f, gap, n.err
}
