package decode

import (
	"fmt"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Model holds the fields of an ONNX ModelProto that the engine reads.
type Model struct {
	IRVersion int64
	Producer  string
	Opsets    []Opset
	Graph     *Graph
	Metadata  []Entry
	External  []string // data files that tensors were read from
	Texts     []string // outputs of the graph that hold text and were removed
	// Regressor is an operator in the file whose results are estimates, or scores of pairs of
	// classes, instead of logits; or "".
	Regressor string
}

// Opset is one imported operator set. The default domain is "", which files may also write
// "ai.onnx".
type Opset struct {
	Domain  string
	Version int64
}

// Entry is one of the file's metadata properties.
type Entry struct{ Key, Value string }

// Graph is a GraphProto.
type Graph struct {
	Name         string
	Nodes        []Node
	Initializers []Named
	Inputs       []Value
	Outputs      []Value
}

// Named is an initializer: a constant tensor with the name of its value.
type Named struct {
	Name   string
	Tensor *tensor.Tensor
	Offset int
}

// Value describes a graph input or output. Shape is nil if the file does not state the rank. A
// dimension is -1 if it is symbolic or unknown; Names has its name or "".
type Value struct {
	Name   string
	Type   tensor.Type // Undefined if the value is not a tensor
	Shape  []int
	Names  []string
	Offset int
}

// Node is a NodeProto. Offset is its position in the file, for error messages.
type Node struct {
	Name       string
	Op         string
	Domain     string
	Inputs     []string // "" is an omitted optional input
	Outputs    []string // "" is an unread output
	Attributes []Attribute
	Opset      int64  // version of the domain in a function, 0 for the model's version
	Gap        string // reason why an operator of another domain has no replacement
	Offset     int

	overload string
}

// Kind is the kind of an attribute, numbered as ONNX's AttributeProto.AttributeType is.
type Kind int64

// Attribute kinds of the operators of the default domain. Lists of tensors or graphs, and sparse
// tensors, are not read.
const (
	KindFloat   Kind = 1
	KindInt     Kind = 2
	KindString  Kind = 3
	KindTensor  Kind = 4
	KindGraph   Kind = 5
	KindFloats  Kind = 6
	KindInts    Kind = 7
	KindStrings Kind = 8
	KindTensors Kind = 9
	KindGraphs  Kind = 10
	KindSparse  Kind = 11
)

// kindNames holds the kinds in words, by number.
var kindNames = [...]string{"of no kind", "a float", "an integer", "a text", "a tensor", "a graph",
	"a list of floats", "a list of integers", "a list of texts", "a list of tensors",
	"a list of graphs", "a sparse tensor"}

// String returns the kind in words, for messages.
func (k Kind) String() string {
	if k < 0 || k >= Kind(len(kindNames)) {
		return fmt.Sprintf("of kind %d", int64(k))
	}
	return kindNames[k]
}

// Attribute is an AttributeProto. Kind says which field holds the value.
type Attribute struct {
	Name    string
	Kind    Kind
	Ref     string // the formal attribute of the function with the value, "" outside functions
	Float   float32
	Int     int64
	String  string
	Floats  []float32
	Ints    []int64
	Strings []string
	Tensor  *tensor.Tensor
	Graph   *Graph // a branch of an If, the body of a Loop or Scan
	Offset  int
}

// Limits bound what a file may declare.
type Limits struct {
	Elements int // elements of one tensor
	Bytes    int // bytes of all tensors together, in memory
	Nodes    int // nodes of all graphs together, after inlining
	Depth    int // depth of graphs inside of nodes

	Memory *quota.Memory // reserves tensors; nil for no bound beside Bytes
}

// maxDims bounds the rank of tensors.
const maxDims = 64

// maxIO bounds the length of a node's inputs and outputs, and of other lists. maxProperties bounds
// lists that calls of functions search: operators have at most twenty attributes.
const (
	maxIO         = 1 << 16
	maxProperties = 1 << 8
)
