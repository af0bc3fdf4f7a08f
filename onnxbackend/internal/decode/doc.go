// Package decode reads ONNX files: bytes in, plain structs out. It parses the protobuf wire format
// without reflection, and checks every declared size before it allocates memory. Calls of
// model-local functions and nodes of a few other domains are replaced by nodes of the default
// domain, so that graphs hold no functions.
//
//	decode.go         Decode: the messages of a file, field by field
//	model.go          the structs that it returns
//	reader.go         the wire format, and what a file has used of its limits
//	tensor.go         tensors; external.go those that lie in files beside the model
//	otherfile.go      what a file is that is no model
//	inline.go         calls and foreign nodes become others; function.go model-local functions
//	foreign.go        operators of ai.onnx.ml and com.microsoft: their table and its language
//	foreignfused.go   fused layers and few bits; foreignattention.go attention
//	foreign*.go       linear models, support vector machines and trees
//	sequences.go      sequences of tensors whose length and indices the graph states
package decode
