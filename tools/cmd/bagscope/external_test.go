package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// predict reads external tensors beside the model. An error names a file that is missing or outside
// the folder.
func TestExternal(t *testing.T) {
	data := filepath.Join("..", "..", "..", "wasm", "parity", "testdata")
	predict := func(model string) []string {
		return []string{"predict", "--model", model, "--bag", filepath.Join(data, "tiny.csv"),
			"--index", "3", "--json"}
	}
	var want, got ask.Prediction
	clitest.Decode(t, succeed(t, predict(filepath.Join(data, "tiny.onnx"))...), &want)
	clitest.Decode(t, succeed(t, predict(filepath.Join(data, "tiny_parts.onnx"))...), &got)
	for i, c := range want.Classes {
		must.Equal(t, got.Classes[i], c)
	}
	dir := t.TempDir()
	model := must.Get(os.ReadFile(filepath.Join(data, "tiny_parts.onnx")))(t)
	alone := filepath.Join(dir, "model.onnx")
	must.Do(t, os.WriteFile(alone, model, 0o600))
	if code, _, stderr := bagscope(t, predict(alone)...); code != cli.ExitFailed ||
		!strings.Contains(stderr, `missing: "tiny_parts.onnx.data"`) {
		t.Errorf("without the file: exit code %d, %q", code, stderr)
	}
	file := must.Get(filepath.Abs(filepath.Join(data, "tiny_parts.onnx.data")))(t)
	if err := os.Symlink(file, filepath.Join(dir, "tiny_parts.onnx.data")); err != nil {
		t.Skip(err)
	}
	if code, _, stderr := bagscope(t, predict(alone)...); code != cli.ExitFailed ||
		!strings.Contains(stderr, "links out of the model's folder are not followed") {
		t.Errorf("through a link: exit code %d, %q", code, stderr)
	}
}
