package main

import (
	"encoding/csv"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
)

// exactly is how far numbers may lie apart that are the same but for the order of a sum.
const exactly = 1e-9

func TestPredict(t *testing.T) {
	// What examples/digits/README.md says of the bags: the model is right but for bag 4.
	for index, want := range []int{3, 1, 2, 0, 1, 3} {
		var p ask.Prediction
		keys := clitest.Decode(t, succeed(t, "predict", "--model", exampleModel, "--bag",
			exampleBags, "--index", strconv.Itoa(index), "--json"), &p)
		clitest.RequireKeys(t, keys, "model bag outputs classes")
		if p.Model.Name != "model.onnx" || len(p.Model.SHA256) != 64 ||
			!strings.HasPrefix(p.Bag.Name, "bag ") || p.Bag.Instances < 20 {
			t.Errorf("model %+v, bag %+v", p.Model, p.Bag)
		}
		sum, best := 0.0, 0
		for i, c := range p.Classes {
			sum += float64(c.Score)
			if c.Score > p.Classes[best].Score {
				best = i
			}
		}
		must.Equal(t, best, want, index, p.Classes, sum)
		must.Equal(t, math.Abs(sum-1) <= exactly, true, index, best, p.Classes, want, sum)
		must.Equal(t, len(p.Classes), 4, index, best, p.Classes, want, sum)
		must.Equal(t, p.Classes[1].Name, "an 8", index, best, p.Classes, want, sum)
		logits, ok := p.Outputs["logits"]
		if !ok || !slices.Equal(logits.Shape, []int{4}) || len(logits.Data) != 4 {
			t.Fatalf("outputs %+v", p.Outputs)
		}
		for i, c := range p.Classes {
			if c.Raw != logits.Data[i] {
				t.Errorf("class %d has the raw score %v, and the model's output is %v", i, c.Raw,
					logits.Data[i])
			}
		}
		must.Equal(t, len(p.Outputs["attention"].Data), p.Bag.Instances)
	}
}

func TestPredictOutputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.csv")
	text := succeed(t, "predict", "--model", exampleModel, "--bag", exampleBags, "--output",
		"logit", "--csv", file)
	for _, word := range []string{"bag 0: two 8s and two 9s", "29 instances", "model.onnx",
		"3 an 8 and a 9"} {
		must.Contain(t, text, word)
	}
	rows := readCSV(t, file)
	must.Equal(t, len(rows), 5, rows)
	must.EqualSlices(t, rows[0], []string{"class", "name", "score", "raw", "unit"}, rows)
	must.Equal(t, rows[4][2], rows[4][3], rows)
}

// TestExplain checks that all methods explain all classes, and that workers change nothing.
func TestExplain(t *testing.T) {
	args := []string{"explain", "--model", exampleModel, "--bag", exampleBags, "--method", "all",
		"--samples", "60", "--seed", "7", "--json"}
	text := succeed(t, args...)
	var x ask.Explanation
	clitest.Decode(t, text, &x)
	methods := methods.All()
	must.Equal(t, len(x.Explanations), 4*len(methods))
	for i, e := range x.Explanations {
		must.Equal(t, e.Method, methods[i/4].Name, i, e.Class, len(e.Scores))
		must.Equal(t, e.Class, i%4, i, e.Method, len(e.Scores))
		must.Equal(t, len(e.Scores), x.Bag.Instances, i, e.Class, e.Method)
	}
	must.Equal(t, succeed(t, append(args, "--workers", "3")...), text,
		"the number of workers changes the result")
}

func TestExplainFiles(t *testing.T) {
	folder := t.TempDir()
	table, picture := filepath.Join(folder, "x.csv"), filepath.Join(folder, "x.png")
	text := succeed(t, "explain", "--model", exampleModel, "--bag", exampleBags, "--method",
		"single", "--csv", table, "--png", picture, "--top", "3")
	must.Contain(t, text, "and 26 more", "single")
	rows := readCSV(t, table)
	must.Equal(t, len(rows), 1+4*29)
	must.EqualSlices(t, rows[0], []string{"method", "class", "class_name", "instance", "score",
		"stderr", "unit", "neutral", "evident", "low", "high", "version"})
	neutral, err := strconv.ParseFloat(rows[1][7], 64)
	if err != nil || neutral <= 0 || neutral >= 1 || rows[1][6] != "probability" {
		t.Errorf("single is measured in %s from %s", rows[1][6], rows[1][7])
	}
	for _, row := range rows[1:] {
		score, err := strconv.ParseFloat(row[4], 64)
		if differs := math.Abs(score-neutral) >= 1e-6; err != nil || row[1] == rows[1][1] &&
			row[8] != strconv.FormatBool(differs) {
			t.Errorf("evident is %s for a score of %s beside %v", row[8], row[4], neutral)
		}
	}
	f := must.Get(os.Open(picture))(t)
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() < 200 {
		t.Errorf("the picture: %v", err)
	}
}

