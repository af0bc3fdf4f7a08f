package clitest

import (
	"encoding/json"
	"math"
	"testing"
)

// Alike compares two results in JSON. Numbers may differ by 1e-6, and everything else must be
// equal, except the parts that differ for a model on a server: its name, its hash and the notes.
func Alike(t *testing.T, what, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v in %.300s", what, err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v in %.300s", what, err, want)
	}
	compare(t, what, "", a, b)
}

// compare compares two decoded values under a key.
func compare(t *testing.T, what, key string, a, b any) {
	switch y := b.(type) {
	case map[string]any:
		x, ok := a.(map[string]any)
		if !ok || len(x) != len(y) {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
			return
		}
		for k := range y {
			if k != "sha256" && k != "notes" && !(key == ".model" && k == "name") {
				compare(t, what, key+"."+k, x[k], y[k])
			}
		}
	case []any:
		x, ok := a.([]any)
		if !ok || len(x) != len(y) {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
			return
		}
		for i := range y {
			compare(t, what, key, x[i], y[i])
		}
	case float64:
		if x, ok := a.(float64); !ok || math.Abs(x-y) > 1e-6 {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
		}
	default:
		if a != b {
			t.Errorf("%s, %s: %v, want %v", what, key, a, b)
		}
	}
}
