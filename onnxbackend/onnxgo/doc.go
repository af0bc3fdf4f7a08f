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
// # What onnx-go's decoder cannot carry
//
// A backend sees a file through onnx-go's decoder. Nodes that read a value twice, nodes of several
// outputs and optional inputs that are left out arrive here and are run. What follows does not
// arrive:
//
//   - The versions of operator sets. Operators changed meaning between versions: set Graph.Opset,
//     from OpsetOf where the file is at hand.
//   - The domain of an operator: all are taken for ai.onnx's.
//   - Symbolic sizes: the decoder drops them from shapes. The engine needs none of them.
//   - Subgraphs (If, Loop, Scan), lists of tensors, sparse and external tensors, model-local
//     functions, 16-bit floats: the decoder returns an error or panics.
//   - Inputs that are not the first values of the graph: onnx-go's SetInput takes the number of an
//     input for the number of a node. Graph numbers nodes as they come, which is what SetInput
//     counts on.
//
// The direct way has none of these limits: onnxbackend.Open reads the same bytes, and its Predict
// and Bind take a core.Bag.
//
// # Conformance
//
// TestConformance runs the official ONNX node tests through onnx-go's decoder, on this backend and
// on the one that onnx-go comes with (backend/x/gorgonnx), in one process. Of 1,765 cases 1000 pass
// here and 108 there.
//
// Nothing of this package is part of the WebAssembly program: onnx-go's tensors alone would make it
// three times as large.
package onnxgo
