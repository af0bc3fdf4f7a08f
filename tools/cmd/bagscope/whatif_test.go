package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestWhatIfTexts checks the tables that people read. TestQuestions compares the answers.
func TestWhatIfTexts(t *testing.T) {
	for command, parts := range map[string][]string{
		"sets --several 2": {"class 3 an 8 and a 9", "proved", "15, 21", "evaluations"},
		"pairs --top 3": {"shapley interactions of 29 instances", "they complete each other",
			"and 403 more", "2 instances act alike: 15, 21"},
		"whatif": {"until class 3 an 8 and a 9 is no longer the largest", "remove 15",
			"fewest changes (proved): remove 15, 21; add none"},
		"inside --instance 15 --top 3": {"10 by 10 cells of instance 15", "and 97 more",
			"evaluations"},
		"groups": {"nearly equal for the model",
			"14 other instances are in no group"},
		"groups --concepts 8s=16-17;9s=15,21;rest=0-3": {"what the concepts do, in log-odds",
			"evident", "interactions: what two", "rule: high if “8s” and “9s” (explains 99 %"},
		"check --method one_removed": {"the map of one_removed", "layers: ", "evaluations"},
	} {
		t.Run(command, func(t *testing.T) {
			text := succeed(t, append(strings.Fields(command), "--model", exampleModel, "--bag",
				exampleBags)...)
			for _, part := range parts {
				must.Contain(t, text, part)
			}
		})
	}
}

// TestEveryWhatIfHasAView checks that the command of each what-if can write its answer.
func TestEveryWhatIfHasAView(t *testing.T) {
	rows := ask.WhatIfs()
	for _, w := range rows {
		must.Equal(t, views[w.Name].result != nil, true, w.Name)
	}
	must.Equal(t, len(views), len(rows))
}

// TestPairsTable checks that the CSV file has a row for each pair.
func TestPairsTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pairs.csv")
	succeed(t, "pairs", "--model", exampleModel, "--bag", exampleBags, "--csv", file)
	must.Equal(t, len(readCSV(t, file)), 1+29*28/2)
}

// TestConceptFiles names concepts by annotations, by vectors and by a graph.
func TestConceptFiles(t *testing.T) {
	folder := t.TempDir()
	slide := []string{"groups", "--model", "../../../examples/slide/model.onnx", "--bag",
		"../../../examples/slide/CMU-1-Small-Region.svs", "--random", "19"}
	text := succeed(t, append(slide, "--annotations", "../../../examples/slide/truth.geojson")...)
	must.Contain(t, text, "many nuclei", "234", "as contiguous as the concept")

	var bag bytes.Buffer
	must.Do(t, bagio.WriteNpy(&bag, []int{4, 2}, []float32{1, 0, 2, 0, 0, 1, 0, -1}))
	graph := func(nodes string, out ...any) []byte {
		return ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
			Outputs: []ot.Value{ot.In("out", out...)}, Nodes: ot.Nodes(nodes)}.Bytes()
	}
	var flat, high bytes.Buffer
	must.Do(t, bagio.WriteNpy(&flat, []int{1, 2}, []float32{9, 0}))
	must.Do(t, bagio.WriteNpy(&high, []int{2, 2}, []float32{0, 1, 0, -1}))
	files := map[string][]byte{"bag.npy": bag.Bytes(),
		"model.onnx": graph("out = ReduceMean<axes=[0], keepdims=0>(bag)", 2),
		"codes.onnx": graph("out = Relu(bag)", "k", 2),
		"vectors.npz": npzOf(t, map[string][]byte{"flat.npy": flat.Bytes(),
			"high.npy": high.Bytes()}),
	}
	for name, data := range files {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	for _, c := range []struct {
		flag, file string
		want       map[string]string // concept: instances
	}{
		{"--vectors", "vectors.npz", map[string]string{"flat": "[0 1]", "high": "[2 3]"}},
		{"--codes", "codes.onnx", map[string]string{"code 0": "[0 1]", "code 1": "[2]"}},
	} {
		t.Run(c.flag, func(t *testing.T) {
			var a ask.GroupsAnswer
			args := []string{"groups", "--model", filepath.Join(folder, "model.onnx"), "--bag",
				filepath.Join(folder, "bag.npy"), c.flag, filepath.Join(folder, c.file)}
			clitest.Decode(t, succeed(t, append(args, "--json")...), &a)
			for n, of := range a.Concepts.List {
				must.Equal(t, fmt.Sprint(a.Groups[n]), c.want[of.Name], of.Name)
			}
			must.Equal(t, len(a.Groups), len(c.want))
			table := filepath.Join(folder, "concepts.csv")
			succeed(t, append(args, "--csv", table)...)
			must.Equal(t, readCSV(t, table)[1][0], a.Concepts.List[0].Name)
		})
	}
}

// TestConceptsOfEveryBag carries vectors of one bag's digits to all bags of the file.
func TestConceptsOfEveryBag(t *testing.T) {
	features, vectors := "../../../examples/tissue/features.h5", filepath.Join(t.TempDir(), "v.csv")
	var text strings.Builder
	for at, name := range []string{"name", "gland", "other"} {
		text.WriteString(map[int]string{0: "bag"}[at])
		if at > 0 {
			text.WriteString(name)
		}
		for f := range 64 {
			switch at {
			case 0:
				fmt.Fprintf(&text, ",f%d", f)
			default:
				fmt.Fprintf(&text, ",%d", (f+at)%3)
			}
		}
		text.WriteString("\n")
	}
	must.Do(t, os.WriteFile(vectors, []byte(text.String()), 0o644))
	args := []string{"groups", "--model", "../../../examples/tissue/on-features.onnx", "--bag",
		features, "--vectors", vectors, "--every-bag", "--random", "19"}
	must.Contain(t, succeed(t, append(args, "--class", "1")...), "over 1 bags for class a gland",
		"- to -")
	for _, c := range []struct{ with, says string }{
		{"", "name the class that all bags are asked about"},
		{"--class 1 --concepts a=1", "name concepts of all bags by vectors or codes"},
	} {
		code, _, message := bagscope(t, append(args, strings.Fields(c.with)...)...)
		must.Equal(t, code, cli.ExitUsage)
		must.Contain(t, message, c.says)
	}
}

// npzOf returns a zip archive of files.
func npzOf(t *testing.T, files map[string][]byte) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, data := range files {
		must.Get(must.Get(w.Create(name))(t).Write(data))(t)
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

// TestDonorFile checks that a bag of another file is the donor that a bag of the same file is.
func TestDonorFile(t *testing.T) {
	args := []string{"whatif", "--model", exampleModel, "--bag", exampleBags, "--index", "3",
		"--class", "3", "--json"}
	var a ask.TurnAnswer
	text := succeed(t, append(args, "--donor", exampleBags)...)
	clitest.Decode(t, text, &a)
	must.Equal(t, text, succeed(t, append(args, "--donor-index", "0")...))
	must.Equal(t, len(a.Fewest.Added), 2, a.Fewest)
}

// TestWhatifMistakes checks the errors of flags that only the commands have.
func TestWhatifMistakes(t *testing.T) {
	for args, says := range map[string]string{
		"sets --model " + exampleModel: "--bag is missing",
		"pairs --model " + exampleModel + " --bag " + exampleBags +
			" --top -1": "--top must not be negative",
	} {
		t.Run(args, func(t *testing.T) {
			code, _, message := bagscope(t, strings.Fields(args)...)
			must.Equal(t, code, cli.ExitUsage)
			must.Contain(t, message, says)
		})
	}
}
