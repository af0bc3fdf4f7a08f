package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
)

// Values of auxiliary inputs come from the card. An error names the invalid key.
func TestCardOfInputs(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.onnx")
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 2), ot.In("gain", 1, 2), ot.In("mask", "k", 1)},
		Outputs: []ot.Value{ot.In("scores", 1, 2)},
		Nodes: ot.Nodes(`kept = Mul(bag, mask); sum = ReduceSum(kept, axis0)
			scores = Mul(sum, gain)`),
		Initializers: []ot.Tensor{ot.I("axis0", []int64{0}, 1)},
	}
	must.Do(t, os.WriteFile(model, m.Bytes(), 0o644))
	if code, _, said := bagscope(t, "inspect", "--model", model); code != 1 ||
		!strings.Contains(said, `"inputs": {"gain": 1}`) {
		t.Error(said)
	}
	must.Do(t, os.WriteFile(strings.TrimSuffix(model, ".onnx")+".bagscope.json",
		[]byte(`{"inputs": {"gain": [1, 2]}}`), 0o644))
	var read inspection.Description
	clitest.Decode(t, succeed(t, "inspect", "--model", model, "--json"), &read)
	if want := map[string]any{"gain": []any{1., 2.}}; !reflect.DeepEqual(read.Card.Inputs, want) ||
		len(read.Notes) == 0 || !strings.Contains(read.Notes[0], `"mask"`) {
		t.Errorf("inputs %v, notes %q", read.Card.Inputs, read.Notes)
	}
}
