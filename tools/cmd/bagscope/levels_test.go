package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// lesser maps the levels of amd64's kernels to what GODEBUG takes away from a better processor.
var lesser = map[string]string{
	"avx2":     "cpu.avx512f=off",
	"portable": "cpu.avx512f=off,cpu.avx2=off",
}

// wantedLevel tells a process of TestGoldenAtEachLevel which kernels it has to have.
const wantedLevel = "BAGSCOPE_TEST_LEVEL"

// The process uses the kernels that the test which started it has selected.
func TestLevel(t *testing.T) {
	if want := os.Getenv(wantedLevel); want != "" && kernel.Level() != want {
		t.Errorf("kernels are %s, want %s", kernel.Level(), want)
	}
}

// TestGoldenAtEachLevel holds the golden numbers and the golden table with the kernels of lesser
// processors. Kernels are chosen when a program starts, so each level is a process of its own.
func TestGoldenAtEachLevel(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("levels are chosen by GODEBUG on amd64 only")
	}
	if testing.Short() {
		t.Skip("each level evaluates 100 bags")
	}
	readGolden(t) // or skip
	for level, debug := range lesser {
		t.Run(level, func(t *testing.T) {
			c := exec.Command(os.Args[0], "-test.v", "-test.run",
				"^Test(Level|Golden|GoldenTable)$/^seed_1$")
			c.Env = append(os.Environ(), "GODEBUG="+debug, wantedLevel+"="+level)
			out, err := c.CombinedOutput()
			must.Do(t, err, out)
			for _, test := range []string{"TestLevel", "TestGolden", "TestGoldenTable/seed_1"} {
				must.Contain(t, string(out), "--- PASS: "+test+" ")
			}
		})
	}
}
