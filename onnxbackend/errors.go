package onnxbackend

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// Two kinds of failure have two kinds of types: a *FormatError says that the file is wrong, an
// *UnsupportedError that this engine has a gap. A bag that does not fit a model is a
// *core.BagError.
type (
	// FormatError has Offset (a byte of the file, or -1), What (the part of the file) and Reason.
	FormatError = fault.Format
	// UnsupportedError has Nodes: every part of the model that the engine cannot run.
	UnsupportedError = fault.Unsupported
	// UnsupportedNode has Node, Op, Domain, Opset and Reason, which includes a way out.
	UnsupportedNode = fault.Node
	// MissingError has Files: those beside the model that tensors lie in and that were not given.
	MissingError = fault.Missing
	// LimitError has What, Wanted and Limit.
	LimitError = fault.Limit
	// RunError has Node, Op and Reason: a node cannot compute the values that reached it.
	RunError = fault.Run
)
