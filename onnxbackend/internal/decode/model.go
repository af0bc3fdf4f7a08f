// Package decode reads ONNX files: bytes in, plain structs out. It uses the protobuf wire format
// alone, no reflection, and believes no declared size before it has checked it.
package decode

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// Model is what the engine needs of an ONNX ModelProto.
type Model struct {
	IRVersion int64
	Producer  string
	Opsets    []Opset
	Graph     *Graph
	Metadata  []Entry
	External  []string // files beside the model that tensors came from
	Texts     []string // outputs of the graph that hold text and are left out
	// an operator in the file whose results are estimates and no logits, "" for none
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
	Sparse       []string // names of sparse initializers
	Inputs       []Value
	Outputs      []Value
}

// Named is an initializer.
type Named struct {
	Name   string
	Tensor *tensor.Tensor
	Offset int
}

// Value describes a graph input or output. Shape is nil when the file does not tell the rank; a
// dimension is -1 when it is symbolic or unknown, and its name, if any, is in Names.
type Value struct {
	Name   string
	Type   tensor.Type // Undefined when the value is no tensor
	Shape  []int
	Names  []string
	Offset int
}

// Node is a NodeProto.
type Node struct {
	Name       string
	Op         string
	Domain     string
	Inputs     []string // "" is an omitted optional input
	Outputs    []string // "" is an unwanted output
	Attributes []Attribute
	// of the domain where a function says another than the model; 0 is the model's
	Opset  int64
	Gap    string // why nothing replaces an operator of another domain
	Offset int

	overload string
}

// Kind is the kind of an attribute, numbered as ONNX's AttributeProto.AttributeType is.
type Kind int64

// Attribute kinds that the engine reads.
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
)

// Attribute is an AttributeProto.
type Attribute struct {
	Name    string
	Kind    Kind
	Ref     string // the function parameter that the value comes from, "" outside functions
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
	Elements int // of one tensor
	Bytes    int // of all tensors together, in memory
	Nodes    int // of all graphs together
	Depth    int // graphs inside of nodes inside of graphs
}

// maxDims bounds the rank of tensors.
const maxDims = 64

// maxIO bounds the inputs and outputs of one node, and dimensions and attributes likewise.
const maxIO = 1 << 16
