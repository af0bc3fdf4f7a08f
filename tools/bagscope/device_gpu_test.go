//go:build gpu

package main

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// TestDeviceComputes asks a graphics processor, or what passes for one, and wants the CPU's scores and a note that names it.
func TestDeviceComputes(t *testing.T) {
	var missing *gpu.UnavailableError
	if _, err := gpu.Open(gpu.Options{}); errors.As(err, &missing) {
		t.Skip(err)
	}
	type said struct {
		Notes        []string
		Explanations []struct{ Scores []float64 }
	}
	explain := func(device string) (x said) {
		code, out, stderr := bagscope(t, "explain", "--model", exampleModel, "--bag", exampleBags, "--settings", "mnist", "--device", device, "--json")
		if code != exitDone {
			t.Fatalf("%s: exit code %d, %s", device, code, stderr)
		}
		if err := json.Unmarshal([]byte(out), &x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	cpu, far := explain("cpu"), explain("gpu")
	if notes := strings.Join(far.Notes, " "); !strings.Contains(notes, "encoded the bag: it computed ") {
		t.Errorf("notes %q", notes)
	}
	if len(cpu.Notes) > 0 {
		t.Errorf("notes of the CPU: %q", cpu.Notes)
	}
	for i, e := range cpu.Explanations {
		for j, v := range e.Scores {
			if d := math.Abs(far.Explanations[i].Scores[j] - v); !(d <= 1e-4) {
				t.Fatalf("explanation %d, instance %d: %v, want %v", i, j, far.Explanations[i].Scores[j], v)
			}
		}
	}
}
