package train

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// TestExportedModelPredictsUnseenDigits trains on drawn digits for seconds and runs the exported
// file in the engine. Chance is right for a quarter of the bags.
func TestExportedModelPredictsUnseenDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("a training takes seconds")
	}
	const better = .6
	sizes := dataset.Options{Train: 240, Validation: 80, Test: 80}
	set := must.Get(dataset.Open("digits", "", sizes))(t)
	recipe := must.Get(network.For(network.MIAttn, set.Shape, len(set.Classes), set.Scale,
		network.Reference))(t)
	recipe.Rate, recipe.Dropout = 1e-3, 0
	recipe.Convolutions = []network.Kernel{{Maps: 8, Size: 5}, {Maps: 16, Size: 5}}
	recipe.Encoder, recipe.Head = []int{64}, []int{32}
	job := Job{Set: set, Kind: network.MIAttn, Repeat: 2, Out: t.TempDir(), Version: "test",
		Recipe: &recipe, Epochs: 18}
	report := must.Get(job.Run(t.Context()))(t)
	t.Log(report.History)
	file := must.Get(os.ReadFile(filepath.Join(job.Out, "digits", "2", "mi-attn.onnx")))(t)
	m := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
	split := must.Get(set.Split(2))(t)
	right := 0.0
	for _, e := range split.Test {
		bag := must.Get(e.Bag())(t)
		p := must.Get(m.Predict(t.Context(), bag))(t)
		scores := make([]float32, len(p.Scores))
		for c, v := range p.Scores {
			scores[c] = float32(v)
		}
		right += hit(core.ScaleLogits, scores, e.Target)
	}
	if accuracy := right / float64(len(split.Test)); accuracy != report.Test.Accuracy ||
		accuracy < better {
		t.Errorf("the exported file is right for %v of the bags and the network for %v; "+
			"want %v and more", accuracy, report.Test.Accuracy, better)
	}
	again := must.Get(job.Run(t.Context()))(t)
	must.Equal(t, again.Test, report.Test, again)
	job.Epochs++
	must.Fail(t, must.Err(job.Run(t.Context())))
}
