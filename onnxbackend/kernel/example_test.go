package kernel_test

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Gemm multiplies by a matrix that Pack has laid out once.
func ExampleGemm() {
	a := []float32{1, 2, 3, 4, 5, 6} // (2, 3)
	b := []float32{1, 0, 0, 1, 1, 1} // (3, 2)
	packed := make([]float32, kernel.PackedLen(3, 2))
	kernel.Pack(packed, b, 3, 2, 2, false)
	c := make([]float32, 4)
	kernel.Gemm(c, 2, a, 3, packed, 2, 2, 3, kernel.Epilogue{})
	fmt.Println(c)
	// Output:
	// [4 5 10 11]
}

// MaskedSum sums the instances of each coalition.
func ExampleMaskedSum() {
	h := []float32{1, 10, 2, 20, 3, 30} // (instance, feature)
	z := []uint64{0b101, 0b110}         // (coalition) a bit for each instance
	sums := make([]float32, 4)
	kernel.MaskedSum(sums, z, 1, 2, h, 3, 2)
	fmt.Println(sums)
	// Output:
	// [4 40 5 50]
}
