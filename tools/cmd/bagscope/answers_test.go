package main

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestExplainAnswers: where the model card says what the numbers are, the tables of explain state
// the unit of each class instead of one scale for all.
func TestExplainAnswers(t *testing.T) {
	bag := writeTemp(t, "bag.csv", []byte("bag,label,f1,f2,f3,f4\nb,0,1,0,2,-1\nb,0,0,1,.5,2\n"))
	text := succeed(t, "explain", "--bag", bag, "--method", "one_removed", "--model",
		"../../../onnxbackend/testdata/answers/heads.onnx")
	for _, want := range [][]string{{"class", "answer", "unit"},
		{"3", "survival", "14.0262", "months"}, {"4", "depth", "0.4777", "mm"},
		{"unit", "probability", "probability", "probability", "months", "mm"}} {
		found := false
		for line := range strings.Lines(text) {
			found = found || strings.Join(strings.Fields(line), " ") == strings.Join(want, " ")
		}
		must.Equal(t, found, true, want, text)
	}
}
