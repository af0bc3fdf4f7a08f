package server

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestTargetsOfRequests explains a vector by its likeness to those of a request.
func TestTargetsOfRequests(t *testing.T) {
	model := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("x", "k", 2)},
		Outputs:  []onnxtest.Value{onnxtest.In("e", 1, 2)},
		Nodes:    onnxtest.Nodes("e = ReduceMean<axes=[0]>(x)"),
		Metadata: map[string]string{"bagscope": `{"output": "embedding"}`}}.Bytes()
	bag := []byte("bag,f,g\na,3,0\na,3,8\n") // its mean is (3, 4)
	_, url := serve(t, Options{})
	for request, want := range map[string]string{
		`{}`:                                     "alike to what?",
		`{"target": {"b": [4, 3], "a": [0, 2]}}`: "",
		`{"target": {"b": [4, 3, 1]}}`:           "has vectors of 3 numbers",
		`{"likeness": "dot"}`:                    "holds no vector",
		`{"target": {"b": [0, 0]}}`:              "no direction",
	} {
		status, _, body := post(t, url+"/v1/explain", "", part{"model", "m.onnx", model},
			part{"bag", "bag.csv", bag}, part{"request", "", []byte(request)})
		if want != "" {
			must.Equal(t, status == http.StatusOK, false, request)
			must.Contain(t, string(body), want)
			continue
		}
		must.Equal(t, status, http.StatusOK, string(body))
		var out struct {
			Classes    []string
			Prediction []float64
		}
		must.Do(t, json.Unmarshal(body, &out))
		must.EqualSlices(t, out.Classes, []string{"a", "b"})
		for i, v := range []float64{4. / 5, 24. / 25} {
			if !(math.Abs(out.Prediction[i]-v) <= 1e-9) {
				t.Errorf("%v", out.Prediction)
			}
		}
	}
}
