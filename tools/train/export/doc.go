// Package export writes trained networks as ONNX files with a model card.
package export
