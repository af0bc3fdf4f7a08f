package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// Files of features with places: five instances on a falling diagonal.
var (
	featureModel = "../../../testdata/corpus/features.onnx"
	placedBag    = "../../../core/bagio/testdata/torch/dict.pt"
	plainBag     = "../../../core/bagio/testdata/torch/f32.pt"
)

// outline is an annotation around the instances 1 and 2, and another one around instance 4.
const outline = `{"type":"FeatureCollection","features":[
{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[200,-100],[800,-100],[800,600],
[200,600],[200,-100]]]},"properties":{"objectType":"annotation","classification":{"name":"Tumor"}}},
{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1000,-600],[1400,-600],[1400,0],
[1000,0],[1000,-600]]]},"properties":{"objectType":"annotation","classification":{"name":"Stroma"}}}
]}`

// TestExplainRegion explains the instances inside an annotation: every form of the output keeps
// their positions in the file and has their places.
func TestExplainRegion(t *testing.T) {
	region := writeTemp(t, "region.geojson", []byte(outline))
	table, shapes := filepath.Join(t.TempDir(), "t.csv"), filepath.Join(t.TempDir(), "t.geojson")
	at := []string{"explain", "--model", featureModel, "--bag", placedBag, "--region", region,
		"--annotation-class", "Tumor", "--method", "single", "--csv", table, "--geojson", shapes}
	var got struct {
		Bag     struct{ Instances int }
		Without []int
		Boxes   [][4]int
		Slide   struct {
			PatchSize int `json:"patch_size"`
			Origin    string
		}
		Explanations []struct{ Scores []float64 }
	}
	clitest.Decode(t, succeed(t, append(at, "--json")...), &got)
	if got.Bag.Instances != 5 || !slices.Equal(got.Without, []int{0, 3, 4}) ||
		len(got.Explanations[0].Scores) != 2 || got.Slide.PatchSize != 256 ||
		got.Slide.Origin != "canvas" ||
		!slices.Equal(got.Boxes, [][4]int{{256, 256, 512, 512}, {512, 0, 768, 256}}) {
		t.Errorf("the JSON is %+v", got)
	}
	f := must.Get(os.Open(table))(t)
	defer f.Close()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	if last := rows[2]; last[3] != "2" || !slices.Equal(last[12:], []string{"512", "0", "768",
		"256", "canvas"}) ||
		!slices.Equal(rows[0][12:], []string{"x0", "y0", "x1", "y1", "origin"}) {
		t.Errorf("the table begins with %v", rows[:3])
	}
	data := must.Get(os.ReadFile(shapes))(t)
	var places struct {
		Features []struct {
			Geometry   struct{ Coordinates [][][2]int }
			Properties struct {
				Name         string
				Measurements map[string]float64
			}
		}
	}
	must.Do(t, json.Unmarshal(data, &places))
	must.Equal(t, len(places.Features), 2, places.Features)
	must.Equal(t, places.Features[1].Properties.Name, "instance 2", places.Features)
	must.Equal(t, places.Features[1].Geometry.Coordinates[0][0], [2]int{512, 0}, places.Features)
	must.Equal(t, len(places.Features[0].Properties.Measurements), 3, places.Features)
	must.Contain(t, succeed(t, at...), "2 of 5 patches")
}

// TestEvaluateAnnotations evaluates with annotations as labels: an order by the truth is perfect.
func TestEvaluateAnnotations(t *testing.T) {
	truth := writeTemp(t, "truth.geojson", []byte(outline))
	var s clitest.Statistics
	clitest.Decode(t, succeed(t, "evaluate", "--model", featureModel, "--bags", placedBag,
		"--annotations", truth, "--annotation-class", "Tumor", "--annotation-class", "Stroma",
		"--method", "single", "--metrics", "ndcg", "--json"), &s)
	if oracle := s.Stat(t, "oracle", "ndcg"); oracle.N != 2 || oracle.Mean != 1 {
		t.Errorf("NDCG of the truth is %+v", oracle)
	}
	if single := s.Stat(t, "single", "ndcg"); !(single.Mean > 0 && single.Mean < 1) {
		t.Errorf("NDCG of single is %+v", single)
	}
}

// refused returns what a command line that fails prints to stderr.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	code, out, text := bagscope(t, args...)
	must.Equal(t, code != 0, true, code, out)
	must.Equal(t, out, "", code)
	return text
}

// TestAnnotationErrors checks what cannot be used, in words.
func TestAnnotationErrors(t *testing.T) {
	region := writeTemp(t, "region.geojson", []byte(outline))
	far := writeTemp(t, "far.geojson", []byte(`{"type":"Feature","geometry":{"type":"Polygon",
"coordinates":[[[9000,9000],[9100,9000],[9100,9100]]]},"properties":{}}`))
	point := writeTemp(t, "point.geojson", []byte(
		`{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}`))
	for _, c := range []struct {
		name, bag, want string
		more            []string
	}{
		{"no places", plainBag, "its instances have no places", []string{"--region", region}},
		{"no places for a file", plainBag, "its instances have no places",
			[]string{"--geojson", filepath.Join(t.TempDir(), "x.geojson")}},
		{"nothing inside", placedBag, "none of its instances lies inside",
			[]string{"--region", far}},
		{"no polygon", placedBag, "it has no annotation with a polygon",
			[]string{"--region", point}},
		{"unknown class", placedBag, `it has "Tumor", "Stroma"`,
			[]string{"--region", region, "--annotation-class", "tumour"}},
		{"class alone", placedBag, "--annotation-class needs --region",
			[]string{"--annotation-class", "Tumor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := refused(t, append([]string{"explain", "--model", featureModel, "--bag", c.bag,
				"--method", "single"}, c.more...)...)
			must.Contain(t, text, c.want)
		})
	}
	text := refused(t, "evaluate", "--model", featureModel, "--bags", placedBag, "--annotations",
		region)
	must.Contain(t, text, "in the order of the instance labels")
}
