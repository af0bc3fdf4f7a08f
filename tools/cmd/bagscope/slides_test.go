package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestExplainSlideNotesPixels says before patches are encoded that no card states the
// preprocessing.
func TestExplainSlideNotesPixels(t *testing.T) {
	args := []string{"predict", "--model", writeTemp(t, "head.onnx", ot.MeanHead(3).Bytes()),
		"--bag", smallSlide, "--mpp", "1", "--encoder",
		writeTemp(t, "means.onnx", ot.MeanEncoder(16).Bytes())}
	var stdout, stderr strings.Builder
	must.Equal(t, program.Run(t.Context(), args, &stdout, &stderr), 0)
	for _, shown := range []string{stdout.String(), stderr.String()} {
		must.Contain(t, shown, "states no preprocessing")
	}
}

// slideHead returns a model of n features: the mean over a bag, as the score of one class.
func slideHead(n int) []byte {
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = .01 * float32(i+1)
	}
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", n)}, Outputs: []ot.Value{ot.In("y", 1)},
		Initializers: []ot.Tensor{ot.F("w", weights, n, 1)},
		Nodes: ot.Nodes(`h = MatMul(x, w); m = ReduceMean<axes=[0], keepdims=0>(h)
			y = Sigmoid(m)`),
	}.Bytes()
}

// explainedSlide is what the tests read of an explanation.
type explainedSlide struct {
	Bag          struct{ Instances int }
	Slide        map[string]any
	Boxes        [][4]int
	Prediction   []float64
	Explanations []struct{ Scores []float64 }
	Notes        []string
}

// TestExplainSlide explains a slide by an encoder and a model of features: the result is that of
// the file which tiles writes, with the slide behind the picture.
func TestExplainSlide(t *testing.T) {
	head := writeTemp(t, "head.onnx", slideHead(3))
	cut := []string{"--mpp", "1", "--min-tissue", ".1", "--encoder", meanEncoder(t)}
	file, drawn := filepath.Join(t.TempDir(), "bag.h5"), filepath.Join(t.TempDir(), "map.png")
	places := filepath.Join(t.TempDir(), "map.geojson")
	succeed(t, append([]string{"tiles", smallSlide, "--out", file}, cut...)...)
	var got, want explainedSlide
	explain := []string{"explain", "--model", head, "--method", "one_removed", "--json", "--bag"}
	clitest.Decode(t, succeed(t, append(explain, file)...), &want)
	clitest.Decode(t, succeed(t, append(append(explain, smallSlide, "--png", drawn, "--geojson",
		places), cut...)...), &got)
	if got.Bag.Instances == 0 || got.Bag != want.Bag || len(got.Boxes) != got.Bag.Instances ||
		got.Slide["mpp"] != .5 || got.Slide["patch_size"] != 32. {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i, v := range want.Explanations[0].Scores {
		must.Equal(t, math.Abs(v-got.Explanations[0].Scores[i]) <= 1e-9, true, i, got.Boxes[i],
			got.Explanations[0].Scores[i], v)
		must.Equal(t, got.Boxes[i], want.Boxes[i], i, got.Explanations[0].Scores[i], v)
	}
	if !strings.Contains(strings.Join(got.Notes, "\n"),
		"encoded by means.onnx; tissue: saturation") {
		t.Errorf("notes %q", got.Notes)
	}
	f := must.Get(os.Open(drawn))(t)
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Height <= 200 { // a map has the slide's shape
		t.Errorf("%+v, %v", c, err)
	}
	if data, err := os.ReadFile(places); err != nil || !json.Valid(data) {
		t.Error(err)
	}
}

// TestExplainMap writes the heat map of a slide in its three forms.
func TestExplainMap(t *testing.T) {
	head, folder := writeTemp(t, "head.onnx", slideHead(3)), t.TempDir()
	explain := []string{"explain", "--model", head, "--method", "one_removed", "--json", "--bag",
		smallSlide, "--mpp", "1", "--encoder", meanEncoder(t), "--map"}
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"map.ome.tif", "map.dzi", "map.zip"} {
		succeed(t, append(explain, at(name))...)
	}
	data := must.Get(os.ReadFile(at("map.ome.tif")))(t)
	must.Equal(t, bytes.HasPrefix(data, []byte("II+")), true, data[:16])
	must.Equal(t, bytes.Contains(data, []byte(`PhysicalSizeX="1"`)), true, data[:16])
	inFolder, err := fs.Glob(os.DirFS(folder), "map_files/*/*.png")
	must.Do(t, err, len(inFolder))
	must.Equal(t, len(inFolder) != 0, true, len(inFolder))
	z := must.Get(zip.OpenReader(at("map.zip")))(t)
	defer z.Close()
	must.Equal(t, len(z.File), len(inFolder)+1, len(inFolder))
	for _, f := range z.File {
		want := must.Get(os.ReadFile(at(f.Name)))(t)
		got, err := fs.ReadFile(z, f.Name)
		must.Do(t, err, f.Name)
		must.EqualSlices(t, got, want, f.Name)
	}
	// Temporary folders are gone, and a second map does not mix with the first.
	must.Equal(t, len(must.Get(os.ReadDir(folder))(t)), 4)
	for name, want := range map[string]string{"map.dzi": "map_files exists",
		"map.png": "name a file .ome.tif"} {
		code, _, errors := bagscope(t, append(explain, at(name))...)
		must.Equal(t, code, cli.ExitUsage, name)
		must.Contain(t, errors, want)
	}
}

