package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// TestFeatureFiles explains files of features in every way that the server reads them: sent, by a
// path, in a job's form, in a job's JSON, by a path in a job, and as GeoJSON. All have the same
// explanation.
func TestFeatureFiles(t *testing.T) {
	corpus, torch := testfile.Path(t, "corpus"), testfile.Path(t, "../core/bagio/testdata/torch")
	root := must.Get(os.OpenRoot(testfile.Path(t, "..")))(t)
	defer root.Close()
	limits := Limits{}.WithMemory()
	models := must.Get(OpenModels(corpus, limits, Processor{}))(t)
	_, url, _ := keeping(t, t.TempDir(), Options{Models: models, Bags: root, Limits: limits},
		jobs.Limits{})
	for _, c := range []struct {
		file, array string
		places      int // 0 for a file without coordinates
		side        int // of a patch at level 0
	}{
		{filepath.Join(corpus, "slide.h5"), "", 5, 256},
		{filepath.Join(corpus, "slide.h5"), "features", 5, 256},
		{filepath.Join(torch, "dict.pt"), "", 5, 256},
		{filepath.Join(torch, "legacy_dict.pt"), "features", 5, 256},
		{filepath.Join(torch, "clam.safetensors"), "", 5, 1024},
		{filepath.Join(torch, "nested.pt"), "slide/uni/features", 0, 0},
		{filepath.Join(torch, "two.pt"), "b", 0, 0},
		{filepath.Join(torch, "legacy_strided.pt"), "", 0, 0},
		{filepath.Join(torch, "bf16.pt"), "", 0, 0},
	} {
		t.Run(filepath.Base(c.file)+" "+c.array, func(t *testing.T) {
			request := fmt.Sprintf(`{"methods":["single"],"index":0,"array":%q}`, c.array)
			data := load(t, c.file)
			below := must.Get(filepath.Rel(root.Name(), c.file))(t)
			model := part{name: "model", data: []byte("features")}
			settings := part{name: "request", data: []byte(request)}
			sent := []part{model, {"bag", filepath.Base(c.file), data}, settings}
			path := []part{model, {name: "bag", data: []byte(below)}, settings}
			status, _, want := post(t, url+"/v1/explain", "", sent...)
			var x struct {
				Boxes [][4]int
				Bag   struct{ Instances int }
			}
			if err := json.Unmarshal(want, &x); err != nil || status != 200 ||
				x.Bag.Instances != 5 || len(x.Boxes) != c.places {
				t.Fatalf("status %d: %v, %.300s", status, err, want)
			}
			if c.places > 0 && x.Boxes[0][2]-x.Boxes[0][0] != c.side {
				t.Errorf("the patches are %v", x.Boxes)
			}
			// Notes name the file as the request does.
			same := func(way string, got []byte) {
				t.Helper()
				text := strings.TrimSpace(string(got))
				text = strings.ReplaceAll(text, below, filepath.Base(below))
				text = strings.ReplaceAll(text, "./", "")
				if text != strings.TrimSpace(string(want)) {
					t.Errorf("%s: %s\nwant %s", way, text, want)
				}
			}
			_, _, got := post(t, url+"/v1/explain", "", path...)
			same("a path", got)
			status, kind, body := post(t, url+"/v1/explain", geoJSON, path...)
			var places struct{ Features []json.RawMessage }
			if c.places == 0 {
				wantProblem(t, "GeoJSON", status, kind, body, "bag", "have no places")
			} else if err := json.Unmarshal(body, &places); err != nil || status != 200 ||
				len(places.Features) != c.places {
				t.Errorf("GeoJSON: status %d, %v: %.300s", status, err, body)
			}
			inJSON := func(bag string) string {
				status, body := postJob(t, url, fmt.Sprintf(
					`{"models":["features"],"bags":[%s],"request":%s}`, bag, request))
				var j jobs.Job
				must.Do(t, json.Unmarshal(body, &j))
				must.Equal(t, status, http.StatusAccepted, body)
				return j.ID
			}
			for way, id := range map[string]string{
				"a job's form":     addJob(t, url, sent...).ID,
				"a path in a form": addJob(t, url, path...).ID,
				"a job's JSON": inJSON(fmt.Sprintf(`{"file":%q,"data":%q}`, below,
					base64.StdEncoding.EncodeToString(data))),
				"a path in a job":   inJSON(fmt.Sprintf(`{"path":%q}`, below)),
				"a path, once more": inJSON(fmt.Sprintf(`{"path":%q}`, "./"+below)),
			} {
				ended(t, url, id)
				same(way, results(t, url, id)[0].Result)
			}
		})
	}
	status, kind, body := post(t, url+"/v1/explain", "", part{name: "model",
		data: []byte("features")}, part{"bag", "two.pt", load(t, filepath.Join(torch, "two.pt"))},
		part{name: "request", data: []byte(`{"array":"gone"}`)})
	wantProblem(t, "an unknown array", status, kind, body, "format", `no array "gone"`)
}

// postJob adds a job in JSON.
func postJob(t *testing.T, url, body string) (status int, answer []byte) {
	t.Helper()
	response := must.Get(http.Post(url+"/v1/jobs", "application/json", strings.NewReader(body)))(t)
	defer response.Body.Close()
	var raw json.RawMessage
	must.Do(t, json.NewDecoder(response.Body).Decode(&raw))
	return response.StatusCode, raw
}
