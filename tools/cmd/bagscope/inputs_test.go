package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

func writeTemp(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(file, data, 0o644))
	return file
}

// pngBytes returns a picture that is dark in its left half and white in its right.
func pngBytes(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := width / 2; x < width; x++ {
			img.SetGray(x, y, color.Gray{255})
		}
	}
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, img))
	return b.Bytes()
}

// TestInputs reads bags of every kind for a model of 28 by 28 pixels, and counts their instances.
func TestInputs(t *testing.T) {
	folder := t.TempDir()
	for i := range 3 {
		must.Do(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.png", i)), pngBytes(t, 28,
			28), 0o644))
	}
	picture := writeTemp(t, "picture.png", pngBytes(t, 112, 56))
	var table strings.Builder
	for i := range 5 {
		fmt.Fprintf(&table, "%s%s\n", []string{"first", "second"}[i/3], strings.Repeat(",0.5", 784))
	}
	csv := writeTemp(t, "table.csv", []byte("bag"+strings.Repeat(",f", 784)+"\n"+table.String()))
	var npy bytes.Buffer
	must.Do(t, bagio.WriteNpy(&npy, []int{1, 1, 28, 28}, make([]float32, 784)))
	single := writeTemp(t, "single.npy", npy.Bytes())
	dark := writeTemp(t, "card.json", []byte(`{"patch":{"size":28,"background":200}}`))
	for _, c := range []struct {
		bag, flags string
		name       string
		instances  int
	}{
		{folder, "", filepath.Base(folder), 3},
		{picture, "", "picture", 8},
		{picture, "--patch-size 28 --stride 14", "picture", 21},
		{picture, "--background 200", "picture", 4},
		{picture, "--card " + dark, "picture", 4},
		{picture, "--background 0 --card " + dark, "picture", 8},
		{csv, "", "first", 3},
		{csv, "--index 1", "second", 2},
		{single, "", "single", 1},
	} {
		t.Run(c.bag, func(t *testing.T) {
			var p ask.Prediction
			clitest.Decode(t, succeed(t, append([]string{"predict", "--json", "--model",
				exampleModel, "--bag", c.bag}, strings.Fields(c.flags)...)...), &p)
			must.Equal(t, p.Bag.Name, c.name, c.flags, p.Bag)
			must.Equal(t, p.Bag.Instances, c.instances, c.flags, p.Bag)
		})
	}
	// A bag of one instance has no proper coalition; each method still answers.
	var x ask.Explanation
	clitest.Decode(t, succeed(t, "explain", "--json", "--method", "all", "--model", exampleModel,
		"--bag", single), &x)
	must.Equal(t, len(x.Explanations), 4*len(methods.All()))
	must.Equal(t, x.Evaluations, 1)
}

// TestBrokenFiles: a file that cannot be used fails in one line, and never as an answer.
func TestBrokenFiles(t *testing.T) {
	model := must.Get(os.ReadFile(exampleModel))(t)
	bags := must.Get(os.ReadFile(exampleBags))(t)
	for name, data := range map[string][]byte{
		"empty.onnx": {}, "half.onnx": model[:len(model)/2], "text.onnx": []byte("not a model"),
		"empty.npz": {}, "half.npz": bags[:len(bags)/2], "zeros.npy": make([]byte, 100),
		"card.json": []byte("{"),
	} {
		t.Run(name, func(t *testing.T) {
			file := writeTemp(t, name, data)
			args := []string{"predict", "--model", exampleModel, "--bag", file}
			switch filepath.Ext(name) {
			case ".onnx":
				args = []string{"inspect", "--model", file}
			case ".json":
				args = []string{"inspect", "--model", exampleModel, "--card", file}
			}
			code, out, errors := bagscope(t, args...)
			if code != cli.ExitFailed || out != "" || strings.Count(errors, "\n") != 1 ||
				len(errors) < 20 {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q", name, code, out, errors)
			}
		})
	}
}

// TestUnavailable: a method that a model cannot serve fails when it was named, and is listed
// under all.
func TestUnavailable(t *testing.T) {
	at := []string{"explain", "--json", "--model",
		testfile.Path(t, "models/zoo/deepsets_mean/model.onnx"), "--bag", testfile.Path(t,
			"models/zoo/deepsets_mean/bag_5.npy"), "--method"}
	if code, out, errors := bagscope(t, append(at, "inherent")...); code != cli.ExitFailed ||
		out != "" || !strings.Contains(errors, "inherent") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errors)
	}
	var x ask.Explanation
	clitest.Decode(t, succeed(t, append(at, "all")...), &x)
	if len(x.Skipped) != 1 || x.Skipped[0].Method != "inherent" || x.Skipped[0].Reason == "" ||
		len(x.Explanations) == 0 {
		t.Errorf("skipped %+v of %d explanations", x.Skipped, len(x.Explanations))
	}
}
