package onnxgo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	onnx "github.com/owulveryck/onnx-go"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// OpsetOf returns the version of the default operator set that an ONNX file imports, or
// DefaultOpset if the file has none or cannot be read.
func OpsetOf(file []byte) int {
	limits, _ := expose.Limits(onnxbackend.Limits{})
	m, err := decode.Decode(file, limits)
	if err != nil {
		return DefaultOpset
	}
	for _, o := range m.Opsets {
		if o.Domain == "" && o.Version > 0 {
			return int(o.Version)
		}
	}
	return DefaultOpset
}

// A program is the compiled graph.
type program struct {
	graph   *graph.Graph
	runner  *plan.Runner
	given   []*Node // inputs in the order of graph.Inputs
	results []*Node // results in the order of graph.Outputs
}

// Run implements backend.ComputationBackend. It computes the outputs from the tensors that are set.
func (g *Graph) Run() error { return g.RunContext(context.Background()) }

// RunContext is Run until ctx ends; then the error is the cause of ctx. If the engine does not
// support an operator, the error is an *onnx.ErrNotImplemented that names all such operators. A
// panic is returned as an error, since onnx-go's callers do not expect one.
func (g *Graph) RunContext(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("onnxgo: the engine failed on this graph (%v); this is a defect, "+
				"please report it with the model", r)
		}
	}()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if g.program == nil {
		p, err := g.compile()
		var gaps *fault.Unsupported
		if errors.As(err, &gaps) {
			return notImplemented(gaps)
		} else if err != nil {
			return err
		}
		g.program = p
	}
	p := g.program
	p.runner.Begin(ctx)
	for i, n := range p.given {
		t, err := toEngine(n.value)
		if err != nil {
			return fmt.Errorf("input %q: %w", n.name, err)
		}
		p.runner.Give(p.graph.Inputs[i].ID, t)
	}
	if err := p.runner.Run(nil); err != nil {
		return err
	}
	for i, n := range p.results {
		if n.value, err = fromEngine(p.runner.Value(p.graph.Outputs[i].ID)); err != nil {
			return fmt.Errorf("output %q: %w", n.name, err)
		}
	}
	return nil
}

// notImplemented converts the engine's error about operators to onnx-go's.
func notImplemented(gaps *fault.Unsupported) error {
	var names []string
	for _, n := range gaps.Nodes {
		names = append(names, n.Op)
	}
	slices.Sort(names)
	return &onnx.ErrNotImplemented{Operator: strings.Join(slices.Compact(names), ", "),
		Message: gaps.Error()}
}
