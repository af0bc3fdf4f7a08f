package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestFoldsOfRequests explains registered models, whose names a request has, as one.
func TestFoldsOfRequests(t *testing.T) {
	models := must.Get(OpenModels(digits+"/folds", Limits{}, Processor{}))(t)
	_, url := serve(t, Options{Models: models})
	bag := part{"bag", "bags.npz", load(t, digits+"/bags.npz")}
	name := func(n string) part { return part{"model", "", []byte("fold" + n)} }
	request := part{"request", "", []byte(`{"methods": ["one_removed"], "mean": "prob"}`)}
	status, _, body := post(t, url+"/v1/explain", "", name("0"), name("3"), bag, request)
	must.Equal(t, status, http.StatusOK, string(body))
	var e ask.Explanation
	must.Do(t, json.Unmarshal(body, &e))
	must.Equal(t, len(e.Folds), 2)
	must.Equal(t, e.Folds[1].Name, "fold3.onnx")
	must.Equal(t, e.Prediction[0], (e.Folds[0].Prediction[0]+e.Folds[1].Prediction[0])/2)
	must.Equal(t, len(e.Explanations[0].Folds.Between), len(e.Explanations[0].Scores))

	status, _, body = post(t, url+"/v1/predict", "", name("0"), name("3"), bag)
	must.Equal(t, status, http.StatusOK, string(body))
	var p ask.Prediction
	must.Do(t, json.Unmarshal(body, &p))
	must.Equal(t, len(p.Folds), 2)

	for want, parts := range map[string][]part{
		"there is one":   {name("1"), bag, request},
		"does not exist": {name("1"), name("9"), bag},
		"a file and a name": {name("1"), part{"model", "m.onnx", load(t, digits+"/model.onnx")},
			bag},
	} {
		status, _, body := post(t, url+"/v1/explain", "", parts...)
		must.Equal(t, status == http.StatusOK, false, want)
		must.Contain(t, string(body), want)
	}
}
