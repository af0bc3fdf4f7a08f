package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestTargets explains a bag by the likeness of its vector to those of files and of another bag.
func TestTargets(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	bag := func(name string, shape []int, values ...float32) string {
		f := must.Get(os.Create(in(name)))(t)
		must.Do(t, bagio.WriteNpy(f, shape, values))
		must.Do(t, f.Close())
		return in(name)
	}
	model := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("x", "k", 2)},
		Outputs:  []onnxtest.Value{onnxtest.In("e", 1, 2)},
		Nodes:    onnxtest.Nodes("e = ReduceMean<axes=[0]>(x)"),
		Metadata: map[string]string{"bagscope": `{"output": "embedding"}`}}
	must.Do(t, os.WriteFile(in("m.onnx"), model.Bytes(), 0o666))
	a, b := bag("a.npy", []int{2, 2}, 3, 0, 3, 8), bag("b.npy", []int{3, 2}, 1, 0, 2, 0, 0, 3)
	target, zeros := bag("t.npy", []int{2}, 4, 3), bag("z.npy", []int{2}, 0, 0)
	many := bag("many.npy", []int{3}, 1, 2, 3)
	for _, c := range []struct {
		flags, says string
		code        int
	}{
		{"explain", "alike to what?", cli.ExitUsage},
		{"sets", "alike to what?", cli.ExitUsage},
		{"explain --class 1", "“1”", cli.ExitDone},
		{"predict --target " + target, "0.9600", cli.ExitDone}, // (3, 4) and (4, 3): 24 / 25
		{"explain --target " + target, "The likeness to “t” is 0.96 cosine.", cli.ExitDone},
		{"explain --likeness dot --target " + target, "24 dot product", cli.ExitDone},
		{"explain --likeness l2 --target " + target, "use one of cosine, dot", cli.ExitUsage},
		{"explain --target " + zeros, "no direction", cli.ExitUsage},
		{"explain --target " + many, `has vectors of 3 numbers`, cli.ExitUsage},
		{"explain --target-bag " + b, "The other way round", cli.ExitDone},
		{"predict --target-bag " + b, "0.9899", cli.ExitDone}, // (3, 4) and (1, 1)
		{"predict --target-bag " + b + " --target " + target, "omit one", cli.ExitUsage},
		{"predict --target-index 1 --target-bag " + b, "no bag 1", cli.ExitUsage},
		{"predict --likeness dot", "add --target", cli.ExitUsage},
	} {
		t.Run(c.flags, func(t *testing.T) {
			code, out, failure := bagscope(t,
				append(strings.Fields(c.flags), "--model", in("m.onnx"), "--bag", a)...)
			if code != c.code || !strings.Contains(out+failure, c.says) {
				t.Errorf("exit %d, want %d: %s %s", code, c.code, out, failure)
			}
		})
	}
	// The bundled vector: the 8s make bags 0 and 1 alike.
	digits := "../../../examples/digits/"
	must.Contain(t, succeed(t, "explain", "--model", digits+"networks/embedding.onnx", "--bag",
		digits+"bags.npz", "--target-bag", digits+"bags.npz", "--target-index", "1"),
		"The likeness to “bag 1: two 8s” is 0.519 cosine. 2 of 29 digits raise it, and 2 lower")
	// Both maps of a pair: as JSON, as rows and as pictures.
	out := succeed(t, "explain", "--json", "--model", in("m.onnx"), "--bag", a, "--target-bag", b,
		"--csv", in("s.csv"), "--png", in("s.png"))
	var both struct {
		Prediction []float64
		Other      struct {
			Prediction []float64
			Bag        struct{ Instances int }
		}
	}
	must.Do(t, json.Unmarshal([]byte(out), &both))
	must.Equal(t, both.Other.Bag.Instances, 3)
	must.Equal(t, fmt.Sprintf("%.9f", both.Prediction), fmt.Sprintf("%.9f",
		both.Other.Prediction))
	rows := strings.Split(strings.TrimSpace(string(must.Get(os.ReadFile(in("s.csv")))(t))), "\n")
	must.Equal(t, len(rows), 1+2+3)
	must.Contain(t, rows[0], "bag,method")
	must.Contain(t, rows[5], "b,consensus")
	must.Get(os.Stat(in("s.other.png")))(t)
}
