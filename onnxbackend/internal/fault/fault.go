// Package fault holds the error types of the ONNX engine. The engine's root package gives them
// their public names.
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Format error says that the bytes contradict the ONNX format or themselves.
type Format struct {
	Offset int // byte at which the contradiction lies, -1 if it lies in no single place
	// What is the part of the file: tensor "f.0.weight", node "/Conv" (Conv), model card. It is ""
	// if the file is of another format than ONNX.
	What   string
	Reason string
}

const (
	// modelCard begins What in errors about a model card, which may be a file beside the model's.
	modelCard = "model card"
	// Chain is What in errors about files that do not fit, each of which may be right.
	Chain = "chain of files"
)

func (e *Format) Error() string {
	if strings.HasPrefix(e.What, modelCard) || e.What == Chain {
		return msg.Sprintf("the %s is wrong: %s", e.What, msg.Text(e.Reason))
	}
	if e.What == "" {
		return msg.Sprintf("the model file is not ONNX: %s", msg.Text(e.Reason))
	}
	if e.Offset < 0 {
		return msg.Sprintf("the model file is broken: %s: %s", e.What, msg.Text(e.Reason))
	}
	return msg.Sprintf("the model file is broken at byte %d: %s: %s", e.Offset, e.What,
		msg.Text(e.Reason))
}

// Kind returns "format".
func (e *Format) Kind() string { return kind.Format }

// Formatf returns a Format error without a single place.
func Formatf(what, reason string, args ...any) error {
	return &Format{Offset: -1, What: what, Reason: msg.Sprintf(reason, args...)}
}

// A Missing error lists the files beside the model that it needs and that were not found: those
// with tensors, or a model that comes before it.
type Missing struct {
	Files []string // paths below the model's folder as the model has them, each once
	Via   bool     // the one file is a model that comes before this one
}

// Error names the first files. A model may have thousands.
func (e *Missing) Error() string {
	if e.Via {
		return msg.Sprintf("the model card names %s as what the bag goes through before the model "+
			"(key \"via\"), and it is missing: open it with the model", quoted(e.Files, 1))
	}
	return msg.Sprintf("the model keeps tensors in files beside it, and these are missing: %s; "+
		"open them with the model, or save it into one file, in Python: "+
		"onnx.save_model(onnx.load(path), path, save_as_external_data=False)", quoted(e.Files, 24))
}

// Kind returns "missing".
func (e *Missing) Kind() string { return kind.Missing }

// quoted lists the first few names in quotes, and how many more there are.
func quoted(names []string, shown int) msg.Text {
	list := make([]string, min(shown, len(names)))
	for i := range list {
		list[i] = msg.Quoted(names[i])
	}
	text := strings.Join(list, ", ")
	if n := len(names) - shown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return msg.Text(text)
}

// A Node is one part of a model that the engine cannot run.
type Node struct {
	Node   string // name of the node or, if Op is "", of another part of the model
	Op     string // operator type, "" if the part is no node
	Domain string // "" is ai.onnx
	Opset  int    // version of the domain that the model imports
	Reason string // what is missing and the way out
}

// An Unsupported error lists everything in a model that this engine cannot run: the file is valid,
// and the engine has a gap.
type Unsupported struct {
	Nodes []Node
	// Unpooled says that the model may score each instance by itself, which the card's key "pool"
	// combines.
	Unpooled bool
}

// Error names every operator with the way out, and the first nodes that have it.
func (e *Unsupported) Error() string {
	var kinds []Node             // what is unsupported, each once, without the names of nodes
	alike := map[Node][]string{} // (kind) names of nodes
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
	var list []string
	for _, kind := range kinds[:min(shown, len(kinds))] {
		list = append(list, kind.describe(alike[kind]))
	}
	if n := len(kinds) - shown; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return msg.Sprintf("the model uses what this engine cannot run: %s",
		msg.Text(strings.Join(list, "; ")))
}

// Kind returns "unsupported".
func (e *Unsupported) Kind() string { return kind.Unsupported }

// String describes one node in words.
func (n Node) String() string { return n.describe([]string{n.Node}) }

// describe says in words what is unsupported about nodes that differ only in their names. The first
// few names are listed.
func (n Node) describe(nodes []string) string {
	if n.Op == "" {
		return msg.Sprintf("%s: %s", nodes[0], msg.Text(n.Reason))
	}
	noun := "node"
	if len(nodes) > 1 {
		noun = "nodes"
	}
	return msg.Sprintf("%s %s, operator %s (%s opset %d): %s", noun, quoted(nodes, 3), n.Op,
		cmp.Or(n.Domain, "ai.onnx"), n.Opset, msg.Text(n.Reason))
}

// Unsupportedf returns an Unsupported error about a single part that is no node.
func Unsupportedf(part, reason string, args ...any) error {
	return &Unsupported{Nodes: []Node{{Node: part, Reason: msg.Sprintf(reason, args...)}}}
}

// A Limit error says which limit a model or a run would exceed. Most limits are options, because
// the caller alone knows how much memory and time a model is worth. It is a quota.LimitedError.
type Limit struct {
	What   string // "model bytes", "elements of a tensor", "bytes of a run", "nodes"
	Wanted uint64 // what the model or the run needs, 0 if it does not fit into 64 bits
	Limit  uint64

	// Setting is the field of the root package's Limits, as in "runBytes", or "" if no option
	// raises the limit.
	Setting string
}

func (e *Limit) Error() string {
	excess, fixed := " by far", ""
	if e.Wanted != 0 {
		excess = ": " + strconv.FormatUint(e.Wanted, 10) + " are needed"
	}
	if e.Setting == "" {
		fixed = "; no option raises it"
	}
	return msg.Sprintf("the limit of %d %s is exceeded%s%s", e.Limit, e.What, excess, fixed)
}

// Kind returns "limit".
func (e *Limit) Kind() string { return kind.Limit }

// ExceededLimit returns "model." and the setting, or "" if no option raises the limit.
func (e *Limit) ExceededLimit() string {
	if e.Setting == "" {
		return ""
	}
	return "model." + e.Setting
}

// A Run error says which node failed on given values, and why.
type Run struct {
	Node   string
	Op     string
	Reason string
}

func (e *Run) Error() string {
	return msg.Sprintf("node %q (%s) cannot compute: %s", e.Node, e.Op, msg.Text(e.Reason))
}

// Kind returns "run".
func (e *Run) Kind() string { return kind.Run }

// InNode names the node in an error of its function, but for errors that name one within it or
// concern the run as a whole.
func InNode(node, op string, err error) error {
	var l *Limit
	var r *Run
	var refused *quota.MemoryError
	var busy *quota.MemoryBusyError
	if errors.As(err, &l) || errors.As(err, &r) || errors.As(err, &refused) ||
		errors.As(err, &busy) {
		return err
	}
	return &Run{Node: node, Op: op, Reason: err.Error()}
}

// Rescue turns a panic into an error. It is deferred by every entry of the engine, because a model
// file may be hostile. A caught panic is a defect.
func Rescue(err *error) {
	if r := recover(); r != nil {
		*err = msg.Errorf("the ONNX engine failed on this model (%v); this is a defect of the "+
			"engine, please report it with the model", r)
	}
}
