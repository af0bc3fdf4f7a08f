// Command amd64 writes the assembly of onnxbackend/kernel with avo: one file of instructions and
// one of Go declarations for each -kernel. It is a module of its own so that nobody who imports
// bagscope fetches an assembler.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// kernels is what can be written, each by name.
var kernels = map[string]func(){
	"gemm":        gemm,
	"elementwise": elementwise,
	"masked":      masked,
	"lanes":       lanes,
	"popcount":    popcount,
	"subtract":    subtract,
}

var kernel = flag.String("kernel", "", "gemm, elementwise, masked, lanes, popcount or subtract")

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

// at is base plus a number of bytes.
func at(base operand.Op, disp int) operand.Mem { return operand.Mem{Base: gp(base), Disp: disp} }
