// Command arm64 writes the assembly of onnxbackend/kernel for 64-bit ARM: one file of instructions
// and one of Go declarations for each -kernel. It has the kernels of tools/gen/kernels/amd64, with
// vectors of 16 bytes. It is a module of its own, so that programs that import bagscope do not
// depend on the disassembler of its tests.
//
// avo, which writes those for amd64, knows no other processor. Loads, stores, branches and general
// registers are in the syntax of Go's assembler; encode.go has the vector instructions. Vector
// registers are assigned in registers.go.
package main

import (
	"flag"
	"fmt"
	"os"
)

// kernels has the functions that write the kernels of each file.
var kernels = map[string]func() []*function{
	"gemm":        gemm,
	"elementwise": elementwise,
	"masked":      masked,
	"lanes":       lanes,
	"flat":        flat,
	"pairs":       pairs,
	"popcount":    popcount,
	"subtract":    subtract,
}

var (
	kernel = flag.String("kernel", "",
		"gemm, elementwise, masked, lanes, flat, pairs, popcount or subtract")
	folder = flag.String("folder", "", "where KERNEL_arm64.s and KERNEL_stubs_arm64.go go")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	write, ok := kernels[*kernel]
	if !ok {
		return fmt.Errorf("there is no kernel %q", *kernel)
	}
	functions := write()
	code, err := assembly(functions)
	if err != nil {
		return err
	}
	path := *folder + "/" + *kernel
	if err := os.WriteFile(path+"_arm64.s", code, 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+"_stubs_arm64.go", stubs(functions), 0o644)
}
