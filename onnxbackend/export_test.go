package onnxbackend

// MaxDepth is the largest Limits.Depth.
const MaxDepth = maxDepth

// Filled returns the limits with defaults for those that are not set.
func (l Limits) Filled() Limits { return l.filled() }
