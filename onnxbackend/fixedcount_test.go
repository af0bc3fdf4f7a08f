package onnxbackend_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// fixedNote returns the note about a number of instances in the file, or "".
func fixedNote(m *onnxbackend.Model) string {
	for _, note := range m.Info().Notes {
		if strings.Contains(note, "the file holds a number of them") {
			return note
		}
	}
	return ""
}

// summed is a model of 20 instances: a node of the encoded instances "h" writes "n" (20, 4), whose
// rows are added up.
func summed(node ot.Node) ot.Model {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3)},
		node, ot.N("ReduceSum", []string{"n", "axis0"}, []string{"p"}))
	m.Initializers = append(m.Initializers, ot.I("sizes", []int64{20, 4}, 2),
		ot.F("table", make([]float32, 80), 20, 4), ot.F("longer", make([]float32, 84), 21, 4),
		ot.I("repeats", []int64{20, 1}, 2), ot.F("row", make([]float32, 4), 1, 4))
	return m
}

// TestFixedCountIsNoted opens files that an exporter wrote for 20 instances.
func TestFixedCountIsNoted(t *testing.T) {
	row := func(op, second string) ot.Model {
		m := summed(ot.N("Add", []string{"h", "rows20"}, []string{"n"}))
		m.Nodes = append([]ot.Node{ot.N(op, []string{"row", second}, []string{"rows20"})},
			m.Nodes...)
		return m
	}
	token := summed(ot.N("Add", []string{"joined", "longer"}, []string{"n"}))
	last := len(token.Nodes) - 3
	token.Nodes = append(token.Nodes[:last:last], append([]ot.Node{ot.N("Concat",
		[]string{"row", "h"}, []string{"joined"}, ot.Int("axis", 0))}, token.Nodes[last:]...)...)
	for name, c := range map[string]struct {
		model ot.Model
		says  string
	}{
		"reshape": {summed(ot.N("Reshape", []string{"h", "sizes"}, []string{"n"})),
			"(Reshape) fails"},
		"table":  {summed(ot.N("Add", []string{"h", "table"}, []string{"n"})), "cut tables"},
		"expand": {row("Expand", "sizes"), "(Add) fails"},
		"tile":   {row("Tile", "repeats"), "(Add) fails"},
		"token":  {token, "cut tables"},
	} {
		t.Run(name, func(t *testing.T) {
			m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{})
			note := fixedNote(m)
			must.Contain(t, note, "takes bags of 20 instances, and not of 21", c.says)
		})
	}
}

// TestOtherSizesAreNotNoted opens models that take every number of instances, or every number from
// one on.
func TestOtherSizesAreNotNoted(t *testing.T) {
	top := summed(ot.N("TopK", []string{"h", "seven"}, []string{"n", "places"}, ot.Int("axis", 0)))
	top.Initializers = append(top.Initializers, ot.I("seven", []int64{7}, 1))
	for name, m := range map[string]ot.Model{
		"least number": top,
		"any number":   summed(ot.N("Add", []string{"h", "row"}, []string{"n"})),
		"relations":    overMatrix(ot.In("adj", "k", "k")),
		"edges":        overEdges(true),
	} {
		must.Equal(t, fixedNote(enginetest.Open(t, m.Bytes(), onnxbackend.Options{})), "", name)
	}
}

// TestFilesOfAnySizeAreNotNoted opens all models of the repository. Tests of their outputs show
// that they take bags of several sizes, but for two that TorchScript wrote for one.
func TestFilesOfAnySizeAreNotNoted(t *testing.T) {
	opened := 0
	for _, folder := range []string{"testdata", "../examples", "../testdata"} {
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".onnx" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m, err := onnxbackend.Open(data, onnxbackend.Options{})
			if err != nil {
				return nil // tests of broken files and files in parts have their reasons
			}
			opened++
			fixed := strings.HasSuffix(path, "set_transformer/legacy-17.onnx") ||
				strings.HasSuffix(path, "transmil/legacy-17.onnx")
			if note := fixedNote(m); (note != "") != fixed {
				t.Errorf("%s: note %q", path, note)
			}
			return nil
		}))
	}
	must.Equal(t, opened >= 100, true, opened)
}
