package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// checkTarget returns a *core.SettingError for a question about all numbers of a vector: it is a
// question about a likeness without a target.
func (s *Settings) checkTarget(info core.ModelInfo) error {
	if s.Class != nil || s.Indices != nil || len(info.Heads) == 0 ||
		info.Heads[0].Kind != core.KindEmbedding {
		return nil
	}
	return wrong("target", "is missing: the model's output %q is a vector of %d numbers; alike to "+
		"what? Name a target, a file with a vector or with prototypes, or a class, one of its "+
		"numbers", info.Output, info.Heads[0].Classes)
}

// Target returns the target of a file: vectors, prototypes or a linear probe, see
// bagio.ReadVectors. Errors are those of reading it.
func Target(
	name string, data []byte, likeness string, l bagio.Limits,
) (onnxbackend.Target, error) {
	v, err := bagio.ReadVectors(name, data, l)
	if err != nil {
		return onnxbackend.Target{}, err
	}
	return onnxbackend.Target{Names: v.Names, Vectors: v.Rows, Bias: v.Bias,
		Likeness: onnxbackend.Likeness(likeness)}, nil
}

// TargetBag returns the vector that a model returns for a bag, as a target. Errors are those of
// onnxbackend.Model.Predict.
func TargetBag(
	ctx context.Context, m *onnxbackend.Model, bag *core.Bag, likeness string,
) (onnxbackend.Target, error) {
	p, err := m.Predict(ctx, bag)
	if err != nil {
		return onnxbackend.Target{}, err
	}
	return onnxbackend.Target{Names: []string{bag.Name}, Vectors: [][]float64{p.Scores},
		Likeness: onnxbackend.Likeness(likeness)}, nil
}