// encoderAndHead returns one model with the layers of meanEncoder and of slideHead(3).
func encoderAndHead() ot.Model {
	return ot.Model{
		Opset: 13, Metadata: rawPixels, Inputs: []ot.Value{ot.In("pictures", "n", 3, 16, 16)},
		Outputs:      []ot.Value{ot.In("y", 1)},
		Initializers: []ot.Tensor{ot.F("w", []float32{.01, .02, .03}, 3, 1)},
		Nodes: ot.Nodes(`x = ReduceMean<axes=[2, 3], keepdims=0>(pictures); h = MatMul(x, w)
			m = ReduceMean<axes=[0], keepdims=0>(h); y = Sigmoid(m)`),
	}
}

// TestOneFileEncodesSlide explains a slide by one file with the encoder and the pooling model: the
// result is that of two files. Without microns, the slide is a picture.
func TestOneFileEncodesSlide(t *testing.T) {
	one := writeTemp(t, "one.onnx", encoderAndHead().Bytes())
	explain := func(args ...string) (x explainedSlide) {
		clitest.Decode(t, succeed(t, append([]string{"explain", "--method", "one_removed", "--json",
			"--bag", smallSlide, "--mpp", "1", "--model"}, args...)...), &x)
		return x
	}
	want := explain(writeTemp(t, "head.onnx", slideHead(3)), "--encoder", meanEncoder(t))
	got := explain(one)
	must.Equal(t, len(got.Boxes) != 0, true, len(got.Boxes), len(want.Boxes))
	must.EqualSlices(t, got.Boxes, want.Boxes, len(got.Boxes), len(want.Boxes))
	for i, v := range want.Explanations[0].Scores {
		must.Equal(t, math.Abs(v-got.Explanations[0].Scores[i]) <= 1e-7, true, i,
			got.Explanations[0].Scores[i], v)
	}
	if !strings.Contains(strings.Join(got.Notes, "\n"),
		"The model's own layers encode the patches") {
		t.Errorf("notes %q", got.Notes)
	}
	picture := succeed(t, "explain", "--method", "one_removed", "--json", "--bag", smallSlide,
		"--model", one)
	if !strings.Contains(picture, `"boxes":`) || strings.Contains(picture, "layers encode") {
		t.Errorf("the picture was encoded as a slide")
	}
}

