// Package inspection describes model files: their properties, graph, passes and plan, as
// bagscope inspect writes them.
package inspection

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// The stages of a model, in order.
const (
	Graph  = "graph"  // the nodes of the file
	Passes = "passes" // how they are rewritten
	Plan   = "plan"   // nodes that run once for a bag, and nodes that run for coalitions
)

// Stages returns the names of the stages.
func Stages() []string { return []string{Graph, Passes, Plan} }

// A Subject is a model file that is described with a bag.
type Subject struct {
	Model *onnxbackend.Model
	// Plain returns the same model without passes. Only the stage Graph needs it.
	Plain func() (*onnxbackend.Model, error)
	// Bag determines the plan and the shapes. If it is nil, bags of random values are generated.
	Bag *core.Bag
	// Notes are those on the file of the bag.
	Notes []string
	// Advice is what an error advises if no bag can be generated, such as "name a bag with --bag".
	Advice string
}

// Bind binds the bag, or generated ones, and describes the bag in words. If plain is true, the
// nodes are those of the file.
func (s Subject) Bind(
	ctx context.Context, plain bool,
) (b *onnxbackend.Bound, description string, err error) {
	m := s.Model
	if plain {
		if m, err = s.Plain(); err != nil {
			return nil, "", err
		}
	}
	if s.Bag == nil {
		return bindSynthetic(ctx, m, s.Advice)
	}
	b, err = bind(ctx, m, s.Bag)
	return b, msg.Sprintf("bag %q of %d instances", s.Bag.Name, s.Bag.Len()), err
}

// Describe returns the properties, the passes and the plan, and the nodes of a stage; "" is for
// none. The plan is absent if the subject has no bag and none can be generated for the model; a
// note gives the reason.
func (s Subject) Describe(ctx context.Context, stage string) (*Description, error) {
	// Binding comes first, because it determines properties that the file does not specify.
	b, bag, err := s.Bind(ctx, false)
	out := New(s.Model.Info(), s.Model.Card())
	out.Passes = ask.ListOf(s.Model.Passes(), newPass)
	switch {
	case err == nil:
		out.Bag = bag
		out.Notes = append(out.Notes, s.Notes...)
		out.plan(b.Plan())
		work, err := b.Work(ctx)
		if err != nil {
			return nil, err
		}
		out.Work = newWork(work)
	case s.Bag != nil || ctx.Err() != nil:
		return nil, err
	default:
		out.Notes = append(out.Notes, msg.Sprintf("The plan is not available: %v.", err))
		return out, nil
	}
	if stage == Graph {
		if b, _, err = s.Bind(ctx, true); err != nil {
			return nil, err
		}
	}
	if stage == Graph || stage == Plan {
		out.Nodes = ask.ListOf(b.Nodes(), newNode)
	}
	return out, nil
}
