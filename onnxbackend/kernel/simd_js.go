//go:build wasm && bagscope_simd

package kernel

import "unsafe"

// The functions of the module that tools/gen/kernels/wasm writes, by way of trampolines of the
// host. Only programs whose host runs wasm/simd/simd.js can be built with the tag bagscope_simd:
// others would not start, because the imports are missing.
//
// The module works on the memory of this program, so a pointer is an address for it. It keeps no
// pointer, calls nothing, and neither the stack nor the heap moves during a call. Counts and
// distances are of elements, not of bytes, where nothing else is said. No function may be called
// where the host answers simdReadyNot.

// What simdReady answers: there is no module; there is one; there is one whose products are fused.
const (
	simdReadyNot   = 0
	simdReadyPlain = 1
	simdReadyFused = 2
)

//go:wasmimport bagscope_simd ready
func simdReady() int32

//go:wasmimport bagscope_simd gemm
func simdGemm(c unsafe.Pointer, ldc int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, m, n,
	k int32, bias, rowBias unsafe.Pointer, relu int32)

//go:wasmimport bagscope_simd gemv
func simdGemv(c, a, b unsafe.Pointer, n, k, ld int32)

//go:wasmimport bagscope_simd exp
func simdExp(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd tanh
func simdTanh(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd sigmoid
func simdSigmoid(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd erf
func simdErf(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd swish
func simdSwish(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd gelu
func simdGelu(dst, x unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd hardSwish
func simdHardSwish(dst, x unsafe.Pointer, n int32)

// simdAddWord32 and 64 take the stride of rows in bytes.
//
//go:wasmimport bagscope_simd addWord32
func simdAddWord32(sums, words unsafe.Pointer, n int32, rows unsafe.Pointer, stride int32,
	table unsafe.Pointer)

//go:wasmimport bagscope_simd addWord64
func simdAddWord64(sums, words unsafe.Pointer, n int32, rows unsafe.Pointer, stride int32,
	table unsafe.Pointer)

//go:wasmimport bagscope_simd convLanes
func simdConvLanes(dst unsafe.Pointer, mapStride int32, src unsafe.Pointer, n int32,
	from unsafe.Pointer, k, step int32, weights, bias unsafe.Pointer, maps, relu int32)

//go:wasmimport bagscope_simd depthFlat
func simdDepthFlat(dst, src unsafe.Pointer, n int32, from unsafe.Pointer, k int32, weights,
	bias unsafe.Pointer, relu int32)

// The functions of two elements take n float32, a multiple of 4. Operands with step 0 have one
// element, others step 4.
//
//go:wasmimport bagscope_simd add
func simdAdd(dst, a, b unsafe.Pointer, n, stepA, stepB int32)

//go:wasmimport bagscope_simd sub
func simdSub(dst, a, b unsafe.Pointer, n, stepA, stepB int32)

//go:wasmimport bagscope_simd mul
func simdMul(dst, a, b unsafe.Pointer, n, stepA, stepB int32)

//go:wasmimport bagscope_simd div
func simdDiv(dst, a, b unsafe.Pointer, n, stepA, stepB int32)

// simdClamp takes the bits of the bounds.
//
//go:wasmimport bagscope_simd clamp
func simdClamp(dst, x unsafe.Pointer, n int32, low, high uint32)

//go:wasmimport bagscope_simd maxLanes
func simdMaxLanes(dst, src, from unsafe.Pointer, taps, n, step int32)

// simdToLanes and simdFromLanes take whole groups of simdGroup pictures and at least as many
// values.
//
//go:wasmimport bagscope_simd toLanes
func simdToLanes(dst, src unsafe.Pointer, n, ld, groups int32)

//go:wasmimport bagscope_simd fromLanes
func simdFromLanes(dst, src unsafe.Pointer, n, ld, groups int32)

//go:wasmimport bagscope_simd subtract
func simdSubtract(c unsafe.Pointer, ldc int32, a unsafe.Pointer, row, column int32,
	b unsafe.Pointer, ldb, m, n, k int32)

//go:wasmimport bagscope_simd andCounts
func simdAndCounts(dst, a, b unsafe.Pointer, words, rows int32)

//go:wasmimport bagscope_simd neighbours
func simdNeighbours(dst unsafe.Pointer, ldd int32, rows unsafe.Pointer, ldr int32, sums,
	bias unsafe.Pointer, columns int32, signs, scales unsafe.Pointer, n, relu int32)

//go:wasmimport bagscope_simd neighbours64
func simdNeighbours64(dst unsafe.Pointer, ldd int32, rows unsafe.Pointer, ldr int32, sums,
	bias unsafe.Pointer, columns int32, signs, scales unsafe.Pointer, n int32)

//go:wasmimport bagscope_simd narrow
func simdNarrow(y unsafe.Pointer, ldy int32, x unsafe.Pointer, ldx, lines int32, weights,
	bias unsafe.Pointer, inner, outputs int32)

// simdAddRows takes words of 32 bits.
//
//go:wasmimport bagscope_simd addRows
func simdAddRows(sums unsafe.Pointer, columns int32, rows unsafe.Pointer, ld int32,
	members unsafe.Pointer, words int32)

// simdShift takes numbers of rows of 64 bits.
//
//go:wasmimport bagscope_simd shift
func simdShift(dst, src unsafe.Pointer, ld int32, rows unsafe.Pointer, n int32, bias unsafe.Pointer,
	columns, relu int32)

// address returns where x begins, 0 for no x.
func address[E float32 | float64 | [2]float64 | uint64 | int32 | int](x []E) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(x))
}
