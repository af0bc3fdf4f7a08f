package main

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestRun holds the program to what bagscope predict says of two bags: one in which two 8s stand in
// for each other, and one whose class hangs on a single digit.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		index int
		want  []string
	}{
		{1, []string{"bag 1: two 8s: class 1, probability 0.997\n", "no instance matters alone\n"}},
		{5, []string{"bag 5", "without instance 4: 0.001\n"}},
	} {
		var out strings.Builder
		must.Equal(t, run(&out, "../digits/model.onnx", "../digits/bags.npz", c.index) == nil, true)
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("bag %d: %q is not in\n%s", c.index, want, out.String())
			}
		}
	}
	must.Equal(t, run(&strings.Builder{}, "main.go", "../digits/bags.npz", 0) != nil, true,
		"a file that is no model is run")
}
