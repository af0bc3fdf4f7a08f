package inspection

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// covariateText describes an input that takes a covariate.
func covariateText(c ask.Covariate) string {
	if len(c.Default) == 0 {
		return msg.Sprintf("%s, %d values of each bag", c.Name, c.Size)
	}
	return msg.Sprintf("%s, %v unless a bag states it", c.Name, c.Default)
}

// WriteText appends a line for each property; inputs, outputs and classes have a line each.
func (d *Description) WriteText(to *bytes.Buffer) {
	// line appends a property in the second column.
	line := func(name, value string) { fmt.Fprintf(to, "%-14s%s\n", name, msg.Line(value)) }
	line("name", d.Name)
	line("sha256", d.SHA256)
	line("opset", strconv.Itoa(d.Opset))
	for _, in := range d.Inputs {
		line("input", portText(in))
	}
	for _, out := range d.Outputs {
		line("output", portText(out))
	}
	line("operators", strings.Join(d.Operators, " "))
	line("parameters", strconv.Itoa(d.Parameters))
	line("instances", fmt.Sprintf("axis %d of %s", d.InstanceAxis, d.Input))
	for _, c := range d.Covariates {
		line("covariate", covariateText(c))
	}
	for i, name := range d.named() {
		mark := ""
		if d.isNegative(i) {
			mark = " (negative)"
		}
		line("class", fmt.Sprintf("%d %s%s", i, name, mark))
	}
	for _, h := range d.Heads {
		line("answer", h.Text())
	}
	if d.Scale != "" && d.Heads == nil {
		line("scores", string(d.Scale)+" ("+d.ScaleFrom+")")
	}
	if d.Inherent != "" {
		line("inherent", d.Inherent)
	}
	cli.WriteNotes(to, d.Notes)
}

// mostUnnamed is the number of classes without names that have a line each. More are the numbers of
// a vector, which the lines of answers count.
const mostUnnamed = 64

// named returns the names of the classes, or none of a vector.
func (d *Description) named() []string {
	for i, name := range d.Classes {
		if len(d.Classes) <= mostUnnamed || name != strconv.Itoa(i) {
			return d.Classes
		}
	}
	return nil
}

// portText describes an input or output, such as x: float32, ? x 64. A dimension without a size or
// a name is shown as a question mark.
func portText(t ask.Port) string {
	sides := ask.ListOf(t.Shape, func(d any) string {
		if d == nil {
			return "?"
		}
		return fmt.Sprint(d)
	})
	return fmt.Sprintf("%s: %s, %s", t.Name, t.Type, strings.Join(sides, " x "))
}

// WriteGraph appends a line for each node: its operator, its name, each output value, what the
// value depends on, and the inputs. Further outputs of a node have lines of their own.
func WriteGraph(to *bytes.Buffer, nodes []onnxbackend.NodeInfo) {
	t := cli.Table{Words: true}
	t.Add("operator", "node", "output", "depends on", "inputs")
	for _, n := range nodes {
		op := n.Op
		// A pass merges an activation into the node before it.
		if n.Activation != "" {
			op += "+" + n.Activation
		}
		op = strings.Join(append([]string{op}, n.Then...), ", ")
		inputs := ask.ListOf(n.Inputs, func(v onnxbackend.ValueInfo) string { return v.Name })
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
	sides := ask.ListOf(v.Shape, func(d int) string { return fmt.Sprint(d) })
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

// WritePasses appends the changes that each pass made.
func WritePasses(to *bytes.Buffer, passes []onnxbackend.PassInfo) {
	for _, p := range passes {
		fmt.Fprintf(to, "%-14s%4d  %s\n", p.Name, len(p.Changes), p.About)
		for _, c := range p.Changes {
			fmt.Fprintf(to, "%20s%s\n", "", c)
		}
	}
}

// WritePlan appends the prefix, which runs once, the boundary values with the reasons for the cut,
// and the suffix, which runs for coalitions.
func WritePlan(to *bytes.Buffer, p onnxbackend.PlanInfo, work *onnxbackend.WorkInfo) {
	fmt.Fprintf(to, "strategy      %s\n", p.Strategy)
	// Such a model is not a multiple-instance model in the strict sense, and users should know it.
	if p.Ordered {
		to.WriteString("ordered       scores depend on the order of the instances\n")
	}
	for _, s := range p.Why {
		fmt.Fprintf(to, "why           %s\n", s)
	}
	if work != nil {
		fmt.Fprintf(to, "work          %s\n", describeWork(work))
		to.WriteString("              An explanation takes about as much for each evaluation; " +
			"bagscope methods lists how many each method needs.\n")
	}
	for _, v := range p.Boundary {
		fmt.Fprintf(to, "boundary      %s, depends on %s\n", describeValue(v), depends(v))
	}
	fmt.Fprintf(to, "\n%d nodes run once for the bag\n", len(p.Prefix))
	WriteGraph(to, p.Prefix)
	fmt.Fprintf(to, "\n%d nodes run for coalitions\n", len(p.Suffix))
	WriteGraph(to, p.Suffix)
}

// describeWork returns what a coalition costs, with the operators that take at least 1 % of it.
func describeWork(w *onnxbackend.WorkInfo) string {
	var parts []string
	for _, o := range w.Operators {
		if percent := 100 * float64(o.Units) / float64(w.Units); percent >= 1 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", o.Op, percent))
		}
	}
	return fmt.Sprintf("%s multiplications or elements touched for a coalition of %d instances: %s",
		millions(w.Units), w.Instances, strings.Join(parts, ", "))
}

// millions returns a count with three digits, such as 7.21 billion.
func millions(n int) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g billion", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g million", float64(n)/1e6)
	}
	return strconv.Itoa(n)
}

// isNegative reports whether a class is the negative one of its head.
func (d *Description) isNegative(class int) bool {
	return class == d.Negative || slices.ContainsFunc(d.Heads,
		func(h ask.Head) bool { return h.Negative == class })
}
