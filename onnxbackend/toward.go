package onnxbackend

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

type (
	// A Target is what the vector that a model returns for a bag is compared with.
	Target = signature.Target
	// A Likeness says how two vectors are compared: Cosine or Dot.
	Likeness = signature.Likeness
)

// Likenesses of vectors.
const (
	Cosine = signature.Cosine
	Dot    = signature.Dot
)

// Toward returns the model with other scores: the likenesses of its output, a vector, to those of a
// target. A coalition is evaluated as that of m, and its vector is compared in float64. Both models
// share the graph and the encoder; helpers of one serve the other. Errors are those of
// [signature.Signature.Toward].
func (m *Model) Toward(t Target) (d *Model, err error) {
	defer fault.Rescue(&err)
	sig, err := m.sig.Toward(t)
	if err != nil {
		return nil, err
	}
	return &Model{file: m.file, g: m.g, passes: m.passes, limits: m.limits, plain: m.plain,
		layers: m.layers, regressor: m.regressor, sig: sig, info: m.info, encoder: m.encoder}, nil
}