// TestExplainCoalitions: given coalitions take the sampler's place, whatever the seed.
func TestExplainCoalitions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "z.txt")
	var lines strings.Builder
	const k = 29
	for j := range 40 {
		for i := range k {
			lines.WriteByte("01"[(i*j+i/3+j)%2])
		}
		lines.WriteByte('\n')
	}
	must.Do(t, os.WriteFile(file, []byte(lines.String()), 0o644))
	var first, second ask.Explanation
	args := []string{"explain", "--model", exampleModel, "--bag", exampleBags, "--method",
		"random_shap", "--coalitions", file, "--json", "--seed"}
	clitest.Decode(t, succeed(t, append(args, "1")...), &first)
	clitest.Decode(t, succeed(t, append(args, "2")...), &second)
	for c := range first.Explanations {
		must.EqualSlices(t, first.Explanations[c].Scores, second.Explanations[c].Scores, c)
	}
}

func TestInspect(t *testing.T) {
	var m inspection.Description
	keys := clitest.Decode(t, succeed(t, "inspect", "--model", exampleModel, "--json"), &m)
	clitest.RequireKeys(t, keys, "inputs outputs opset operators parameters instance_axis card")
	if m.Opset != 13 || m.Input != "bag" || m.InstanceAxis != 0 || m.Parameters < 100_000 ||
		!slices.Contains(m.Operators, "Conv") {
		t.Errorf("%+v", m)
	}
	if len(m.Inputs) != 1 || len(m.Inputs[0].Shape) != 4 || m.Inputs[0].Shape[0] != "instances" ||
		m.Inputs[0].Shape[3] != 28.0 {
		t.Errorf("inputs %+v", m.Inputs)
	}
	if len(m.Classes) != 4 || m.Negative != 0 || len(m.Truth) != 4 || m.Scale != core.ScaleLogits ||
		m.Inherent != "attention" {
		t.Errorf("the card is not read: %+v", m)
	}
	must.Contain(t, succeed(t, "inspect", "--model", exampleModel), "instances x 1 x 28 x 28")
}

// A card beside the model overrides the one inside it, and --card overrides both.
func TestCard(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "m.onnx")
	data := must.Get(os.ReadFile(exampleModel))(t)
	named := filepath.Join(folder, "other.json")
	for file, text := range map[string][]byte{
		model:                                    data,
		filepath.Join(folder, "m.bagscope.json"): []byte(`{"classes": ["a", "b", "c", "beside"]}`),
		named:                                    []byte(`{"classes": ["a", "b", "c", "named"]}`),
	} {
		t.Run(file, func(t *testing.T) {
			must.Do(t, os.WriteFile(file, text, 0o644))
		})
	}
	for want, args := range map[string][]string{"beside": {}, "named": {"--card", named}} {
		t.Run(want, func(t *testing.T) {
			var m inspection.Description
			clitest.Decode(t, succeed(t, append([]string{"inspect", "--json", "--model", model},
				args...)...), &m)
			must.Equal(t, len(m.Classes), 4, args, m.Classes)
			must.Equal(t, m.Classes[3], want, args, m.Classes)
		})
	}
}

func TestMethods(t *testing.T) {
	var table struct{ Methods []ask.Method }
	clitest.Decode(t, succeed(t, "methods", "--json"), &table)
	text := succeed(t, "methods")
	must.Equal(t, len(table.Methods), len(methods.All()))
	for _, m := range table.Methods {
		if !strings.Contains(text, m.Name) || m.Summary == "" || m.Cost == "" {
			t.Errorf("%+v", m)
		}
	}
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f := must.Get(os.Open(name))(t)
	defer f.Close()
	return must.Get(csv.NewReader(f).ReadAll())(t)
}

// TestExplainTrust checks that --trust prints a sentence for each class.
func TestExplainTrust(t *testing.T) {
	args := []string{"explain", "--model", exampleModel, "--bag", exampleBags, "--index", "4",
		"--method", "milli", "--settings", "mnist", "--trust"}
	text := succeed(t, args...)
	must.Equal(t, strings.Count(text,
		"Removing the highest scores first lowers the probability by "), 4, text)
	must.Equal(t, strings.Contains(succeed(t, args[:len(args)-1]...), "Removing"), false)
}
