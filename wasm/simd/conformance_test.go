package simd

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestConformance runs the official ONNX node tests of onnxbackend as a Go program in Node, with the modules and with
// none that it accepts: the cases that pass are those that pass natively, by the same manifest.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	shared := os.Getenv("BAGSCOPE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	shared, err := filepath.Abs(shared)
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(shared, "data", "onnx_node_tests", "*.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Skipf("the official node tests are not at hand below %s", shared)
	}
	t.Setenv("BAGSCOPE_SHARED", shared)
	observe(t)
	engine := filepath.Join("..", "..", "onnxbackend")
	if err := filepath.WalkDir(engine, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil { // as observe does
		t.Fatal(err)
	}
	program := build(t, engine)
	for _, modules := range []struct{ name, level string }{{"good", "level: (plain|fused)\n"}, {"spoiled", "level: portable\n"}} {
		t.Run(modules.name, func(t *testing.T) {
			out := inNodeAt(t, engine, program, modules.name, []string{"-test.v", "-test.run=^TestConformance$"})
			demand(t, out, `(?m)^PASS$`, modules.level, `--- PASS: TestConformance`, `: 1[1-7]\d\d of 1765 pass`)
			t.Log(out)
		})
	}
}
