package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestPublishedBesideModels opens a folder of models: the configuration beside them is read for the
// model that takes such pictures, and not for the head of features.
func TestPublishedBesideModels(t *testing.T) {
	folder := t.TempDir()
	for name, data := range map[string][]byte{"head.onnx": ot.MeanHead(3).Bytes(),
		"means.onnx":         ot.MeanEncoder(16).Bytes(),
		"head.bagscope.json": []byte(`{"encoder": "means.onnx", "patch": {"mpp": 1}}`),
		"other.onnx":         ot.MeanHead(3).Bytes(),
		"config.json": []byte(`{"pretrained_cfg": {"input_size": [3, 16, 16], "mean": [0.5],
			"std": [0.25]}}`)} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	models := must.Get(OpenModels(folder, Limits{}, Processor{}))(t)
	must.Equal(t, len(models.Skipped()) <= 0, true, models.Skipped())
	for _, name := range []string{"head", "other"} {
		must.Equal(t, models.byName[name].engine.Card().Preprocess == nil, true, name)
	}
	e := must.Get(models.encoders["means.onnx"](nil))(t)
	if p := e.Card().Preprocess; p == nil || p.Mean[0] != 0.5 || p.Std[0] != 0.25 {
		t.Errorf("encoder: %+v", p)
	}
}
