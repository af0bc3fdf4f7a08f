package ask_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestRecorded reads what pictures need of an explanation from its JSON.
func TestRecorded(t *testing.T) {
	in := sums(t, raw)
	in.Bag.Slide = &core.Slide{Name: "s", Width: 90, Height: 80, MPP: .5, PatchSize: 4, Overlap: 1}
	plan := must.Get((&ask.Settings{Methods: []string{"one_removed"}}).Plan())(t)
	x := must.Get(plan.Explain(t.Context(), in, nil))(t)
	data := must.Get(json.Marshal(x.JSON()))(t)
	var read ask.Explanation
	must.Do(t, json.Unmarshal(data, &read))
	bag, report, err := read.Recorded()
	must.Do(t, err)
	if bag.Len() != 2 || !reflect.DeepEqual(bag.Boxes, x.Bag.Boxes) ||
		!reflect.DeepEqual(bag.Slide, x.Bag.Slide) ||
		!reflect.DeepEqual(report.Prediction, x.Report.Prediction) {
		t.Errorf("bag %+v on %+v, predicted %v", bag, bag.Slide, report.Prediction)
	}
	for i, e := range report.Explanations {
		want := x.Report.Explanations[i]
		if e.Method != want.Method || e.Class != want.Class || e.Unit != want.Unit ||
			!reflect.DeepEqual(e.Scores, want.Scores) || e.Neutral != want.Neutral ||
			!reflect.DeepEqual(e.Evident, want.Evident) {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	var n ask.Number
	must.Do(t, json.Unmarshal([]byte("null"), &n))
	must.Equal(t, math.IsNaN(float64(n)), true)
	for name, spoil := range map[string]func(*ask.Explanation){
		"no scores": func(e *ask.Explanation) { e.Explanations = nil },
		"boxes":     func(e *ask.Explanation) { e.Boxes = e.Boxes[:1] },
		"evidence":  func(e *ask.Explanation) { e.Explanations[1].Evident = nil },
		"class":     func(e *ask.Explanation) { e.Explanations[0].Class = 3 },
		"below":     func(e *ask.Explanation) { e.Explanations[0].Class = -1 },
	} {
		var broken ask.Explanation
		must.Do(t, json.Unmarshal(data, &broken))
		spoil(&broken)
		_, _, err := broken.Recorded()
		var bag *core.BagError
		if must.As(t, err, &bag); bag.Bag != "two" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
