package onnxbackend

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
)

// encoderOf returns what encodes the bags of a model.
func encoderOf(m *Model) *prefix.Encoder { return expose.Encoder(m) }

// programsOf returns the suffixes that a model remembers.
func programsOf(m *Model) *suffix.Cache { return expose.Programs(m) }

// evaluatorOf returns what scores the coalitions of a bound bag.
func evaluatorOf(b *Bound) *suffix.Evaluator { return expose.Evaluator(b) }
