package kernel

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel elementwise -pkg kernel -out ../../../../onnxbackend/kernel/elementwise_amd64.s -stubs ../../../../onnxbackend/kernel/elementwise_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel elementwise -folder ../../../../onnxbackend/kernel

// A function is one that works on each element alone.
type function uint8

const (
	fnExp function = iota
	fnTanh
	fnSigmoid
	fnErf
	fnSwish
	fnGelu
	fnHardSwish
)

// Exp writes exp(src[i]) to dst[i], rounded to within 1 unit in the last place. Beyond the range of
// float32 it is 0 and +Inf; results below the normal range are rounded as any other. exp(NaN) is
// NaN. dst has at least the length of src and may be src itself, but not overlap it otherwise. The
// result of an element depends on nothing else, and is the same on every machine.
func Exp(dst, src []float32) { elementwise(fnExp, dst[:len(src)], src) }

// Tanh writes tanh(src[i]) to dst[i], rounded to within 2.7 units in the last place; otherwise as
// Exp.
func Tanh(dst, src []float32) { elementwise(fnTanh, dst[:len(src)], src) }

// Sigmoid writes 1/(1+exp(-src[i])) to dst[i], rounded to within 2.5 units in the last place;
// otherwise as Exp.
func Sigmoid(dst, src []float32) { elementwise(fnSigmoid, dst[:len(src)], src) }

// Erf writes the error function of src[i] to dst[i], rounded to within 1.5 units in the last place;
// otherwise as Exp.
func Erf(dst, src []float32) { elementwise(fnErf, dst[:len(src)], src) }

// Swish writes src[i]/(1+exp(-src[i])) to dst[i], rounded to within 3.5 units in the last place, or
// 1e-43 below -87; otherwise as Exp. It is the product of src[i] and Sigmoid, bit for bit.
func Swish(dst, src []float32) { elementwise(fnSwish, dst[:len(src)], src) }

// Gelu writes src[i] times the standard normal distribution function to dst[i], with the steps
// src[i]/2 · (Erf(src[i]/√2) + 1). The error is at most
// 2.5 units in the last place of src[i]/2; otherwise as Exp.
func Gelu(dst, src []float32) { elementwise(fnGelu, dst[:len(src)], src) }

// HardSwish writes src[i]·max(0, min(1, src[i]/6 + 1/2)) to dst[i]. The error is at most 2 units in
// the last place of src[i]; otherwise as Exp.
func HardSwish(dst, src []float32) { elementwise(fnHardSwish, dst[:len(src)], src) }
