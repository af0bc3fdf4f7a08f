package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// corpusParts returns the form of a request about a file of the corpus.
func corpusParts(t *testing.T, c testfile.CorpusCase, more string) []part {
	t.Helper()
	var parts []part
	for name, path := range map[string]string{"model": c.Model, "bag": c.File} {
		data := must.Get(os.ReadFile(path))(t)
		parts = append(parts, part{name, filepath.Base(path), data})
	}
	return append(parts, part{name: "request", data: fmt.Appendf(nil,
		`{"array":%q,"index":%d%s}`, c.Array, c.Index, more)})
}

// TestCorpus reads the corpus by the server.
func TestCorpus(t *testing.T) {
	_, url := serve(t, Options{})
	testfile.Corpus(t, func(t *testing.T, c testfile.CorpusCase) ([]float64, int) {
		status, _, body := post(t, url+"/v1/predict", "", corpusParts(t, c, "")...)
		var p struct {
			Bag     struct{ Instances int }
			Classes []struct{ Score float64 }
		}
		must.Equal(t, status, 200, body)
		must.Do(t, json.Unmarshal(body, &p))
		var scores []float64
		for _, class := range p.Classes {
			scores = append(scores, class.Score)
		}
		return scores, p.Bag.Instances
	})
}

// TestExplainGeoJSON sends an explanation for QuPath to a client that accepts it, and refuses a bag
// without places before it computes.
func TestExplainGeoJSON(t *testing.T) {
	_, url := serve(t, Options{})
	c := testfile.CorpusCase{Model: testfile.Path(t, "corpus/features.onnx"),
		File: testfile.Path(t, "../core/bagio/testdata/torch/dict.pt")}
	parts := corpusParts(t, c, `,"methods":["single"]`)
	status, kind, body := post(t, url+"/v1/explain", geoJSON, parts...)
	var got struct {
		Type     string
		Features []struct {
			Geometry struct{ Coordinates [][][2]int }
		}
	}
	if err := json.Unmarshal(body, &got); err != nil || status != 200 || kind != geoJSON ||
		len(got.Features) != 5 || got.Features[1].Geometry.Coordinates[0][2] != [2]int{512, 512} {
		t.Errorf("status %d, %s: %v in %.300s", status, kind, err, body)
	}
	// Colours of the classifications are a choice, which other answers do not have.
	green := corpusParts(t, c, `,"methods":["single"],"colours":"green-red"`)
	if _, _, other := post(t, url+"/v1/explain", geoJSON, green...); bytes.Equal(other, body) ||
		!bytes.Contains(other, []byte(`"features"`)) {
		t.Errorf("green and red: %.300s", other)
	}
	status, kind, body = post(t, url+"/v1/explain", "", green...)
	wantProblem(t, "colours of JSON", status, kind, body, "setting", "JSON has no colours")
	status, kind, body = post(t, url+"/v1/explain", geoJSON,
		corpusParts(t, c, `,"methods":["single"],"colours":"mauve"`)...)
	wantProblem(t, "other colours", status, kind, body, "setting", "mauve")
	var plain struct {
		Boxes [][4]int
		Slide struct {
			PatchSize int `json:"patch_size"`
		}
	}
	status, kind, body = post(t, url+"/v1/explain", "", parts...)
	if err := json.Unmarshal(body, &plain); err != nil || status != 200 ||
		kind != "application/json" || len(plain.Boxes) != 5 || plain.Slide.PatchSize != 256 {
		t.Errorf("status %d, %s: %v in %.300s", status, kind, err, body)
	}
	c.File = testfile.Path(t, "corpus/bag.npy")
	status, kind, body = post(t, url+"/v1/explain", geoJSON,
		corpusParts(t, c, `,"methods":["single"],"budget":1`)...)
	wantProblem(t, "a bag without places", status, kind, body, "bag", "have no places")
}
