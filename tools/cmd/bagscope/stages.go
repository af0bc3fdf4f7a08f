package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// The JSON of inspect's stages. If no bag was bound, the counts are null and the names are absent.
type (
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
		// --stage graph: the nodes of the file; --stage plan: the nodes that run
		Nodes []nodeJSON `json:"nodes,omitempty"`
	}
	factJSON struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Shape   []int  `json:"shape"`
		Depends string `json:"depends"`
		Axis    *int   `json:"axis"` // of the instances
	}
	nodeJSON struct {
		Name       string     `json:"name"`
		Op         string     `json:"op"`
		Activation string     `json:"activation,omitempty"`
		Then       []string   `json:"then,omitempty"`
		Inputs     []factJSON `json:"inputs"`
		Outputs    []factJSON `json:"outputs"`
	}
	passJSON struct {
		Name    string   `json:"name"`
		About   string   `json:"about"`
		Changes []string `json:"changes"`
	}
)

func newPasses(passes []onnxbackend.PassInfo) []passJSON {
	out := []passJSON{}
	for _, p := range passes {
		out = append(out, passJSON{p.Name, p.About, query.List(p.Changes)})
	}
	return out
}

// plan fills in the plan of a bound bag.
func (s *stagesJSON) plan(p onnxbackend.PlanInfo) {
	prefix, suffix := len(p.Prefix), len(p.Suffix)
	s.PrefixNodes, s.SuffixNodes, s.Strategy, s.Ordered = &prefix, &suffix, p.Strategy, p.Ordered
	s.Prefix, s.Suffix, s.Boundary, s.Why = titles(p.Prefix), titles(p.Suffix),
		newFacts(p.Boundary), query.List(p.Why)
}

func titles(nodes []onnxbackend.NodeInfo) []string {
	out := []string{}
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	return out
}

func newFacts(values []onnxbackend.ValueInfo) []factJSON {
	out := []factJSON{}
	for _, v := range values {
		f := factJSON{Name: v.Name, Type: v.Type, Shape: append([]int{}, v.Shape...),
			Depends: v.Depends}
		if v.Axis >= 0 {
			f.Axis = &v.Axis
		}
		out = append(out, f)
	}
	return out
}

func newNodes(nodes []onnxbackend.NodeInfo) []nodeJSON {
	out := []nodeJSON{}
	for _, n := range nodes {
		out = append(out, nodeJSON{n.Name, n.Op, n.Activation, n.Then, newFacts(n.Inputs),
			newFacts(n.Outputs)})
	}
	return out
}

// writeGraph prints a line for each node: its operator, its name, each output value, what the value
// depends on, and the inputs.
func writeGraph(w io.Writer, nodes []onnxbackend.NodeInfo) error {
	t := cli.Table{Words: true}
	t.Add("operator", "node", "output", "depends on", "inputs")
	for _, n := range nodes {
		op := n.Op
		if n.Activation != "" {
			op += "+" + n.Activation
		}
		op = strings.Join(append([]string{op}, n.Then...), ", ")
		var reads []string
		for _, v := range n.Inputs {
			reads = append(reads, v.Name)
		}
		for i, v := range n.Outputs {
			if i == 0 {
				t.Add(op, n.Name, describeValue(v), depends(v), strings.Join(reads, " "))
			} else {
				t.Add("", "", describeValue(v), depends(v))
			}
		}
	}
	return t.Write(w)
}

func describeValue(v onnxbackend.ValueInfo) string {
	sides := make([]string, len(v.Shape))
	for i, d := range v.Shape {
		sides[i] = fmt.Sprint(d)
	}
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

// writePasses prints the changes that each pass made.
func writePasses(w io.Writer, passes []onnxbackend.PassInfo) error {
	for _, p := range passes {
		if _, err := fmt.Fprintf(w, "%-14s%4d  %s\n", p.Name, len(p.Changes), p.About); err != nil {
			return err
		}
		for _, c := range p.Changes {
			if _, err := fmt.Fprintln(w, "                    "+c); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePlan prints the prefix, which runs once, the boundary values with the reasons for the cut,
// and the suffix, which runs for coalitions.
func writePlan(w io.Writer, p onnxbackend.PlanInfo) error {
	var b strings.Builder
	fmt.Fprintf(&b, "strategy      %s\n", p.Strategy)
	if p.Ordered {
		b.WriteString("ordered       scores depend on the order of the instances\n")
	}
	for _, s := range p.Why {
		fmt.Fprintf(&b, "why           %s\n", s)
	}
	for _, v := range p.Boundary {
		fmt.Fprintf(&b, "boundary      %s, depends on %s\n", describeValue(v), depends(v))
	}
	fmt.Fprintf(&b, "\n%d nodes run once for the bag\n", len(p.Prefix))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if err := writeGraph(w, p.Prefix); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%d nodes run for coalitions\n", len(p.Suffix)); err != nil {
		return err
	}
	return writeGraph(w, p.Suffix)
}
