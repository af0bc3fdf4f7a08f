package kernel

func Tanh(dst, src []float32) {}
func Sigmoid(dst, src []float32) {}
