package signature

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A writer writes the nodes that a card adds to the graph of a file.
type writer struct {
	nodes  []decode.Node
	prefix string // prefix of the names of new values
}

// writerOpset is the operator set of added nodes.
const writerOpset = 13

// add adds a node with one output.
func (w *writer) add(op, out string, attributes []decode.Attribute, in ...string) string {
	w.nodes = append(w.nodes, decode.Node{Name: out, Op: op, Inputs: in, Outputs: []string{out},
		Attributes: attributes, Opset: writerOpset})
	return out
}

// cast adds a value as float32.
func (w *writer) cast(name, in string) string {
	return w.add("Cast", w.prefix+"/"+name, []decode.Attribute{{Name: "to", Kind: decode.KindInt,
		Int: int64(tensor.Float32)}}, in)
}
