package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/wasm/wire"
)

// The engine answers all questions of a bag without an instance, and names what is wrong in others.
func TestAnswer(t *testing.T) {
	c := newClient(t)
	m := get[wire.ModelOpened](c, wire.OpenModelFile{Path: written(t, "head.onnx", ot.MeanHead(3))})
	bag := c.open(wire.ReadArray{Name: "b", Type: "<f4", Shape: []int{4, 3}, Model: m.Handle,
		Values: wire.Block{Bytes: make([]byte, 4*12)}})
	whatif := func(question, request string) wire.WriteAnswer {
		return wire.WriteAnswer{Question: question, Model: m.Handle, Bag: bag.Handle,
			Without: []int{1}, Request: []byte(request), Notes: []string{"A note on the bag."}}
	}
	for _, question := range []string{"sets", "pairs", "whatif", "check"} {
		report := get[wire.Document](c, whatif(question, `{"seed": 7}`))
		var got ask.Answered
		must.Do(t, json.Unmarshal(report.Bytes, &got))
		if got.Seed != 7 || got.Bag.Instances != 3 || len(got.Prediction) != 3 ||
			!strings.Contains(strings.Join(got.Notes, " "), "A note on the bag.") {
			t.Errorf("%s: %s", question, report.Bytes)
		}
	}
	for name, x := range map[string]struct {
		request wire.WriteAnswer
		want    string
	}{
		"question": {whatif("why", "{}"), "question: "},
		"JSON":     {whatif("sets", "{"), "request: "},
		"key":      {whatif("pairs", `{"several": 2}`), "request: "},
		"type":     {whatif("sets", `{"several": "2"}`), "several: it must not be a string"},
		"value":    {whatif("pairs", `{"among": 1}`), "among: "},
	} {
		t.Run(name, func(t *testing.T) {
			f := get[wire.Failure](c, x.request)
			must.Equal(t, f.Kind, "setting", f.Message, x.want)
			must.Equal(t, strings.HasPrefix(f.Message, x.want), true, f.Kind, f.Message, x.want)
		})
	}
	donor := whatif("whatif", "{}")
	donor.Donor = bag.Handle
	report := get[wire.Document](c, donor)
	var got ask.TurnAnswer
	must.Do(t, json.Unmarshal(report.Bytes, &got))
	must.Equal(t, got.Donor.Instances, 4, report.Bytes)
}
