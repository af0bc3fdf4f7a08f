package main

import (
	"strings"
	"testing"
)

// TestRun: bag 1 holds two 8s, at 6 and 15, one of which supports class 1, an 8, most.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "../digits/model.onnx", "../digits/bags.npz", 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || lines[0] != "bag 1: two 8s" {
		t.Fatalf("it prints\n%s", out.String())
	}
	if !strings.Contains(lines[2], "class 1, 0.997: most for it instance ") {
		t.Errorf("the line of class 1 is %q", lines[2])
	}
	for _, c := range []struct {
		model, bags string
		index       int
		words       string
	}{
		{"main.go", "../digits/bags.npz", 0, "model"},
		{"../digits/model.onnx", "../digits/bags.npz", 6, "bag 6 does not exist"},
		{"../digits/model.onnx", "nowhere.npz", 0, "nowhere.npz"},
	} {
		err := run(t.Context(), &strings.Builder{}, c.model, c.bags, c.index)
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, %s, bag %d: %v", c.model, c.bags, c.index, err)
		}
	}
}
