// Package kernel holds the hand-tuned loops of the engine: matrix products and what convolution
// needs around them, convolutions of pictures side by side, the exponential and its kin, sums over
// the members of bit-packed coalitions.
//
// Every element of a product is summed over the inner dimension from first to last in one chain of
// additions, and every masked sum in one fixed order, so that the result of a row does not depend
// on which other rows are computed with it. Functions are safe for concurrent use on slices that do
// not overlap; no result outlives a call.
//
// Each kernel has a twin in plain Go (files named _portable) that is compiled everywhere. The
// assembly (files named _amd64.s and _arm64.s) is written by tools/gen/kernels/amd64 and arm64, and
// chosen at start by what the processor supports; what both share is in files named _native. A
// module for WebAssembly is written by tools/gen/kernels/wasm: a program for browsers that is built
// with the tag bagscope_simd calls it if its host has linked it (wasm/simd), else it uses plain Go.
// Without the tag, a program has no imports from its host.
//
// Files are named after a group of kernels; other parts of a name say where they are compiled:
//
//	level*.go        what the processor supports; simd_js.go the functions of the module
//	gemm*.go         matrix products; activation.go what they apply to the result
//	im2col*.go       the patches that a convolution multiplies; copies of rows
//	lanes*.go        convolutions of pictures side by side; flat*.go of neighbouring places
//	elementwise*.go  functions of one element; pairs*.go of two
//	masked*.go       sums over members of coalitions; neighbours*.go of those that differ by one
//	shift*.go        rows plus a bias, and an activation; rows*.go sums of rows in float64
//	narrow*.go       layers with few outputs, in float64
//	gram.go          the Gram matrix of coalitions; popcount*.go counts of common members
//	subtract*.go     products that a factorisation subtracts, in float64
package kernel
