package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
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

// TestConceptsOfSlides carries prototypes from a slide to those of a folder: the mean over slides
// is that of the answers to each.
func TestConceptsOfSlides(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	model := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("out", 2)},
		Nodes:   ot.Nodes("out = ReduceMean<axes=[0], keepdims=0>(bag)")}
	must.Do(t, os.WriteFile(at("model.onnx"), model.Bytes(), 0o644))
	slides := filepath.Join(folder, "slides")
	must.Do(t, os.Mkdir(slides, 0o755))
	slide := func(name string) string { return filepath.Join(slides, name) }
	for name, values := range map[string][]float32{"a.npy": {1, 0, 2, 0, 0, 1, 0, -1},
		"b.npy": {4, 0, 0, 1, 0, 5, 0, 7}, "c.npy": {1, 1, 9, 0, 0, 3, 3, 0}} {
		var file bytes.Buffer
		must.Do(t, bagio.WriteNpy(&file, []int{4, 2}, values))
		must.Do(t, os.WriteFile(slide(name), file.Bytes(), 0o644))
	}
	args := func(bag string, more ...string) []string {
		return append([]string{"groups", "--model", at("model.onnx"), "--bag", slide(bag),
			"--class", "0", "--random", "0", "--json"}, more...)
	}
	succeed(t, args("a.npy", "--concepts", "flat=0,1; high=2,3", "--save-vectors", at("v.npz"))...)
	var sum float64
	for _, name := range []string{"a.npy", "b.npy", "c.npy"} {
		var a ask.GroupsAnswer
		clitest.Decode(t, succeed(t, args(name, "--vectors", at("v.npz"))...), &a)
		must.Equal(t, a.Concepts.List[0].Name, "flat")
		sum += float64(a.Concepts.List[0].Shapley)
	}
	var pooled ask.PooledAnswer
	clitest.Decode(t, succeed(t, args("a.npy", "--vectors", at("v.npz"), "--bags-folder",
		slides)...), &pooled)
	must.Equal(t, pooled.Bags, 3)
	must.Equal(t, pooled.Concepts[0].Name, "flat")
	must.Equal(t, math.Abs(float64(pooled.Concepts[0].Shapley)-sum/3) < 1e-9, true, pooled)
	// One bag has a code, and a bag without any cannot be asked about alone.
	codes := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("out", "k", 2)}, Nodes: ot.Nodes("out = Neg(bag)")}
	must.Do(t, os.WriteFile(at("codes.onnx"), codes.Bytes(), 0o644))
	clitest.Decode(t, succeed(t, args("a.npy", "--codes", at("codes.onnx"), "--bags-folder",
		slides)...), &pooled)
	must.Equal(t, pooled.Bags, 3)
	must.Equal(t, pooled.None, 2)
	must.Equal(t, pooled.Concepts[0].Bags, 1)
	must.Contain(t, refused(t, args("b.npy", "--codes", at("codes.onnx"), "--every-bag")...),
		"no instance has a code above 0")
	must.Contain(t, refused(t, args("b.npy", "--codes", at("codes.onnx"))...),
		"no instance has a code above 0")
	link := at("link.npy")
	must.Do(t, os.Symlink(slide("a.npy"), link))
	relative := must.Get(filepath.Rel(must.Get(os.Getwd())(t), slide("a.npy")))(t)
	for _, name := range []string{link, relative} {
		var again ask.PooledAnswer
		clitest.Decode(t, succeed(t, append(args("a.npy", "--vectors", at("v.npz"),
			"--bags-folder", slides), "--bag", name)...), &again)
		must.Equal(t, again.Bags, 3, name)
	}
	must.Do(t, os.WriteFile(slide("README.md"), []byte("# Slides\n"), 0o644))
	_, _, message := bagscope(t, args("a.npy", "--vectors", at("v.npz"), "--bags-folder",
		slides)...)
	must.Contain(t, message, "README.md")
	must.Contain(t, message, "--bags-folder reads each file of "+slides)
	for _, c := range []struct {
		with []string
		says string
	}{
		{nil, "name them by --concepts"},
		{[]string{"--concepts", "flat=0,1"}, "writes those of two concepts or more"},
		{[]string{"--every-bag"}, "--save-vectors writes the instances of one bag"},
		{[]string{"--bags-folder", slides}, "--save-vectors writes the instances of one bag"},
	} {
		code, _, message := bagscope(t, append([]string{"groups", "--model", at("model.onnx"),
			"--bag", slide("a.npy"), "--class", "0", "--save-vectors", at("w.npz")}, c.with...)...)
		must.Equal(t, code, cli.ExitUsage, c.with)
		must.Contain(t, message, c.says)
		must.Fail(t, must.Err(os.Stat(at("w.npz"))))
	}
	_, _, message = bagscope(t, args("a.npy", "--bags-folder", at("none"))...)
	must.Contain(t, message, "--bags-folder: open ")
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
