package simd

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// engine is the folder of package onnxbackend.
var engine = filepath.Join("..", "..", "onnxbackend")

// readEngine reads the engine's folders for the reason that observe gives.
func readEngine(t *testing.T) {
	t.Helper()
	must.Do(t, filepath.WalkDir(engine, func(_ string, _ fs.DirEntry, err error) error {
		return err
	}))
}

// TestDefaultMemory runs the engine's test of that name in Node, where memory ends at 4 GiB.
func TestDefaultMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	observe(t)
	readEngine(t)
	out := inNodeAt(t, engine, build(t, engine), "good",
		[]string{"-test.v", "-test.run=^TestDefaultMemory$"})
	demand(t, out, `(?m)^PASS$`, `--- PASS: TestDefaultMemory`)
}

// TestConformanceInNode runs the official ONNX node tests of the operators as a Go program in Node,
// with the modules and with none that it accepts: the cases that pass are those that pass natively,
// by the same manifest.
func TestConformanceInNode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	testfile.Fetched(t, testfile.NodeTests) // the program reads them
	observe(t)
	readEngine(t)
	operators := filepath.Join(engine, "internal", "ops")
	program := build(t, operators)
	for _, run := range []struct {
		name, modules, level string
		flags                []string
	}{
		{"simd", "good", "level: (plain|fused)\n", nil},
		{"fused", "good", fusedHere(), relaxed()},
		{"portable", "spoiled", "level: portable\n", nil},
	} {
		t.Run(run.name, func(t *testing.T) {
			out := inNodeAt(t, operators, program, run.modules,
				[]string{"-test.v", "-test.run=^TestConformance$"}, run.flags...)
			demand(t, out, `(?m)^PASS$`, run.level, `--- PASS: TestConformance`,
				`: 1[1-7]\d\d of 1765 pass`)
			t.Log(out)
		})
	}
}