// headWithEncoder writes a model of three features. Its card names the encoder beside it, and a
// grid.
func headWithEncoder(t *testing.T) (path string) {
	t.Helper()
	folder := t.TempDir()
	for name, data := range map[string]string{"head.onnx": string(slideHead(3)),
		"head.bagscope.json": `{"encoder": "means.onnx", "patch": {"mpp": 1}}`} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600))
	}
	encoder := must.Get(os.ReadFile(meanEncoder(t)))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, "means.onnx"), encoder, 0o600))
	return filepath.Join(folder, "head.onnx")
}

// TestEncoderOfCard finds the encoder that the model card names beside the model, and its grid.
func TestEncoderOfCard(t *testing.T) {
	head := headWithEncoder(t)
	for _, command := range []string{"predict --bag", "evaluate --limit 1 --method single --bags"} {
		out := succeed(t, append(strings.Fields(command), smallSlide, "--model", head, "--json")...)
		must.Equal(t, json.Valid([]byte(out)), true, command, out)
	}
	// Features need no encoder.
	bag := writeTemp(t, "bag.csv", []byte("bag,f1,f2,f3\na,1,2,3\n"))
	succeed(t, "predict", "--model", head, "--bag", bag)
}

// TestEmbedSlide draws a slide, but writes no element: <bag-explainer> does not encode slides, and
// would show another bag. It refuses before the encoder is opened.
func TestEmbedSlide(t *testing.T) {
	head := headWithEncoder(t)
	whole := writeTemp(t, "whole.onnx", encoderAndHead().Bytes())
	other := writeTemp(t, "other.onnx", slideHead(3))
	embed := []string{"embed", "--method", "single", "--model"}
	picture := succeed(t, append(embed, head, "--bag", smallSlide)...)
	must.Contain(t, picture, "<img")
	must.Do(t, os.Remove(filepath.Join(filepath.Dir(head), "means.onnx")))
	card := filepath.Join(filepath.Dir(head), "head.bagscope.json")
	urls := []string{"--model-url", "m", "--bag-url", "b", "--card-url", "c"}
	grid := writeTemp(t, "grid.json", []byte(`{"patch": {"mpp": 1}}`))
	for name, args := range map[string][]string{
		"named in the card":      {head, "--bag", smallSlide},
		"named in another card":  {other, "--card", card, "--bag", smallSlide},
		"contained in the model": {whole, "--card", grid, "--bag", smallSlide},
	} {
		code, out, problem := bagscope(t, slices.Concat(embed, args, urls)...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(problem, "bagscope tiles") {
			t.Errorf("encoder %s: exit code %d, %q, %q", name, code, out, problem)
		}
	}
	bag := writeTemp(t, "bag.csv", []byte("bag,f1,f2,f3\na,1,2,3\n"))
	page := succeed(t, slices.Concat(embed, []string{head, "--bag", bag}, urls)...)
	must.Contain(t, page, "<bag-explainer")
}

// TestSlideErrors checks the words of what does not fit together.
func TestSlideErrors(t *testing.T) {
	two, three := writeTemp(t, "two.onnx", slideHead(2)), writeTemp(t, "three.onnx", slideHead(3))
	bag := writeTemp(t, "bag.csv", []byte("bag,f1,f2,f3\na,1,2,3\n"))
	encoder := meanEncoder(t)
	for _, c := range []struct{ args, want string }{
		{two + " --bag " + smallSlide + " --mpp 1",
			"returns 3 features of a patch, but the model takes"},
		{three + " --bag " + bag, "--encoder encodes whole slides, but bag.csv is none"},
		{three + " --bag " + smallSlide, "state the microns"},
		{three + " --bag " + smallSlide + " --mpp 1 --stride 3", "--stride: it is for pictures"},
		{three + " --bag " + smallSlide + " --mpp 1 --background 3",
			"--background: it is for pictures"},
	} {
		code, _, errors := bagscope(t, append([]string{"predict", "--encoder", encoder, "--model"},
			strings.Fields(c.args)...)...)
		must.Equal(t, code, cli.ExitUsage, c.args)
		must.Contain(t, errors, c.want)
	}
}
