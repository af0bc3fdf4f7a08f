package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/query"
)

type (
	// inspectJSON is the JSON of inspect: the fields of core.ModelInfo, the model card and the
	// stages.
	inspectJSON struct {
		Name         string        `json:"name"`
		SHA256       string        `json:"sha256"`
		Opset        int           `json:"opset"`
		Inputs       []query.Port  `json:"inputs"`
		Outputs      []query.Port  `json:"outputs"`
		Operators    []string      `json:"operators"`
		Parameters   int           `json:"parameters"`
		Input        string        `json:"input"`
		InstanceAxis int           `json:"instance_axis"`
		Output       string        `json:"output"`
		Classes      []string      `json:"classes"`
		Negative     int           `json:"negative"`
		Scale        core.Scale    `json:"scale"`
		ScaleFrom    string        `json:"scale_from"`
		Inherent     string        `json:"inherent"`
		Truth        []query.Truth `json:"truth"`
		Card         query.Card    `json:"card"`
		Notes        []string      `json:"notes"`
		stagesJSON
	}
)

// The stages of --stage. Without one, inspect prints the properties of the model.
const (
	stageGraph  = "graph"
	stagePasses = "passes"
	stagePlan   = "plan"
)

// An inspection holds the flags of inspect.
type inspection struct {
	model cli.ModelFlags
	bags  cli.BagFlags
	index int
	cli.MemoryFlag
	stage string // "" or one of the stages
	form  cli.OutputFlags
}

// newInspect returns the command that prints what the engine knows of a model.
func newInspect() *cobra.Command {
	in := &inspection{}
	c := cli.Command("inspect", "Print the contents of a model file and how it is evaluated",
		in.run)
	// --plain applies to the plan: with it, every node runs for every coalition.
	in.model.Register(c)
	in.bags.Register(c, "bag", cli.BagUsage+
		", used for the plan (default: generated bags of random values)")
	cli.IndexFlag(c, &in.index)
	c.Flags().StringVar(&in.stage, "stage", "", "print one stage: graph (the nodes of the file), "+
		"passes (how they are rewritten) or plan (which nodes run once and which run for "+
		"coalitions)")
	in.MemoryFlag.Register(c)
	in.form.Register(c, "")
	return c
}

// run computes the text and the JSON only as far as they are requested, because a plan needs a bag
// and a bag can fail.
func (in *inspection) run(c *cobra.Command) error {
	if err := cli.Require(c, "model"); err != nil {
		return err
	}
	if stages := []string{"", stageGraph, stagePasses, stagePlan}; !slices.Contains(stages,
		in.stage) {
		return cli.Usagef("--stage %q is unknown; use one of %s", in.stage,
			strings.Join(stages[1:], ", "))
	}
	if err := in.Bound(c); err != nil {
		return err
	}
	if oip.Is(in.model.Path) {
		return in.remote(c)
	}
	m, err := in.model.OpenFile(c.Context())
	if err != nil {
		return err
	}
	// The form of the output decides what must be computed.
	print := in.described
	switch {
	case in.form.IsJSON():
		print = in.json
	case in.stage == stageGraph || in.stage == stagePlan:
		print = in.text
	case in.stage == stagePasses:
		return in.form.Write(c, cli.Result{
			Text: func(to *bytes.Buffer) { writePasses(to, m.Passes()) }})
	}
	return print(c, m)
}

// described prints the properties of the model. Properties that the file does not specify are
// determined with a bag: the one that --bag names, or a generated one if possible.
func (in *inspection) described(c *cobra.Command, m *onnxbackend.Model) error {
	var notes []string
	// A bag is bound only if it is needed, because binding runs the model.
	if in.bags.Path != "" || m.Info().Scale == "" {
		b, bag, err := in.bound(c, m, false)
		switch {
		case err == nil:
			notes = append(notes, "Properties that the file does not specify were determined with "+
				bag+".")
			if least := b.Task().LeastBag(); least > 1 {
				notes = append(notes, fmt.Sprintf("The model needs bags of at least %d instances.",
					least))
			}
		case in.bags.Path != "" || c.Context().Err() != nil:
			return err
		default:
			notes = append(notes, "The scale of the scores is unknown without a bag: "+err.Error()+
				".")
		}
	}
	out := newInspection(m.Info(), m.Card()) // must follow Bind, which completes the properties
	out.Notes = append(out.Notes, notes...)
	return in.form.Write(c, cli.Result{Text: out.text})
}

// remote prints a server's description of a model. The server does not give access to the graph.
func (in *inspection) remote(c *cobra.Command) error {
	if in.stage != "" || in.bags.Path != "" {
		return cli.Usagef("--stage and --bag need a model file; %s runs on a server", in.model.Path)
	}
	m, err := in.model.OpenRemote(c.Context())
	if err != nil {
		return err
	}
	out := newInspection(m.Info(), m.Card())
	if in.form.IsJSON() {
		out.Passes = []passJSON{}
		out.Notes = append(out.Notes,
			"The plan is not available: the server does not give access to the graph.")
	}
	return in.form.Write(c, cli.Result{JSON: out, Text: out.text})
}

