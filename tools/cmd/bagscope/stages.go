package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// The JSON of inspect's stages. If no bag was bound, the counts are null and the names are absent.
type (
	// stagesJSON describes the plan for one bag, and the passes, which do not depend on a bag.
	stagesJSON struct {
		Bag         string     `json:"plan_bag"` // a description of the bag that the plan is for
		PrefixNodes *int       `json:"prefix_nodes"`
		SuffixNodes *int       `json:"suffix_nodes"`
		Strategy    string     `json:"strategy"`
		Ordered     bool       `json:"ordered"` // scores depend on the order of the instances
		Prefix      []string   `json:"prefix"`
		Boundary    []factJSON `json:"boundary"`
		Suffix      []string   `json:"suffix"`
		Why         []string   `json:"why"`
		Passes      []passJSON `json:"passes"`
		// Nodes are the nodes of the file with --stage graph, and the nodes that run with --stage
		// plan.
		Nodes []nodeJSON `json:"nodes,omitempty"`
	}
	// factJSON describes a value of the graph: its type, its shape for the bag, and whether it
	// depends on nothing, on single instances or on the bag.
	factJSON struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Shape   []int  `json:"shape"`
		Depends string `json:"depends"`
		Axis    *int   `json:"axis"` // the instance axis, or null
	}
	// nodeJSON is a node with its inputs and outputs. Activation and Then are the operators that
	// passes have merged into the node.
	nodeJSON struct {
		Name       string     `json:"name"`
		Op         string     `json:"op"`
		Activation string     `json:"activation,omitempty"`
		Then       []string   `json:"then,omitempty"`
		Inputs     []factJSON `json:"inputs"`
		Outputs    []factJSON `json:"outputs"`
	}
	// passJSON is a pass with a line for each change that it made.
	passJSON struct {
		Name    string   `json:"name"`
		About   string   `json:"about"`
		Changes []string `json:"changes"`
	}
)

// newPass returns the JSON of a pass.
func newPass(p onnxbackend.PassInfo) passJSON {
	return passJSON{p.Name, p.About, query.List(p.Changes)}
}

// plan fills in the plan of a bound bag.
func (s *stagesJSON) plan(p onnxbackend.PlanInfo) {
	// The counts are pointers, because null means that no bag was bound.
	prefix, suffix := len(p.Prefix), len(p.Suffix)
	s.PrefixNodes, s.SuffixNodes, s.Strategy, s.Ordered = &prefix, &suffix, p.Strategy, p.Ordered
	name := func(n onnxbackend.NodeInfo) string { return n.Name }
	s.Prefix, s.Suffix = query.ListOf(p.Prefix, name), query.ListOf(p.Suffix, name)
	s.Boundary, s.Why = query.ListOf(p.Boundary, newFact), query.List(p.Why)
}

// newFact returns the JSON of a value. A negative axis means that the value has no instance axis.
func newFact(v onnxbackend.ValueInfo) factJSON {
	f := factJSON{Name: v.Name, Type: v.Type, Shape: query.List(v.Shape), Depends: v.Depends}
	if v.Axis >= 0 {
		f.Axis = &v.Axis
	}
	return f
}

// newNode returns the JSON of a node.
func newNode(n onnxbackend.NodeInfo) nodeJSON {
	return nodeJSON{n.Name, n.Op, n.Activation, n.Then, query.ListOf(n.Inputs, newFact),
		query.ListOf(n.Outputs, newFact)}
}

// writeGraph appends a line for each node: its operator, its name, each output value, what the
// value depends on, and the inputs. Further outputs of a node have lines of their own.
func writeGraph(to *bytes.Buffer, nodes []onnxbackend.NodeInfo) {
	t := cli.Table{Words: true}
	t.Add("operator", "node", "output", "depends on", "inputs")
	for _, n := range nodes {
		op := n.Op
		// A pass merges an activation into the node before it.
		if n.Activation != "" {
			op += "+" + n.Activation
		}
		op = strings.Join(append([]string{op}, n.Then...), ", ")
		inputs := query.ListOf(n.Inputs, func(v onnxbackend.ValueInfo) string { return v.Name })
		// The first line has the operator and the inputs.
		for i, v := range n.Outputs {
			if i == 0 {
				t.Add(op, n.Name, describeValue(v), depends(v), strings.Join(inputs, " "))
			} else {
				t.Add("", "", describeValue(v), depends(v))
			}
		}
	}
	t.Write(to)
}

// describeValue returns the name, the type and the shape of a value, such as h float32 13x64.
func describeValue(v onnxbackend.ValueInfo) string {
	sides := query.ListOf(v.Shape, func(d int) string { return fmt.Sprint(d) })
	return strings.TrimRight(v.Name+" "+v.Type+" "+strings.Join(sides, "x"), " ")
}

// depends describes what a value depends on.
func depends(v onnxbackend.ValueInfo) string {
	switch v.Depends {
	case onnxbackend.DependsNot:
		return "nothing"
	case onnxbackend.DependsInstance:
		return fmt.Sprintf("instance, axis %d", v.Axis)
	}
	return "the bag"
}

// writePasses appends the changes that each pass made.
func writePasses(to *bytes.Buffer, passes []onnxbackend.PassInfo) {
	for _, p := range passes {
		fmt.Fprintf(to, "%-14s%4d  %s\n", p.Name, len(p.Changes), p.About)
		for _, c := range p.Changes {
			fmt.Fprintf(to, "%20s%s\n", "", c)
		}
	}
}

// writePlan appends the prefix, which runs once, the boundary values with the reasons for the cut,
// and the suffix, which runs for coalitions.
func writePlan(to *bytes.Buffer, p onnxbackend.PlanInfo) {
	fmt.Fprintf(to, "strategy      %s\n", p.Strategy)
	// Such a model is not a multiple-instance model in the strict sense, and users should know it.
	if p.Ordered {
		to.WriteString("ordered       scores depend on the order of the instances\n")
	}
	for _, s := range p.Why {
		fmt.Fprintf(to, "why           %s\n", s)
	}
	for _, v := range p.Boundary {
		fmt.Fprintf(to, "boundary      %s, depends on %s\n", describeValue(v), depends(v))
	}
	fmt.Fprintf(to, "\n%d nodes run once for the bag\n", len(p.Prefix))
	writeGraph(to, p.Prefix)
	fmt.Fprintf(to, "\n%d nodes run for coalitions\n", len(p.Suffix))
	writeGraph(to, p.Suffix)
}
