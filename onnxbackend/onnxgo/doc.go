// Package onnxgo lets programs written for onnx-go (github.com/owulveryck/onnx-go v0.5.0) run on
// bagscope's engine:
//
//	g := onnxgo.New()
//	g.Opset = onnxgo.OpsetOf(file)
//	model := onnx.NewModel(g)
//	if err := model.UnmarshalBinary(file); err != nil { ... }
//	model.SetInput(0, tensor)
//	if err := g.Run(); err != nil { ... }
//	outputs, err := model.GetOutputTensors()
//
// # Limits of onnx-go's decoder
//
// A backend reads a file through onnx-go's decoder. Nodes that read a value twice, nodes of several
// outputs and omitted optional inputs are supported. The decoder does not pass on:
//
//   - The versions of operator sets. The meaning of operators depends on them: set Graph.Opset, by
//     OpsetOf if the file is available.
//   - The domain of an operator. All operators are those of ai.onnx.
//   - Symbolic sizes, which it removes from shapes. The engine does not need them.
//   - Subgraphs (If, Loop, Scan), lists of tensors, sparse and external tensors, model-local
//     functions, 16-bit floats. The decoder returns an error or panics.
//   - Inputs that are not the first values of the graph. onnx-go's SetInput uses the number of an
//     input as the number of a node. Graph numbers nodes in the order in which SetInput expects
//     them.
//
// Without onnx-go there are no such limits: onnxbackend.Open reads the same bytes, and its Predict
// and Bind accept a core.Bag.
//
// # Conformance
//
// TestConformance runs the official ONNX node tests through onnx-go's decoder, on this backend and
// on onnx-go's own one (backend/x/gorgonnx). Of 1,765 cases 1016 pass here and 108 there.
//
// The WebAssembly program does not import this package: onnx-go's tensors would make it three times
// as large.
package onnxgo
