// Package expose gives tests of the engine's packages access to the parts of an opened model.
// Package onnxbackend sets the functions, and only tests call them, beside package onnxgo, which
// has the limits of a model. Without it, these would have to repeat how Open and Bind join the
// parts.
package expose

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
)

var (
	// Encoder returns the encoder of an *onnxbackend.Model.
	Encoder func(model any) *prefix.Encoder
	// Programs returns the cache of suffixes of an *onnxbackend.Model.
	Programs func(model any) *suffix.Cache
	// Evaluator returns the evaluator of an *onnxbackend.Bound.
	Evaluator func(bound any) *suffix.Evaluator
	// Limits returns what Open makes of an onnxbackend.Limits: the limits of decoding a file and
	// of a run, with defaults for those that are not set.
	Limits func(limits any) (decode.Limits, machine.Limits)
)