// text prints the graph of the file or the plan, and the bag that the shapes belong to.
func (in *inspection) text(c *cobra.Command, m *onnxbackend.Model) error {
	// Shapes depend on the bag, so that a graph is only shown for a bound one.
	b, bag, err := in.bound(c, m, in.stage == stageGraph)
	if err != nil {
		return err
	}
	return in.form.Write(c, cli.Result{Text: func(to *bytes.Buffer) {
		if in.stage == stageGraph {
			writeGraph(to, b.Nodes())
		} else {
			writePlan(to, b.Plan())
		}
		cli.WriteNotes(to, []string{"Shapes are for " + bag + "."})
	}})
}

// bound binds the bag that --bag names, or a generated one, and describes it. If plain is true, the
// nodes are those of the file, without passes.
func (in *inspection) bound(
	c *cobra.Command, m *onnxbackend.Model, plain bool,
) (b *onnxbackend.Bound, description string, err error) {
	if plain {
		if m, err = in.model.OpenPlain(c.Context()); err != nil {
			return nil, "", err
		}
	}
	if in.bags.Path == "" {
		return bindSynthetic(c.Context(), m)
	}
	input, err := in.bags.Select(c, m, in.index)
	if err != nil {
		return nil, "", err
	}
	b, err = bind(c.Context(), m, input.Bag)
	return b, fmt.Sprintf("bag %q of %d instances", input.Bag.Name, input.Bag.Len()), err
}

// json prints everything. The plan is absent if --bag is absent and no bag can be generated for the
// model.
func (in *inspection) json(c *cobra.Command, m *onnxbackend.Model) error {
	// Binding comes first, because it determines properties that the file does not specify.
	b, bag, err := in.bound(c, m, false)
	out := newInspection(m.Info(), m.Card())
	out.Passes = query.ListOf(m.Passes(), newPass)
	switch {
	case err == nil:
		out.Bag = bag
		out.plan(b.Plan())
	case in.bags.Path != "" || c.Context().Err() != nil:
		return err
	default:
		out.Notes = append(out.Notes, "The plan is not available: "+err.Error()+".")
		return in.form.Write(c, cli.Result{JSON: out})
	}
	if in.stage == stageGraph {
		if b, _, err = in.bound(c, m, true); err != nil {
			return err
		}
	}
	if in.stage == stageGraph || in.stage == stagePlan {
		out.Nodes = query.ListOf(b.Nodes(), newNode)
	}
	return in.form.Write(c, cli.Result{JSON: out})
}

// newInspection returns the JSON of the properties. Lists are never null.
func newInspection(info core.ModelInfo, card onnxbackend.Card) *inspectJSON {
	return &inspectJSON{
		Name: info.Name, SHA256: info.SHA256, Opset: info.Opset,
		Inputs: query.Ports(info.Inputs), Outputs: query.Ports(info.Outputs),
		Operators: query.List(info.Operators), Parameters: info.Parameters,
		Input: info.Input, InstanceAxis: info.InstanceAxis, Output: info.Output,
		Classes: query.List(info.Classes), Negative: info.Negative, Scale: info.Scale,
		ScaleFrom: info.ScaleFrom,
		Inherent:  info.Inherent, Truth: query.Truths(info.Truth), Card: query.NewCard(card),
		Notes: query.List(info.Notes),
	}
}

// text appends a line for each property; inputs, outputs and classes have a line each.
func (m *inspectJSON) text(to *bytes.Buffer) {
	// line appends a property in the second column.
	line := func(name, value string) { fmt.Fprintf(to, "%-14s%s\n", name, query.VisibleLine(value)) }
	line("name", m.Name)
	line("sha256", m.SHA256)
	line("opset", strconv.Itoa(m.Opset))
	for _, in := range m.Inputs {
		line("input", portText(in))
	}
	for _, out := range m.Outputs {
		line("output", portText(out))
	}
	line("operators", strings.Join(m.Operators, " "))
	line("parameters", strconv.Itoa(m.Parameters))
	line("instances", fmt.Sprintf("axis %d of %s", m.InstanceAxis, m.Input))
	for i, name := range m.Classes {
		mark := ""
		if i == m.Negative {
			mark = " (negative)"
		}
		line("class", fmt.Sprintf("%d %s%s", i, name, mark))
	}
	if m.Scale != "" {
		line("scores", string(m.Scale)+" ("+m.ScaleFrom+")")
	}
	if m.Inherent != "" {
		line("inherent", m.Inherent)
	}
	cli.WriteNotes(to, m.Notes)
}

// portText describes an input or output, such as x: float32, ? x 64. A dimension without a size or
// a name is shown as a question mark.
func portText(t query.Port) string {
	sides := query.ListOf(t.Shape, func(d any) string {
		if d == nil {
			return "?"
		}
		return fmt.Sprint(d)
	})
	return fmt.Sprintf("%s: %s, %s", t.Name, t.Type, strings.Join(sides, " x "))
}
