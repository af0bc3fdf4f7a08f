package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	model cli.ModelFlags
	bags  cli.BagFlags
	index int
	cli.MemoryFlag
	stage string // "" or one of the stages
	form  cli.OutputFlags
}

// newInspect returns the command that prints what the engine knows of a model.
func newInspect() *cobra.Command {
	in := &inspectFlags{}
	c := cli.Command("inspect", "Print the contents of a model file and how it is evaluated; "+
		"without --model, what a file or folder of bags holds", in.run)
	// --plain applies to the plan: with it, every node runs for every coalition.
	in.model.Register(c)
	in.bags.Register(c, "bag", cli.BagUsage+
		", used for the plan (default: generated bags of random values); without --model, this is "+
		"described instead")
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
func (in *inspectFlags) run(c *cobra.Command) error {
	if stages := inspection.Stages(); in.stage != "" && !slices.Contains(stages, in.stage) {
		return cli.Usagef("--stage %q is unknown; use one of %s", in.stage,
			strings.Join(stages, ", "))
	}
	if err := in.Bound(c); err != nil {
		return err
	}
	if in.model.Path == "" && in.bags.Path != "" && in.stage == "" {
		return in.found(c)
	}
	if err := cli.Require(c, "model"); err != nil {
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
	case in.stage == inspection.Graph || in.stage == inspection.Plan:
		print = in.text
	case in.stage == inspection.Passes:
		return in.form.Write(c, cli.Result{
			Text: func(to *bytes.Buffer) { inspection.WritePasses(to, m.Passes()) }})
	}
	return print(c, m)
}

// found prints what the bags are, which no model reads.
func (in *inspectFlags) found(c *cobra.Command) error {
	if c.Flags().Changed("index") {
		return cli.Usagef("--index needs --model; without a model, all bags are described")
	}
	out, err := inspection.Find(c.Context(), in.bags.Path, in.bags.Options(c.Context()))
	if err != nil {
		return err
	}
	return in.form.Write(c, cli.Result{JSON: out, Text: out.WriteText})
}

// described prints the properties of the model. Properties that the file does not specify are
// determined with a bag: the one that --bag names, or a generated one if possible.
func (in *inspectFlags) described(c *cobra.Command, m *onnxbackend.Model) error {
	var notes []string
	// A bag is bound only if it is needed, because binding runs the model. Where instances may
	// overwrite each other, a bag shows whether their order matters.
	scatters := slices.ContainsFunc(m.Info().Operators, func(op string) bool {
		return strings.HasPrefix(op, "Scatter")
	})
	if in.bags.Path != "" || m.Info().Scale == "" || scatters {
		s, err := in.subject(c, m)
		if err != nil {
			return err
		}
		b, bag, err := s.Bind(c.Context(), false)
		switch {
		case err == nil:
			notes = append(notes, "Properties that the file does not specify were determined with "+
				bag+".")
			notes = append(notes, s.Notes...)
			if least := b.Task().LeastBag(); least > 1 {
				sizes := fmt.Sprintf("at least %d", least)
				if step := b.Task().Step; step > 1 {
					sizes = fmt.Sprintf("multiples of %d", step)
				}
				notes = append(notes, "The model needs bags of "+sizes+" instances.")
			}
			notes = append(notes, b.OrderNotes()...)
		case in.bags.Path != "" || c.Context().Err() != nil:
			return err
		default:
			unknown := "The scale of the scores"
			if m.Info().Scale != "" {
				unknown = "Whether the order of the instances matters"
			}
			notes = append(notes, msg.Sprintf("%s is unknown without a bag: %v.", unknown, err))
		}
	}
	out := inspection.New(m.Info(), m.Card()) // must follow Bind, which completes the properties
	out.Notes = append(out.Notes, notes...)
	return in.form.Write(c, cli.Result{Text: out.WriteText})
}

// remote prints a server's description of a model. The server does not give access to the graph.
func (in *inspectFlags) remote(c *cobra.Command) error {
	if in.stage != "" || in.bags.Path != "" {
		return cli.Usagef("--stage and --bag need a model file; %s runs on a server", in.model.Path)
	}
	m, err := in.model.OpenRemote(c.Context())
	if err != nil {
		return err
	}
	out := inspection.New(m.Info(), m.Card())
	if in.form.IsJSON() {
		out.Passes = []inspection.Pass{}
		out.Notes = append(out.Notes,
			"The plan is not available: the server does not give access to the graph.")
	}
	return in.form.Write(c, cli.Result{JSON: out, Text: out.WriteText})
}

// text prints the graph of the file or the plan, and the bag that the shapes belong to.
func (in *inspectFlags) text(c *cobra.Command, m *onnxbackend.Model) error {
	// Shapes depend on the bag, so that a graph is only shown for a bound one.
	s, err := in.subject(c, m)
	if err != nil {
		return err
	}
	b, bag, err := s.Bind(c.Context(), in.stage == inspection.Graph)
	if err != nil {
		return err
	}
	var work *onnxbackend.WorkInfo
	if in.stage == inspection.Plan {
		if work, err = b.Work(c.Context()); err != nil {
			return err
		}
	}
	return in.form.Write(c, cli.Result{Text: func(to *bytes.Buffer) {
		if in.stage == inspection.Graph {
			inspection.WriteGraph(to, b.Nodes())
		} else {
			inspection.WritePlan(to, b.Plan(), work)
		}
		cli.WriteNotes(to, []string{"Shapes are for " + bag + "."})
	}})
}

// subject returns the model with the bag that --bag names.
func (in *inspectFlags) subject(
	c *cobra.Command, m *onnxbackend.Model,
) (inspection.Subject, error) {
	s := inspection.Subject{Model: m, Advice: "name a bag with --bag",
		Plain: func() (*onnxbackend.Model, error) { return in.model.OpenPlain(c.Context()) }}
	if in.bags.Path == "" {
		return s, nil
	}
	input, err := in.bags.Select(c, &in.model, m, in.index)
	if err != nil {
		return s, err
	}
	s.Bag, s.Notes = input.Bag, input.Notes
	return s, nil
}

// json prints everything. The plan is absent if --bag is absent and no bag can be generated for the
// model.
func (in *inspectFlags) json(c *cobra.Command, m *onnxbackend.Model) error {
	s, err := in.subject(c, m)
	if err != nil {
		return err
	}
	out, err := s.Describe(c.Context(), in.stage)
	if err != nil {
		return err
	}
	return in.form.Write(c, cli.Result{JSON: out})
}
