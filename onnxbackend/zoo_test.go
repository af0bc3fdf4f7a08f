package onnxbackend_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// zooTolerance is relative to the largest element of an output; PyTorch made the expected values.
const zooTolerance = 1e-4

func TestZooOutputs(t *testing.T) {
	enginetest.EachZooBag(t, func(t *testing.T, m *Model, dir, size string, bag *core.Bag) {
		p := must.Get(m.Predict(context.Background(), bag))(t)
		for _, out := range p.Outputs {
			data := must.Get(os.ReadFile(filepath.Join(dir, out.Name+"_"+size+".npy")))(t)
			_, want := enginetest.ParseNpy(t, data)
			enginetest.CheckNear(t, out.Name, out.Data, want, zooTolerance)
		}
		if want := p.Outputs[0]; want.Name != "logits" || len(p.Scores) != len(want.Data) {
			t.Errorf("scores %v are not output %q", p.Scores, want.Name)
		}
	})
}

// TestZooAttention reads instance scores by class from an output whose file names both axes alike,
// and from one with the classes first.
func TestZooAttention(t *testing.T) {
	for _, c := range []struct {
		model, size string
		classFirst  bool
	}{{"dsmil_critical", "20", false}, {"clam_branches", "30", true}} {
		t.Run(c.model, func(t *testing.T) {
			dir := "models/zoo/" + c.model
			m := enginetest.OpenTestFile(t, Options{Card: []byte(`{"inherent": "aux0"}`)},
				dir+"/model.onnx")
			bag := enginetest.NpyBag(t, testfile.Read(t, dir+"/bag_"+c.size+".npy"), 0)
			_, all := enginetest.ParseNpy(t, testfile.Read(t, dir+"/aux0_"+c.size+".npy"))
			ev := must.Get(m.Bind(context.Background(), bag))(t)
			k, classes := bag.Len(), ev.Task().Classes
			for class := range classes {
				got := must.Get(ev.(*Bound).Attention(context.Background(), class))(t)
				var want []float64
				for i := range k {
					at := i*classes + class
					if c.classFirst {
						at = class*k + i
					}
					want = append(want, all[at])
				}
				enginetest.CheckNear(t, "attention", got, want, zooTolerance)
			}
		})
	}
}
