package main

import ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

// The card names the classes and says which measurements are evidence.
const card = `{"classes": ["sound", "running hot", "worn bearing", "hot and worn"], ` +
	`"negative": 0, "output": "logits", "truth": [{"support": [0]}, ` +
	`{"support": [1], "refute": [2]}, {"support": [2], "refute": [1]}, {"support": [1, 2]}]}`

// threshold is the deviation from which on a measurement says anything.
const threshold = 1.5

// model returns the network as an ONNX file:
//
//	h = relu(x - 1.5)                    for each measurement: excess of temperature and vibration
//	H = max over the measurements of h   the pool of MI-Net
//	logits = H·W + b
//
// A machine is sound if neither is much above zero. Each of the two faults supports its own class
// and refutes the other's, and both support the last class.
func model() []byte {
	w := []float32{
		// sound, hot, worn, both
		-4, 4, -4, 3, // too hot
		-4, -4, 4, 3, // too shaky
	}
	b := []float32{4, -1, -1, -5}
	return ot.Model{
		Opset:    13,
		Metadata: map[string]string{"bagscope": card},
		Inputs:   []ot.Value{ot.In("bag", "instances", 2)},
		Outputs:  []ot.Value{ot.In("logits", 4)},
		Nodes: []ot.Node{
			ot.N("Sub", []string{"bag", "threshold"}, []string{"above"}),
			ot.N("Relu", []string{"above"}, []string{"h"}),
			ot.N("ReduceMax", []string{"h"}, []string{"pooled"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 1)),
			ot.N("Gemm", []string{"pooled", "w", "b"}, []string{"scores"}),
			ot.N("Squeeze", []string{"scores", "rows"}, []string{"logits"}),
		},
		Initializers: []ot.Tensor{
			ot.F("threshold", []float32{threshold, threshold}, 2),
			ot.F("w", w, 2, 4),
			ot.F("b", b, 4),
			ot.I("rows", []int64{0}, 1),
		},
	}.Bytes()
}
