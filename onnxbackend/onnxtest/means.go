package onnxtest

// MeanEncoder returns an encoder of patches of side by side pixels: a feature is a colour's mean.
func MeanEncoder(side int) Model { return MeanEncoderOf(3, side) }

// MeanEncoderOf is MeanEncoder for pictures of so many channels.
func MeanEncoderOf(channels, side int) Model {
	return Model{
		Opset: 17, Inputs: []Value{In("x", "n", channels, side, side)},
		Outputs: []Value{In("y", "n", channels)},
		Nodes: []Node{N("GlobalAveragePool", []string{"x"}, []string{"p"}),
			N("Flatten", []string{"p"}, []string{"y"})},
	}
}

// MeanHead returns a model of bags of n features: a score is a feature's mean over the bag.
func MeanHead(n int) Model {
	return Model{
		Opset: 13, Inputs: []Value{In("x", "k", n)}, Outputs: []Value{In("y", n)},
		Nodes: []Node{N("ReduceMean", []string{"x"}, []string{"y"}, Ints("axes", 0),
			Int("keepdims", 0))},
	}
}
