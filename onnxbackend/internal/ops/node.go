package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/compute"

// A Node is what a rule sees of a node.
type Node struct {
	compute.Node
	Row *Row // row of Op, nil if the table does not have it
}
