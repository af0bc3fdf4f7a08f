package masked

import (
	"errors"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// A refused error says that a node has no form that pools. The compiler then tries steps on
// members. Other errors of the compiler end it.
type refused struct{ error }

// isRefused reports whether an error says that pooling has no form for a node.
func isRefused(err error) bool {
	var r refused
	return errors.As(err, &r)
}

// refusal returns the error that a node has no masked form, with the reason.
func refusal(n *graph.Node, reason string) error {
	return refused{msg.Errorf("node %q (%s) %s", n.Name, n.Op, reason)}
}

// countsMembers is the reason of a refusal.
const countsMembers = "computes as many values as the bag has instances"

// mixes returns the refusal of a node that no rule of this package covers.
func mixes(n *graph.Node) error {
	return refusal(n, "mixes instances in a way that has no masked form")
}
