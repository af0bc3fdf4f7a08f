package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// digitSlices writes series as folders of slices that the model of the digits takes: 28 x 28 pixels
// of 16 bits. The attributes of each have the identifying ones.
func digitSlices(t *testing.T, series ...int) string {
	t.Helper()
	folder := t.TempDir()
	for s, slices := range series {
		for i := range slices {
			p := dicomtest.Slice(s+1, i+1, -2*float64(i))
			p.Width, p.Height, p.Pixels = 28, 28, make([]byte, 2*28*28)
			for at := 0; at < len(p.Pixels); at += 2 {
				p.Pixels[at] = byte(at * (i + 3) / 7)
			}
			place := p.More
			p.More = func(w *dicomtest.Writer) {
				if len(series) == 1 { // else the UIDs that tell series apart come first
					dicomtest.Identified(w)
				}
				place(w)
				dicomtest.Identified(w)
			}
			sub := filepath.Join(folder, fmt.Sprint("se", s))
			must.Do(t, os.MkdirAll(sub, 0o755))
			must.Do(t, os.WriteFile(filepath.Join(sub, fmt.Sprint(i)), p.File(), 0o644))
		}
	}
	return folder
}

// TestSeriesIsBag explains a folder of DICOM files, and finds no identifying value in any output.
func TestSeriesIsBag(t *testing.T) {
	folder := digitSlices(t, 5)
	out := t.TempDir()
	table, picture := filepath.Join(out, "t.csv"), filepath.Join(out, "t.png")
	on := []string{"--model", exampleModel, "--bag", folder}
	var got struct {
		Bag struct {
			Name      string
			Instances int
		}
		Notes []string
	}
	text := succeed(t, append([]string{"explain", "--method", "single", "--json", "--csv", table,
		"--png", picture}, on...)...)
	clitest.Decode(t, text, &got)
	if got.Bag.Instances != 5 || got.Bag.Name != filepath.Base(folder) ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "from feet to head, 2 mm apart") {
		t.Errorf("%+v", got)
	}
	outputs := map[string]string{"JSON": text,
		"table":   string(must.Get(os.ReadFile(table))(t)),
		"picture": string(must.Get(os.ReadFile(picture))(t)),
		"inspect": succeed(t, append([]string{"inspect"}, on...)...),
		"predict": succeed(t, append([]string{"predict"}, on...)...),
		"explain": succeed(t, append([]string{"explain", "--method", "single"}, on...)...),
		"embed":   succeed(t, append([]string{"embed", "--method", "single"}, on...)...)}
	for name, text := range outputs {
		must.Equal(t, text != "", true, name, text)
		must.Equal(t, strings.Contains(text, dicomtest.Marker), false, name, text)
	}
	must.Contain(t, outputs["inspect"], "from feet to head")
}

// TestSeveralSeriesOfFolder follows the error that lists the series of a folder.
func TestSeveralSeriesOfFolder(t *testing.T) {
	folder := digitSlices(t, 2, 4)
	on := []string{"predict", "--model", exampleModel, "--bag", folder}
	code, _, errText := bagscope(t, on...)
	if code == 0 || !strings.Contains(errText, "--series 2 if the bag is the CT series of 4") ||
		strings.Contains(errText, dicomtest.Marker) {
		t.Fatalf("%d: %s", code, errText)
	}
	must.Contain(t, succeed(t, append(on, "--series", "2")...), "4 instances")
}

// TestBundledSeries explains the drawn chest: the five strongest slices show the nodule,
// and the map for the archive is a DICOM file.
func TestBundledSeries(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "examples", "series")
	out := filepath.Join(t.TempDir(), "map.dcm")
	var got struct {
		Prediction   []float64
		Explanations []struct{ Scores []float64 }
	}
	clitest.Decode(t, succeed(t, "explain", "--json", "--method", "shapley", "--class", "a nodule",
		"--model", filepath.Join(folder, "model.onnx"), "--bag",
		filepath.Join(folder, "series.zip"), "--dicom-seg", out), &got)
	var truth struct{ Nodule []int }
	clitest.Decode(t, string(must.Get(os.ReadFile(filepath.Join(folder, "truth.json")))(t)), &truth)
	scores := got.Explanations[0].Scores
	must.Equal(t, len(scores), 28, got.Prediction)
	must.Equal(t, got.Prediction[1] >= got.Prediction[0], true, len(scores), got.Prediction)
	fifth := slices.Sorted(slices.Values(scores))[len(scores)-5]
	for i, s := range scores {
		if s >= fifth && (!slices.Contains(truth.Nodule, i) || s <= 0) {
			t.Errorf("slice %d is among the five strongest: %v", i, scores)
		}
	}
	must.Equal(t, dicom.Is(must.Get(os.ReadFile(out))(t)), true, "the map is no DICOM file")
}
