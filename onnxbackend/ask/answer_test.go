package ask

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0.1: "0.1", 1e-300: "1e-300", -2: "-2",
		math.Inf(1): "null", math.NaN(): "null", 1.0 / 3: "0.3333333333333333"} {
		got := must.Get(json.Marshal(Number(v)))(t)
		must.Equal(t, string(got), want, v, got)
	}
	must.Equal(t, string(must.Get(json.Marshal([]any{Numbers(nil), List[int](nil),
		Numbers([]float64{})}))(t)), "[null,[],[]]")
}

func TestFindClass(t *testing.T) {
	// A name wins over a number, the same letters over others.
	names := []string{"1", "Yes", "yes"}
	for wanted, want := range map[string]int{"1": 0, "yes": 2, "Yes": 1, "YES": 1, "0": 0, "2": 2} {
		must.Equal(t, must.Get(FindClass(names, wanted))(t), want, wanted)
	}
	for _, wrong := range []string{"3", "-1", "no", "", "1.0"} {
		if got, err := FindClass(names, wrong); err == nil {
			t.Errorf("%q: class %d", wrong, got)
		}
	}
}
