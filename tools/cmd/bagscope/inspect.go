package main

import (
	"fmt"
	"io"
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

// The JSON of inspect.
type (
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

func newInspect() *cobra.Command {
	var (
		model  cli.ModelFlags
		bags   cli.BagFlags
		index  int
		stage  string
		asJSON bool
	)
	c := cli.Command("inspect", "Print the contents of a model file and how it is evaluated",
		func(c *cobra.Command) error {
			if err := cli.Require(c, "model"); err != nil {
				return err
			}
			if stages := []string{"graph", "passes", "plan"}; stage != "" &&
				!slices.Contains(stages, stage) {
				return cli.Usagef("--stage %q is unknown; use one of %s", stage,
					strings.Join(stages, ", "))
			}
			in := inspection{stage: stage, cmd: c, model: &model, bags: &bags, index: index}
			return in.run(asJSON)
		})
	model.Register(c)
	bags.Register(c, "bag", cli.BagUsage+
		", used for the plan (default: generated bags of random values)")
	c.Flags().IntVar(&index, "index", 0, "index of the bag in a set of bags, from 0")
	c.Flags().StringVar(&stage, "stage", "", "print one stage: graph (the nodes of the file), "+
		"passes (how they are rewritten) or plan (which nodes run once and which run for "+
		"coalitions)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// An inspection is one call of the command.
type inspection struct {
	stage string
	cmd   *cobra.Command
	model *cli.ModelFlags
	bags  *cli.BagFlags
	index int
}

func (in *inspection) run(asJSON bool) error {
	if oip.Is(in.model.Path) {
		return in.remote(asJSON)
	}
	m, err := in.model.OpenFile()
	if err != nil {
		return err
	}
	w := in.cmd.OutOrStdout()
	switch {
	case asJSON:
		return in.json(m)
	case in.stage == "graph" || in.stage == "plan":
		return in.text(m)
	case in.stage == "passes":
		return writePasses(w, m.Passes())
	}
	return in.described(m)
}

// described prints the properties of the model. Properties that the file does not specify are
// determined with a bag: the one that --bag names, or a generated one if possible.
func (in *inspection) described(m *onnxbackend.Model) error {
	var notes []string
	if in.bags.Path != "" || m.Info().Scale == "" {
		b, said, err := in.bound(m, false)
		switch {
		case err == nil:
			notes = append(notes, "Properties that the file does not specify were determined with "+
				said+".")
			if least := b.Task().LeastBag(); least > 1 {
				notes = append(notes, fmt.Sprintf("The model needs bags of at least %d instances.",
					least))
			}
		case in.bags.Path != "" || in.cmd.Context().Err() != nil:
			return err
		default:
			notes = append(notes, "The scale of the scores is unknown without a bag: "+err.Error()+
				".")
		}
	}
	out := newInspection(m.Info(), m.Card())
	out.Notes = append(out.Notes, notes...)
	return out.text(in.cmd.OutOrStdout())
}

// remote prints a server's description of a model. The server does not give access to the graph.
func (in *inspection) remote(asJSON bool) error {
	if in.stage != "" || in.bags.Path != "" {
		return cli.Usagef("--stage and --bag need a model file; %s runs on a server", in.model.Path)
	}
	m, err := in.model.OpenRemote(in.cmd.Context())
	if err != nil {
		return err
	}
	out := newInspection(m.Info(), m.Card())
	if !asJSON {
		return out.text(in.cmd.OutOrStdout())
	}
	out.Passes = newPasses(nil)
	out.Notes = append(out.Notes,
		"The plan is not available: the server does not give access to the graph.")
	return query.WriteJSON(in.cmd.OutOrStdout(), out)
}

// text prints the graph of the file or the plan, and the bag that the shapes belong to.
func (in *inspection) text(m *onnxbackend.Model) error {
	w := in.cmd.OutOrStdout()
	b, said, err := in.bound(m, in.stage == "graph")
	if err != nil {
		return err
	}
	if in.stage == "graph" {
		err = writeGraph(w, b.Nodes())
	} else {
		err = writePlan(w, b.Plan())
	}
	if err != nil {
		return err
	}
	return cli.WriteNotes(w, []string{"Shapes are for " + said + "."})
}

// bound binds the bag that --bag names, or a generated one, and describes it in said. If plain is
// true, the nodes are those of the file.
func (in *inspection) bound(
	m *onnxbackend.Model, plain bool,
) (b *onnxbackend.Bound, said string, err error) {
	if plain {
		if m, err = in.model.OpenPlain(); err != nil {
			return nil, "", err
		}
	}
	if in.bags.Path == "" {
		return bindSynthetic(in.cmd.Context(), m)
	}
	set, err := in.bags.Read(in.cmd, m)
	if err != nil {
		return nil, "", err
	}
	bag, err := set.Bag(in.index)
	if err != nil {
		return nil, "", err
	}
	b, err = bind(in.cmd.Context(), m, bag)
	return b, fmt.Sprintf("bag %q of %d instances", bag.Name, bag.Len()), err
}

// json prints everything. The plan is absent if --bag is absent and no bag can be generated for the
// model.
func (in *inspection) json(m *onnxbackend.Model) error {
	// first, because binding determines properties that the file does not specify
	b, said, err := in.bound(m, false)
	out := newInspection(m.Info(), m.Card())
	out.Passes = newPasses(m.Passes())
	switch {
	case err == nil:
		out.Bag = said
		out.plan(b.Plan())
	case in.bags.Path != "" || in.cmd.Context().Err() != nil:
		return err
	default:
		out.Notes = append(out.Notes, "The plan is not available: "+err.Error()+".")
	}
	if in.stage == "graph" && err == nil {
		if b, _, err = in.bound(m, true); err != nil {
			return err
		}
	}
	if (in.stage == "graph" || in.stage == "plan") && err == nil {
		out.Nodes = newNodes(b.Nodes())
	}
	return query.WriteJSON(in.cmd.OutOrStdout(), out)
}

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

func (m *inspectJSON) text(w io.Writer) error {
	var lines []string
	line := func(name, value string) { lines = append(lines, fmt.Sprintf("%-14s%s", name, value)) }
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
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return cli.WriteNotes(w, m.Notes)
}

// portText is a line for an input or output.
func portText(t query.Port) string {
	sides := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		sides[i] = "?"
		if d != nil {
			sides[i] = fmt.Sprint(d)
		}
	}
	return fmt.Sprintf("%s: %s, %s", t.Name, t.Type, strings.Join(sides, " x "))
}
