package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A PassInfo states what one rewriting pass did to a model's graph.
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
	DependsBag      = "bag"      // it may depend on several instances
)

// A ValueInfo is what is known of a tensor when a bag is bound.
type ValueInfo struct {
	Name    string
	Type    string // "float32", "int64", ...
	Shape   []int  // shape for the bag at hand
	Depends string // DependsNot, DependsInstance or DependsBag
	Axis    int    // axis of the instances with DependsInstance, else -1
}

// A NodeInfo is a node of the graph that is run. Inputs that are omitted and outputs that no node
// reads are left out.
type NodeInfo struct {
	Name       string
	Op         string
	Activation string   // operator that the same step applies to the result, or ""
	Then       []string // operators that the same step computes next: "MaxPool", "Conv+Relu"
	Inputs     []ValueInfo
	Outputs    []ValueInfo
}

// Mixes reports whether instances meet at the node: it reads values of single instances and returns
// one of the bag. The first such nodes begin the suffix.
func (n NodeInfo) Mixes() bool {
	of := func(depends string) func(ValueInfo) bool {
		return func(v ValueInfo) bool { return v.Depends == depends }
	}
	return slices.ContainsFunc(n.Inputs, of(DependsInstance)) &&
		slices.ContainsFunc(n.Outputs, of(DependsBag))
}

// A PlanInfo states how coalitions of a bound bag are evaluated.
type PlanInfo struct {
	Strategy string      // see Bound.Strategy
	Prefix   []NodeInfo  // run once for the bag
	Boundary []ValueInfo // values from which coalitions gather their instances
	Suffix   []NodeInfo  // run for coalitions: all at once, or one by one if gathered or plain
	Ordered  bool        // see Bound.Ordered
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
	later := map[*graph.Node]bool{} // nodes of the suffix
	for _, s := range b.suffix.Suffix.Steps() {
		later[s.Node] = true
	}
	given := append(b.m.sig.BesideIDs(), b.m.sig.Input().ID)
	if all, ok := plan.New(b.m.g, given, []int{b.classes.ID}); ok {
		for _, s := range all.Steps() {
			if info := b.nodeInfo(s.Node); later[s.Node] {
				p.Suffix = append(p.Suffix, info)
			} else {
				p.Prefix = append(p.Prefix, info)
			}
		}
	}
	for _, v := range b.suffix.Suffix.Boundary {
		p.Boundary = append(p.Boundary, b.valueInfo(v.ID))
	}
	p.Why = b.why(p.Suffix)
	return p
}

// why gives the reasons of the cut, then those of the strategy.
func (b *Bound) why(suffix []NodeInfo) []string {
	var out []string
	for _, n := range suffix {
		if n.Mixes() {
			out = append(out, msg.Sprintf("Instances meet at %s %q.", n.Op, n.Name))
		}
	}
	switch {
	case b.m.plain:
		out = append(out, "The model was opened plain: the whole graph runs for every coalition.")
	case b.Strategy() == StrategyMembers:
		out = append(out,
			"Nodes behind the cut that keep instances apart run once for the members of many "+
				"coalitions, other nodes for each coalition; random coalitions had the scores "+
				"that they have one by one.")
	case b.suffix.Pooled != nil:
		out = append(out,
			"Every node behind the cut has a form in which all coalitions are computed "+
				"at once, and random coalitions had the scores that they have one by one.")
	case b.Strategy() == StrategyGathered:
		how := "run one by one"
		if b.suffix.Suffix.Batchable() {
			how = "run for themselves, those of one size in one batch"
		}
		out = append(out, msg.Sprintf("Coalitions gather their instances and %s: %s.", how,
			b.suffix.WhyNot))
	default:
		out = append(out, b.suffix.WhyPlain)
	}
	return append(out, b.suffix.Overwrites()...)
}

// A WorkInfo says what a coalition that is not pooled with others costs.
type WorkInfo struct {
	Instances int            // instances of the coalition, half of the bag
	Units     int            // multiplications, or elements touched, of all nodes of the suffix
	Operators []OperatorWork // the same by operators, from the largest on
}

// OperatorWork is the work of all nodes of an operator.
type OperatorWork = suffix.OperatorWork

// Work runs the suffix for half of the bag and returns its work. It returns nil if coalitions are
// pooled together, because one more then costs next to nothing, and if the model rejects such a
// coalition. The only error is the cause of ctx.
func (b *Bound) Work(ctx context.Context) (w *WorkInfo, err error) {
	defer fault.Rescue(&err)
	found, err := b.suffix.Work(ctx)
	if found == nil || err != nil {
		return nil, err
	}
	return (*WorkInfo)(found), nil
}

// nodeInfo describes a node with its values for this bag.
func (b *Bound) nodeInfo(n *graph.Node) NodeInfo {
	info := NodeInfo{Name: n.Name, Op: n.Op}
	if n.Activation != nil {
		info.Activation = n.Activation.Op
	}
	for _, l := range n.Chain[min(1, len(n.Chain)):] { // the first layer is the node itself
		op := l.Node.Op
		if l.Node.Activation != nil {
			op += "+" + l.Node.Activation.Op
		}
		info.Then = append(info.Then, op)
	}
	info.Inputs, info.Outputs = b.valueInfos(n.In), b.valueInfos(n.Out)
	return info
}

// valueInfos describes the inputs or outputs of a node, without those that are omitted.
func (b *Bound) valueInfos(ids []int) []ValueInfo {
	var list []ValueInfo
	for _, id := range ids {
		if id >= 0 {
			list = append(list, b.valueInfo(id))
		}
	}
	return list
}

// valueInfo describes a value for this bag. Its type is "" if the run of the bag did not compute
// it.
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

// What a model card states. README.md lists the keys.
type (
	// Card is a merged model card.
	Card = signature.Card
	// CardInput says what one of several inputs takes.
	CardInput = signature.CardInput
	// Answer is what a card states about scores that are not those of classes alone.
	Answer = signature.Answer
	// Curve is the survival curve of a head of hazards.
	Curve = signature.Curve
	// Preprocess maps raw pixels to the model's input.
	Preprocess = signature.Preprocess
	// Patch says how pictures are cut into instances.
	Patch = signature.Patch
)

// Roles of inputs.
const (
	RoleCount     = signature.RoleCount
	RoleInstances = signature.RoleInstances
)
