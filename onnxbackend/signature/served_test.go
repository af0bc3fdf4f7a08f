package signature

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// TestServedAnswer refuses a card whose answer must be read from the scores: a served model's
// scores are explained as the server returns them.
func TestServedAnswer(t *testing.T) {
	in := []core.TensorInfo{{Name: "bag", Type: "float32", Shape: []int{-1, 4}}}
	out := []core.TensorInfo{{Name: "scores", Type: "float32", Shape: []int{3}}}
	if _, err := NewServed("m", in, out); err != nil {
		t.Fatal(err)
	}
	card := `{"output": {"kind": "ordinal", "grades": ["low", "mid", "high"], "scale": "probabilities"}}`
	if _, err := NewServed("m", in, out, []byte(card)); err == nil ||
		!strings.Contains(err.Error(), "on a server") {
		t.Error(err)
	}
}
