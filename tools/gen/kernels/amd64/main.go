// Command amd64 writes the assembly of onnxbackend/kernel with avo: one file of instructions and
// one of Go declarations for each -kernel. It is a module of its own, so that programs that import
// bagscope do not depend on avo.
//
// avo assigns registers and fails if they are too few. The order of operands is that of Go's
// assembler: sources first, the destination last.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernels has the functions that write the kernels of each file.
var kernels = map[string]func(){
	"gemm":        gemm,
	"elementwise": elementwise,
	"masked":      masked,
	"lanes":       lanes,
	"flat":        flat,
	"pairs":       pairs,
	"popcount":    popcount,
	"subtract":    subtract,
	"shift":       shift,
}

var kernel = flag.String("kernel", "",
	"gemm, elementwise, masked, lanes, flat, pairs, popcount, shift or subtract")

func main() {
	flag.Parse()
	write, ok := kernels[*kernel]
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no kernel %q\n", *kernel)
		os.Exit(2)
	}
	ConstraintExpr("amd64")
	write()
	Generate()
}

// at returns the memory at base plus a number of bytes.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }
