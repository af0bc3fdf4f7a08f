package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
)

// wsinfer is a configuration of WSInfer for patches of 8 pixels of 2 µm, resized to 16 pixels.
const wsinfer = `{"spec_version": "1.0", "architecture": "means", "num_classes": 1,
	"class_names": ["tumour"], "patch_size_pixels": 8, "spacing_um_px": 2, "transform": [
	{"name": "Resize", "arguments": {"size": 16}}, {"name": "ToTensor"},
	{"name": "Normalize", "arguments": {"mean": [0.5, 0.25, 0.5], "std": [0.25, 0.5, 0.125]}}]}`

// sameCard is what wsinfer states, as a model card.
const sameCard = `{"classes": ["tumour"], "patch": {"size": 16, "mpp": 1}, "preprocess": {
	"scale": 0.00392156862745098, "mean": [0.5, 0.25, 0.5], "std": [0.25, 0.5, 0.125]}}`

// pictureModel writes a model that encodes pictures itself into a folder with other files.
func pictureModel(t *testing.T, files map[string]string) (path string) {
	t.Helper()
	folder := t.TempDir()
	m := encoderAndHead()
	m.Metadata = nil
	path = filepath.Join(folder, "onnx", "whole.onnx")
	must.Do(t, os.Mkdir(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, m.Bytes(), 0o600))
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(text), 0o600))
	}
	return path
}

// TestPublishedConfigurationBesideModel predicts a slide without a flag: the configuration beside
// the model, or named by --card, states what the same model card does.
func TestPublishedConfigurationBesideModel(t *testing.T) {
	predict := func(args ...string) (scores []float64, class string) {
		var got struct {
			Outputs map[string]struct{ Data []float64 }
			Classes []struct{ Name string }
		}
		clitest.Decode(t, succeed(t, append([]string{"predict", "--json", "--bag", smallSlide,
			"--model"}, args...)...), &got)
		must.Equal(t, len(got.Classes), 1)
		return got.Outputs["y"].Data, got.Classes[0].Name
	}
	want, _ := predict(pictureModel(t, map[string]string{"whole.bagscope.json": sameCard}))
	named := writeTemp(t, "anything.txt", []byte(wsinfer))
	for name, args := range map[string][]string{
		"config.json": {pictureModel(t, map[string]string{"config.json": wsinfer})},
		"its name":    {pictureModel(t, map[string]string{"whole.json": wsinfer})},
		"first counts": {pictureModel(t, map[string]string{"whole.json": wsinfer,
			"config.json": strings.Replace(wsinfer, "0.25", "0.75", 1)})},
		"above the folder": {pictureModel(t, map[string]string{"../config.json": wsinfer})},
		"--card":           {pictureModel(t, nil), "--card", named},
		"keys of a card win": {pictureModel(t, map[string]string{
			"config.json": strings.Replace(wsinfer, "{", `{"preprocess": {
				"scale": 0.00392156862745098, "mean": [0.5, 0.25, 0.5], "std": [0.25, 0.5, 0.125]},
				"version": "2.1", `, 1)})},
	} {
		got, class := predict(args...)
		if len(got) != 1 || got[0] != want[0] || class != "tumour" {
			t.Errorf("%s: %v for %q, want %v", name, got, class, want)
		}
	}
}

// TestPublishedConfigurationNotes says what is from a configuration, and which one is not read.
func TestPublishedConfigurationNotes(t *testing.T) {
	for name, c := range map[string]struct{ file, text, note string }{
		"read":          {"config.json", wsinfer, "a configuration of WSInfer"},
		"other classes": {"config.json", strings.ReplaceAll(wsinfer, `"tumour"]`, `"a", "b"]`), ""},
		"other pictures": {"config.json", `{"pretrained_cfg": {"input_size": [3, 224, 224],
			"mean": [0, 0, 0]}}`, "is not read: it states pictures of 224 x 224 pixels"},
		"other contents": {"config.json", `{"model_type": "llama"}`, ""},
		"broken JSON":    {"metadata.json", `{`, ""},
		"a crop": {"config.json", `{"pretrained_cfg": {"input_size": [3, 16, 16],
			"mean": [0, 0, 0], "crop_pct": 0.5}}`, "resizes pictures to 32 pixels"},
	} {
		if name == "other classes" {
			c.text = strings.Replace(c.text, `"num_classes": 1`, `"num_classes": 2`, 1)
			c.note = "names 2 classes, and the model has 1 scores"
		}
		t.Run(name, func(t *testing.T) {
			var read inspection.Description
			clitest.Decode(t, succeed(t, "inspect", "--json", "--model",
				pictureModel(t, map[string]string{c.file: c.text})), &read)
			if !strings.Contains(strings.Join(read.Notes, "\n"), c.note) ||
				c.note == "" && len(read.Notes) > 0 {
				t.Errorf("notes %q, want %q", read.Notes, c.note)
			}
		})
	}
}

// TestPublishedConfigurationOfEncoder says what a card of an encoder is from and what its patches
// do not undergo, whether it lies beside the encoder or is named.
func TestPublishedConfigurationOfEncoder(t *testing.T) {
	const cropped = `{"size": {"shortest_edge": 32}, "crop_size": {"height": 16, "width": 16},
		"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "resample": 3}`
	m := ot.MeanEncoder(16)
	alone := writeTemp(t, "means.onnx", m.Bytes())
	beside := filepath.Join(t.TempDir(), "means.onnx")
	must.Do(t, os.WriteFile(beside, m.Bytes(), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(beside), "preprocessor_config.json"),
		[]byte(cropped), 0o600))
	card := writeTemp(t, "card.json", []byte(cropped))
	head := writeTemp(t, "head.onnx", slideHead(3))
	out := filepath.Join(t.TempDir(), "bag.h5")
	for _, args := range [][]string{
		{"tiles", smallSlide, "--out", out, "--encoder", beside},
		{"predict", "--model", head, "--bag", smallSlide, "--encoder", beside},
		{"predict", "--model", head, "--bag", smallSlide, "--encoder", alone, "--encoder-card",
			card},
	} {
		must.Contain(t, noted(t, append(args, "--json", "--mpp", "1")...), "an image processor of "+
			"Hugging Face", "resizes pictures to 32 pixels", "by bicubic interpolation")
	}
}

// TestWrongPublishedConfiguration names the file and the key, and the way out works.
func TestWrongPublishedConfiguration(t *testing.T) {
	model := pictureModel(t, map[string]string{
		"config.json": strings.Replace(wsinfer, `"ToTensor"`, `"CenterCrop"`, 1)})
	code, _, problem := bagscope(t, "inspect", "--model", model)
	must.Equal(t, code, cli.ExitFailed, "exit code")
	must.Contain(t, problem, "config.json", `"transform.name"`, "state a model card instead")
	book := advice.Of(t)
	book.Read(t, problem, "state a model card instead")
	card := writeTemp(t, "card.json", []byte(sameCard))
	succeed(t, "inspect", "--model", model, "--card", card)
	model = pictureModel(t, map[string]string{
		"config.json": `{"input_size": [3, 16, 8], "mean": [0]}`})
	_, _, problem = bagscope(t, "inspect", "--model", model)
	book.Read(t, problem, "state the patches in a model card")
	succeed(t, "inspect", "--model", model, "--card", card)
}
