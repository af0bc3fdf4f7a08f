package cohort

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestPublishedBesideEncoder opens an encoder with the configuration of timm beside it, as the
// command does. Another configuration gives another hash; with a card of its own it has no effect.
func TestPublishedBesideEncoder(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("head.onnx", string(ot.MeanHead(3).Bytes()))
	write("head.bagscope.json", `{"encoder": "means.onnx", "patch": {"mpp": 1}}`)
	encoder := ot.MeanEncoder(16)
	encoder.Metadata = nil
	write("means.onnx", string(encoder.Bytes()))
	open := func() *model {
		return must.Get(loadModel(t.Context(), filepath.Join(folder, "head.onnx")))(t)
	}
	plain := open()
	write("config.json", `{"pretrained_cfg": {"input_size": [3, 16, 16], "mean": [0.5],
		"std": [0.25], "crop_pct": 1}}`)
	published := open()
	p := published.encoder.Card().Preprocess
	if plain.hash == published.hash || p == nil || p.Mean[0] != 0.5 || p.Std[0] != 0.25 {
		t.Errorf("preprocessing %+v, hashes %s, %s", p, plain.hash, published.hash)
	}
	write("means.bagscope.json", `{"preprocess": {"scale": 1}}`)
	if p := open().encoder.Card().Preprocess; p == nil || p.Scale != 1 {
		t.Errorf("with a card: %+v", p)
	}
	must.Do(t, os.Remove(filepath.Join(folder, "means.bagscope.json")))
	must.Do(t, os.Remove(filepath.Join(folder, "config.json")))
	must.Do(t, os.Mkdir(filepath.Join(folder, "config.json"), 0o755))
	must.Equal(t, open().hash, plain.hash, "a folder of the name of a configuration has an effect")
}

// TestFromFolder follows paths from the folder of a model, also in a bucket.
func TestFromFolder(t *testing.T) {
	for _, c := range [][3]string{
		{"gs://b/onnx/m.onnx", "../config.json", "gs://b/config.json"},
		{"gs://b/m.onnx", "config.json", "gs://b/config.json"},
		{filepath.Join("a", "m.onnx"), "config.json", filepath.Join("a", "config.json")},
	} {
		must.Equal(t, fromFolder(c[0], c[1]), c[2], c[1], c[0])
	}
}
