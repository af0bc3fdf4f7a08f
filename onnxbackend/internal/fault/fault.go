// Package fault holds the error types of the ONNX engine. The engine's root package gives them
// their public names.
package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Format error says that the bytes contradict the ONNX format or themselves.
type Format struct {
	Offset int // byte at which the contradiction was found, -1 when it lies in no single place
	// the part of the file: "tensor \"f.0.weight\"", "node \"/Conv\" (Conv)", "model card"
	What   string
	Reason string
}

func (e *Format) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("the model file is broken: %s: %s", e.What, e.Reason)
	}
	return fmt.Sprintf("the model file is broken at byte %d: %s: %s", e.Offset, e.What, e.Reason)
}

// Formatf returns a Format error without a single place.
func Formatf(what, reason string, args ...any) error {
	return &Format{Offset: -1, What: what, Reason: fmt.Sprintf(reason, args...)}
}

// Missing says which files beside the model are needed and not there, because tensors lie in them.
type Missing struct {
	Files []string // paths below the model's folder as the model has them, each once
}

// Error names the files, but not every one of a thousand.
func (e *Missing) Error() string {
	const shown = 24
	names := ""
	for i, file := range e.Files[:min(shown, len(e.Files))] {
		if i > 0 {
			names += ", "
		}
		names += strconv.Quote(file)
	}
	if len(e.Files) > shown {
		names += fmt.Sprintf(" and %d more", len(e.Files)-shown)
	}
	return "the model keeps tensors in files beside it, and of these there is no " + names + "; " +
		"give them together with the model, or save it into one file, in Python: " +
		"onnx.save_model(onnx.load(path), path, save_as_external_data=False)"
}

// A Node is one part of a model that the engine cannot run.
type Node struct {
	Node   string // the node's name, or the tensor's when no node is meant
	Op     string // operator type, "" when no node is meant
	Domain string // "" is ai.onnx
	Opset  int    // version of the domain that the model imports
	Reason string // what is missing and the way out
}

// Unsupported lists everything in a model that this engine cannot run: our gap, not the file's
// fault.
type Unsupported struct {
	Nodes []Node
}

// Error names every operator and what is to be done about it, but not every node of one that many
// nodes share.
func (e *Unsupported) Error() string {
	var kinds []Node // the first node of each
	alike := map[Node][]string{}
	for _, n := range e.Nodes {
		kind := n
		if kind.Node = ""; n.Op == "" {
			kind.Node = n.Node
		}
		if alike[kind] == nil {
			kinds = append(kinds, kind)
		}
		alike[kind] = append(alike[kind], n.Node)
	}
	const shown = 24
	var b strings.Builder
	b.WriteString("the model uses what this engine cannot run: ")
	for i, kind := range kinds {
		if i > 0 {
			b.WriteString("; ")
		}
		if i == shown {
			fmt.Fprintf(&b, "and %d more", len(kinds)-shown)
			break
		}
		b.WriteString(kind.describe(alike[kind]))
	}
	return b.String()
}

// String says in words what is unsupported.
func (n Node) String() string { return n.describe([]string{n.Node}) }

// describe says it of nodes of which the first few are named.
func (n Node) describe(nodes []string) string {
	if n.Op == "" {
		return nodes[0] + ": " + n.Reason
	}
	domain := n.Domain
	if domain == "" {
		domain = "ai.onnx"
	}
	const shown = 3
	names := "node " + strconv.Quote(nodes[0])
	for i, name := range nodes[1:min(shown, len(nodes))] {
		if i == 0 {
			names = "nodes " + strconv.Quote(nodes[0])
		}
		names += ", " + strconv.Quote(name)
	}
	if len(nodes) > shown {
		names += fmt.Sprintf(" and %d more", len(nodes)-shown)
	}
	return fmt.Sprintf("%s, operator %s (%s opset %d): %s", names, n.Op, domain, n.Opset, n.Reason)
}

// Unsupportedf returns an Unsupported error about a single part that is no node.
func Unsupportedf(part, reason string, args ...any) error {
	return &Unsupported{Nodes: []Node{{Node: part, Reason: fmt.Sprintf(reason, args...)}}}
}

// A Limit error says which limit a model or a run would exceed. Most limits are options.
type Limit struct {
	What   string // "model bytes", "elements of a tensor", "bytes of a run", "nodes"
	Wanted uint64 // 0 when it does not fit into 64 bits
	Limit  uint64
	Fixed  bool // no option lifts it
}

func (e *Limit) Error() string {
	much, advice := " by far", "raise it in the options if the model is trusted"
	if e.Wanted != 0 {
		much = ": " + strconv.FormatUint(e.Wanted, 10) + " are wanted"
	}
	if e.Fixed {
		advice = "no option lifts it"
	}
	return fmt.Sprintf("the limit of %d %s is exceeded%s; %s", e.Limit, e.What, much, advice)
}

// A Run error says which node failed on given values, and why.
type Run struct {
	Node   string
	Op     string
	Reason string
}

func (e *Run) Error() string {
	return fmt.Sprintf("node %q (%s) cannot compute: %s", e.Node, e.Op, e.Reason)
}

// InNode names the node in an error of its function, but for errors that name one within it or
// concern the run as a whole.
func InNode(node, op string, err error) error {
	var l *Limit
	var r *Run
	if errors.As(err, &l) || errors.As(err, &r) {
		return err
	}
	return &Run{Node: node, Op: op, Reason: err.Error()}
}

// Rescue turns a panic into an error. It is deferred by every entry of the engine, because a model
// file may be hostile. A caught panic is a defect.
func Rescue(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the ONNX engine failed on this model (%v); this is a defect of the "+
			"engine, please report it with the model", r)
	}
}
