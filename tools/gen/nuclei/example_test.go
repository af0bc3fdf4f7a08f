package main

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(example, name)))(t)
}

// TestHashes holds the bundled files to the README.
func TestHashes(t *testing.T) {
	readme := string(read(t, "README.md"))
	for _, name := range []string{"CMU-1-Small-Region.svs", "model.onnx"} {
		sum := sha256.Sum256(read(t, name))
		must.Contain(t, readme, hex.EncodeToString(sum[:]))
	}
}

// TestMapFindsNuclei explains the patches of the regions of the slide that training, choices and
// test took, and compares the map with the truth. The README states the same figures.
func TestMapFindsNuclei(t *testing.T) {
	model := must.Get(onnxbackend.Open(read(t, "model.onnx"), onnxbackend.Options{}))(t)
	file := read(t, "CMU-1-Small-Region.svs")
	s := must.Get(slide.Open("slide.svs", strings.NewReader(string(file)), int64(len(file))))(t)
	laid := must.Get(patches.Open(t.Context(), "slide", s,
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 27,
			Microns: model.Card().Patch.Microns}}))(t)
	whole := must.Get(laid.Bag(t.Context(), 0, laid.Len()))(t)
	regions, _, err := geojson.Read("truth.geojson", read(t, "truth.geojson"))
	must.Do(t, err)
	whole.Labels = must.Get(geojson.InsideLabels(whole, regions, []string{"many nuclei"}))(t)
	for _, c := range []struct {
		name        string
		top, bottom int // lines of level 0 between which patches lie
		least       float64
	}{
		{"train", 0, 1782, .7},
		{"validation", 1782, 2214, .7},
		{"test", 2214, 2970, .7},
		{"whole slide", 0, 2970, .7},
	} {
		t.Run(c.name, func(t *testing.T) {
			var keep []int
			for i, box := range whole.Boxes {
				if box.Min.Y >= c.top && box.Max.Y <= c.bottom {
					keep = append(keep, i)
				}
			}
			bag := whole.Select(keep)
			methods := must.Get(methods.New([]string{"consensus"}, methods.Options{}))(t)
			ev := must.Get(model.Bind(t.Context(), bag))(t)
			report := must.Get(core.Explain(t.Context(), ev, core.Request{Methods: methods,
				Classes: []int{1}}))(t)
			rel := metric.Relevances(bag.Labels, model.Card().Truth, 1, 0, false)
			order := core.Order(report.Explanations[0].Scores, rand.New(rand.NewPCG(1, 2)))
			got, _ := metric.NDCG(order, rel)
			random, mean := rand.New(rand.NewPCG(3, 4)), 0.
			const orders = 200
			for range orders {
				random.Shuffle(len(order), func(i, j int) {
					order[i], order[j] = order[j], order[i]
				})
				value, _ := metric.NDCG(order, rel)
				mean += value / orders
			}
			t.Logf("%d patches: NDCG@n %.3f, random %.3f", bag.Len(), got, mean)
			must.Equal(t, got >= c.least, true, got, mean)
			must.Equal(t, mean <= .4, true, got, mean)
		})
	}
}
