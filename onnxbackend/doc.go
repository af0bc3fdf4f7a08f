// Package onnxbackend runs multiple-instance-learning models stored as ONNX files.
package onnxbackend
