//go:build gpu

package main

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// needsAdapter skips a test where there is no graphics processor, nor what passes for one.
func needsAdapter(t *testing.T) {
	t.Helper()
	var missing *gpu.UnavailableError
	if _, err := gpu.Open(gpu.Options{}); errors.As(err, &missing) {
		t.Skip(err)
	}
}

// sameExplanations compares two answers in JSON, number by number within 1e-4, and wants the
// device's to name it.
func sameExplanations(t *testing.T, device, cpu string) {
	t.Helper()
	var got, want struct {
		Notes        []string
		Explanations []struct {
			Method string
			Class  int
			Scores []float64
		}
	}
	for text, to := range map[string]any{device: &got, cpu: &want} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
	}
	notes := strings.Join(got.Notes, " ")
	for _, said := range []string{"encoded the bag: it computed ", "pools coalitions."} {
		if !strings.Contains(notes, said) {
			t.Errorf("notes %q", notes)
		}
	}
	if len(want.Notes) > 0 || strings.Contains(notes, "lost") {
		t.Errorf("notes of the CPU: %q, of the device: %q", want.Notes, notes)
	}
	if len(want.Explanations) == 0 || len(got.Explanations) != len(want.Explanations) {
		t.Fatalf("%d explanations, want %d", len(got.Explanations), len(want.Explanations))
	}
	for i, e := range want.Explanations {
		g := got.Explanations[i]
		if g.Method != e.Method || g.Class != e.Class || len(g.Scores) != len(e.Scores) ||
			len(e.Scores) == 0 {
			t.Fatalf("explanation %d is of %s, class %d, of %d instances; want %s, %d, %d", i,
				g.Method, g.Class, len(g.Scores), e.Method, e.Class, len(e.Scores))
		}
		for j, v := range e.Scores {
			if d := math.Abs(g.Scores[j] - v); !(d <= 1e-4) {
				t.Fatalf("%s, class %d, instance %d: %v, want %v", e.Method, e.Class, j,
					g.Scores[j], v)
			}
		}
	}
}

// A graphics processor, or a substitute for it, gives the scores of the CPU and a note with its
// name.
func TestDeviceComputes(t *testing.T) {
	needsAdapter(t)
	explain := func(device string) string {
		return succeed(t, "explain", "--model", exampleModel, "--bag", exampleBags, "--settings",
			"mnist", "--device", device, "--json")
	}
	sameExplanations(t, explain("gpu"), explain("cpu"))
}

// The features of patches are those of the CPU, and a note names the device.
func TestDeviceTiles(t *testing.T) {
	needsAdapter(t)
	dir, encoder := t.TempDir(), meanEncoder(t)
	features := map[string][]float32{}
	for _, device := range []string{"gpu", "cpu"} {
		out := filepath.Join(dir, device+".h5")
		text := succeed(t, "tiles", smallSlide, "--mpp", "1", "--whole-slide", "--encoder", encoder,
			"--device", device, "--out", out)
		if got := strings.Contains(text, "note: "); got != (device == "gpu") {
			t.Errorf("%s says %q", device, text)
		}
		_, features[device], _ = readBack(t, out)
	}
	got, want := features["gpu"], features["cpu"]
	if len(want) == 0 || len(got) != len(want) {
		t.Fatalf("%d features, want %d", len(got), len(want))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i] - v)); !(d <= 1e-4) {
			t.Fatalf("feature %d is %v, want %v", i, got[i], v)
		}
	}
}

// Servers with and without a device give the same explanations, of registered and of sent models.
func TestDeviceServes(t *testing.T) {
	needsAdapter(t)
	device := serving(t, "--models", filepath.Dir(exampleModel), "--device", "gpu")
	cpu := serving(t, "--models", filepath.Dir(exampleModel), "--device", "cpu")
	for _, request := range []string{
		`{"settings":"mnist","seed":7}`,
		`{"methods":["one_removed","milli","random_shap"],"samples":300,"seed":3,"index":4}`,
	} {
		for _, upload := range []bool{false, true} {
			sameExplanations(t, posted(t, device+"/v1/explain", exampleBags, request, upload),
				posted(t, cpu+"/v1/explain", exampleBags, request, upload))
		}
	}
}
