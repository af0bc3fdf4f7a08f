package ask

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0.1: "0.1", 1e-300: "1e-300", -2: "-2",
		math.Inf(1): "null", math.NaN(): "null", 1.0 / 3: "0.3333333333333333"} {
		got, err := json.Marshal(Number(v))
		if err != nil || string(got) != want {
			t.Errorf("%v: %s, %v, want %s", v, got, err, want)
		}
	}
	if got, err := json.Marshal([]any{Numbers(nil), List[int](nil),
		Numbers([]float64{})}); err != nil || string(got) != "[null,[],[]]" {
		t.Errorf("lists: %s, %v", got, err)
	}
}

func TestFindClass(t *testing.T) {
	// A name wins over a number, the same letters over others.
	names := []string{"1", "Yes", "yes"}
	for wanted, want := range map[string]int{"1": 0, "yes": 2, "Yes": 1, "YES": 1, "0": 0, "2": 2} {
		if got, err := FindClass(names, wanted); err != nil || got != want {
			t.Errorf("%q: class %d, %v, want %d", wanted, got, err, want)
		}
	}
	for _, wrong := range []string{"3", "-1", "no", "", "1.0"} {
		if got, err := FindClass(names, wrong); err == nil {
			t.Errorf("%q: class %d", wrong, got)
		}
	}
}
