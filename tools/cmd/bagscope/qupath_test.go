package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestQuPathScript does with an export what the guide's script for QuPath does: it takes the first
// measurement of the first tile, and the largest distance of all from 0. That measurement must be
// a score, because standard errors are measurements, too.
func TestQuPathScript(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../../www/docs/qupath.md"))(t))
	script := regexp.MustCompile("(?s)```groovy\n(.*?)```").FindStringSubmatch(guide)[1]
	for _, reads := range []string{"getTileObjects()[0].measurementList.names[0]",
		"it.measurementList.get(name)"} {
		must.Contain(t, script, reads)
	}
	file := filepath.Join(t.TempDir(), "a.geojson")
	succeed(t, "explain", "--model", writeTemp(t, "head.onnx", slideHead(3)), "--encoder",
		meanEncoder(t), "--bag", smallSlide, "--mpp", "1", "--method", "consensus",
		"--geojson", file)
	var got struct {
		Features []struct {
			Properties struct {
				ObjectType   string
				Measurements json.RawMessage
			}
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(file))(t), &got))
	must.Equal(t, len(got.Features) > 1, true)
	name := regexp.MustCompile(`"(.*?)":`).FindStringSubmatch(
		string(got.Features[0].Properties.Measurements))[1]
	must.Equal(t, strings.HasPrefix(name, "consensus: "), true, name)
	var sizes []float64
	for _, f := range got.Features {
		must.Equal(t, f.Properties.ObjectType, "tile")
		values := map[string]float64{}
		must.Do(t, json.Unmarshal(f.Properties.Measurements, &values))
		score, ok := values[name]
		must.Equal(t, ok, true, values)
		sizes = append(sizes, math.Abs(score))
	}
	must.Equal(t, slices.Max(sizes) > 0, true)
}
