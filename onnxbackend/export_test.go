package onnxbackend

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// MaxDepth is the largest Limits.Depth.
const MaxDepth = maxDepth

// Filled returns the limits with defaults for those that are not set.
func (l Limits) Filled() Limits { return l.filled() }

// ForDecoding returns the limits of decoding a file.
func (l Limits) ForDecoding() decode.Limits { return l.decode() }

// ForRuns returns the limits of a run.
func (l Limits) ForRuns() machine.Limits { return l.run() }
