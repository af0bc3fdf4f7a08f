package inspection

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

type (
	// Description is the JSON of a model: the fields of core.ModelInfo, the model card and the
	// stages.
	Description struct {
		Name         string          `json:"name"`
		SHA256       string          `json:"sha256"`
		Opset        int             `json:"opset"`
		Inputs       []ask.Port      `json:"inputs"`
		Outputs      []ask.Port      `json:"outputs"`
		Operators    []string        `json:"operators"`
		Parameters   int             `json:"parameters"`
		Input        string          `json:"input"`
		InstanceAxis int             `json:"instance_axis"`
		Covariates   []ask.Covariate `json:"covariates"`
		Output       string          `json:"output"`
		Classes      []string        `json:"classes"`
		Negative     int             `json:"negative"`
		Scale        core.Scale      `json:"scale"`
		ScaleFrom    string          `json:"scale_from"`
		Heads        []ask.Head      `json:"heads,omitempty"`
		Inherent     string          `json:"inherent"`
		Truth        []ask.Truth     `json:"truth"`
		Card         ask.Card        `json:"card"`
		Notes        []string        `json:"notes"`
		Staged
	}
	// Staged describes the plan for one bag, and the passes, which do not depend on a bag. If no
	// bag was bound, the counts are null and the names are absent.
	Staged struct {
		Bag         string   `json:"plan_bag"` // a description of the bag that the plan is for
		PrefixNodes *int     `json:"prefix_nodes"`
		SuffixNodes *int     `json:"suffix_nodes"`
		Strategy    string   `json:"strategy"`
		Ordered     bool     `json:"ordered"` // scores depend on the order of the instances
		Prefix      []string `json:"prefix"`
		Boundary    []Value  `json:"boundary"`
		Suffix      []string `json:"suffix"`
		Why         []string `json:"why"`
		Work        *Work    `json:"work"` // null if coalitions are pooled together
		Passes      []Pass   `json:"passes"`
		// Nodes are those of the file for the stage Graph, and those that run for the stage Plan.
		Nodes []Node `json:"nodes,omitempty"`
	}
	// Value describes a value of the graph: its type, its shape for the bag, and whether it
	// depends on nothing, on single instances or on the bag.
	Value struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Shape   []int  `json:"shape"`
		Depends string `json:"depends"`
		Axis    *int   `json:"axis"` // the instance axis, or null
	}
	// Work is what a coalition of half of the bag costs, in multiplications or elements touched.
	Work struct {
		Instances int      `json:"instances"`
		Units     int      `json:"units"`
		Operators []OpWork `json:"operators"` // from the largest on
	}
	// OpWork is the part of an operator.
	OpWork struct {
		Op    string `json:"op"`
		Units int    `json:"units"`
	}
	// Node is a node with its inputs and outputs. Activation and Then are the operators that
	// passes have merged into the node.
	Node struct {
		Name       string   `json:"name"`
		Op         string   `json:"op"`
		Activation string   `json:"activation,omitempty"`
		Then       []string `json:"then,omitempty"`
		Inputs     []Value  `json:"inputs"`
		Outputs    []Value  `json:"outputs"`
	}
	// Pass is a pass with a line for each change that it made.
	Pass struct {
		Name    string   `json:"name"`
		About   string   `json:"about"`
		Changes []string `json:"changes"`
	}
)

// New returns the JSON of the properties. Lists are never null.
func New(info core.ModelInfo, card onnxbackend.Card) *Description {
	return &Description{
		Name: info.Name, SHA256: info.SHA256, Opset: info.Opset,
		Inputs: ask.Ports(info.Inputs), Outputs: ask.Ports(info.Outputs),
		Operators: ask.List(info.Operators), Parameters: info.Parameters,
		Input: info.Input, InstanceAxis: info.InstanceAxis, Output: info.Output,
		Covariates: ask.Covariates(info.Covariates),
		Classes:    ask.List(info.Classes), Negative: info.Negative, Scale: info.Scale,
		ScaleFrom: info.ScaleFrom, Heads: ask.Heads(info.Heads),
		Inherent: info.Inherent, Truth: ask.Truths(info.Truth), Card: ask.NewCard(card),
		Notes: ask.List(info.Notes),
	}
}

// newPass returns the JSON of a pass.
func newPass(p onnxbackend.PassInfo) Pass {
	return Pass{p.Name, p.About, ask.List(p.Changes)}
}

// plan fills in the plan of a bound bag.
func (s *Staged) plan(p onnxbackend.PlanInfo) {
	// The counts are pointers, because null means that no bag was bound.
	prefix, suffix := len(p.Prefix), len(p.Suffix)
	s.PrefixNodes, s.SuffixNodes, s.Strategy, s.Ordered = &prefix, &suffix, p.Strategy, p.Ordered
	name := func(n onnxbackend.NodeInfo) string { return n.Name }
	s.Prefix, s.Suffix = ask.ListOf(p.Prefix, name), ask.ListOf(p.Suffix, name)
	s.Boundary, s.Why = ask.ListOf(p.Boundary, newFact), ask.List(p.Why)
}

// newWork returns the JSON of the work of a coalition, nil if there is none.
func newWork(w *onnxbackend.WorkInfo) *Work {
	if w == nil {
		return nil
	}
	return &Work{w.Instances, w.Units, ask.ListOf(w.Operators,
		func(o onnxbackend.OperatorWork) OpWork { return OpWork(o) })}
}

// newFact returns the JSON of a value. A negative axis means that the value has no instance axis.
func newFact(v onnxbackend.ValueInfo) Value {
	f := Value{Name: v.Name, Type: v.Type, Shape: ask.List(v.Shape), Depends: v.Depends}
	if v.Axis >= 0 {
		f.Axis = &v.Axis
	}
	return f
}

// newNode returns the JSON of a node.
func newNode(n onnxbackend.NodeInfo) Node {
	return Node{n.Name, n.Op, n.Activation, n.Then, ask.ListOf(n.Inputs, newFact),
		ask.ListOf(n.Outputs, newFact)}
}
