package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestConceptsOfFile measures concepts that a file of vectors names; other questions take none.
func TestConceptsOfFile(t *testing.T) {
	model := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("x", "k", 2)},
		Outputs: []onnxtest.Value{onnxtest.In("y", 2)},
		Nodes:   onnxtest.Nodes("y = ReduceMean<axes=[0], keepdims=0>(x)")}.Bytes()
	bag := []byte("bag,f,g\na,3,0\na,0,8\na,1,0\n")
	_, url := serve(t, Options{})
	send := func(path, file, concepts string) (int, []byte) {
		status, _, body := post(t, url+path, "", part{"model", "m.onnx", model},
			part{"bag", "bag.csv", bag}, part{"concepts", file, []byte(concepts)})
		return status, body
	}
	silent := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("x", "n", 2)},
		Outputs: []onnxtest.Value{onnxtest.In("y", "n", 2)}, Nodes: onnxtest.Nodes("y = Neg(x)")}
	const names = "bag,f,g\nflat,9,0\nhigh,0,9\n"
	status, body := send("/v1/groups", "names.csv", names)
	must.Equal(t, status, http.StatusOK, string(body))
	var out ask.GroupsAnswer
	must.Do(t, json.Unmarshal(body, &out))
	must.EqualSlices(t, out.Groups[0], []int{0, 2})
	must.Equal(t, out.Concepts.List[1].Name, "high")
	for _, c := range []struct{ path, file, concepts, says string }{
		{"/v1/sets", "names.csv", names, "belongs to /v1/groups"},
		{"/v1/groups", "a.geojson", "[", "a.geojson"},
		{"/v1/groups", "codes.onnx", "no model", "ONNX"},
		{"/v1/groups", "codes.onnx", string(silent.Bytes()), "no instance has a code above 0"},
	} {
		status, body := send(c.path, c.file, c.concepts)
		must.Equal(t, status == http.StatusOK, false)
		must.Contain(t, string(body), c.says)
	}
}
