package onnxbackend

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A PassInfo says what one rewriting pass did to a model's graph.
type PassInfo struct {
	Name    string   // such as "activation"
	About   string   // what the pass does, in words
	Changes []string // a phrase for each node that it took out
}

// Passes returns what each pass did, in the order in which they ran; nil with Options.Plain.
func (m *Model) Passes() []PassInfo {
	out := slices.Clone(m.passes)
	for i := range out {
		out[i].Changes = slices.Clone(out[i].Changes)
	}
	return out
}

// How a value depends on the bag.
const (
	DependsNot      = "constant" // it is the same for every bag
	DependsInstance = "instance" // its slice at place i of an axis depends on instance i alone
	DependsBag      = "bag"      // it depends on the bag as a whole, as far as can be told
)

// A ValueInfo is what is known of a tensor when a bag is bound.
type ValueInfo struct {
	Name    string
	Type    string // "float32", "int64", ...
	Shape   []int  // for the bag at hand
	Depends string // DependsNot, DependsInstance or DependsBag
	Axis    int    // of the instances with DependsInstance, else -1
}

// A NodeInfo is a node of the graph that is run. Inputs that are omitted and outputs that nobody
// reads are left out.
type NodeInfo struct {
	Name       string
	Op         string
	Activation string   // the operator that is applied to its result in the same step, or ""
	Then       []string // operators that the same step computes next: "MaxPool", "Conv+Relu"
	Inputs     []ValueInfo
	Outputs    []ValueInfo
}

// Mixes reports whether the node is one at which instances meet: it reads values of single
// instances and makes one of the bag.
func (n NodeInfo) Mixes() bool {
	of := func(depends string) func(ValueInfo) bool {
		return func(v ValueInfo) bool { return v.Depends == depends }
	}
	return slices.ContainsFunc(n.Inputs, of(DependsInstance)) &&
		slices.ContainsFunc(n.Outputs, of(DependsBag))
}

// A PlanInfo says how coalitions of a bound bag are evaluated.
type PlanInfo struct {
	Strategy string      // as Bound.Strategy
	Prefix   []NodeInfo  // run once for the bag
	Boundary []ValueInfo // what coalitions begin with
	Suffix   []NodeInfo  // run for coalitions: together, or one by one if gathered or plain
	Ordered  bool        // as Bound.Ordered
	Why      []string    // why the cut and the strategy are these, in sentences
}

// Nodes returns the nodes of the graph that is run, in order: those of the file with Options.Plain,
// else what the passes left of them.
func (b *Bound) Nodes() []NodeInfo {
	var out []NodeInfo
	for i := range b.m.g.Nodes {
		out = append(out, b.nodeInfo(&b.m.g.Nodes[i]))
	}
	return out
}

// Plan returns how coalitions are evaluated. Nodes that only other outputs than the class scores
// need are neither in the prefix nor in the suffix.
func (b *Bound) Plan() PlanInfo {
	p := PlanInfo{Strategy: b.Strategy(), Ordered: b.Ordered()}
	later := map[*graph.Node]bool{}
	for _, s := range b.suffix.Suffix.Steps() {
		later[s.Node] = true
	}
	if all, ok := plan.New(b.m.g, []int{b.m.sig.Input().ID}, []int{b.classes.ID}); ok {
		for _, s := range all.Steps() {
			if info := b.nodeInfo(s.Node); later[s.Node] {
				p.Suffix = append(p.Suffix, info)
			} else {
				p.Prefix = append(p.Prefix, info)
			}
		}
	}
	for _, h := range b.suffix.Suffix.Boundary {
		p.Boundary = append(p.Boundary, b.valueInfo(h.ID))
	}
	p.Why = b.why(p.Suffix)
	return p
}

// why gives the reasons of the cut, then those of the strategy.
func (b *Bound) why(suffix []NodeInfo) []string {
	var out []string
	for _, n := range suffix {
		if n.Mixes() {
			out = append(out, fmt.Sprintf("Instances meet at %s %q.", n.Op, n.Name))
		}
	}
	switch {
	case b.m.plain:
		out = append(out, "The model was opened plain: the whole graph runs for every coalition.")
	case b.suffix.Pooled != nil:
		out = append(out,
			"Every node behind the cut has a form in which all coalitions are computed "+
				"at once, and random coalitions had the scores that they have one by one.")
	case b.Strategy() == StrategyGathered:
		out = append(out, "Coalitions gather their instances and run one by one: "+b.suffix.WhyNot+
			".")
	default:
		out = append(out, b.suffix.WhyPlain)
	}
	return out
}

func (b *Bound) nodeInfo(n *graph.Node) NodeInfo {
	info := NodeInfo{Name: n.Name, Op: n.Op}
	if n.Activation != nil {
		info.Activation = n.Activation.Op
	}
	for i, l := range n.Chain {
		op := l.Node.Op
		if l.Node.Activation != nil {
			op += "+" + l.Node.Activation.Op
		}
		if i > 0 {
			info.Then = append(info.Then, op)
		}
	}
	for _, id := range n.In {
		if id >= 0 {
			info.Inputs = append(info.Inputs, b.valueInfo(id))
		}
	}
	for _, id := range n.Out {
		if id >= 0 {
			info.Outputs = append(info.Outputs, b.valueInfo(id))
		}
	}
	return info
}

func (b *Bound) valueInfo(id int) ValueInfo {
	p := b.suffix.Places[id]
	v := ValueInfo{
		Name: b.m.g.Values[id].Name, Shape: slices.Clone(p.Shape), Depends: DependsBag, Axis: -1,
	}
	if p.Type != tensor.Undefined {
		v.Type = p.Type.String()
	}
	switch p.Class {
	case ops.Constant:
		v.Depends = DependsNot
	case ops.Instance:
		v.Depends, v.Axis = DependsInstance, p.Axis
	}
	return v
}
