package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestViaFlag puts an encoder from another folder before a head, over what the head's card names.
func TestViaFlag(t *testing.T) {
	folder := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(folder, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	file := func(in, out onnxtest.Value, nodes string) string {
		return string(onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{in},
			Outputs: []onnxtest.Value{out}, Nodes: onnxtest.Nodes(nodes)}.Bytes())
	}
	encoder := func(op string) string {
		return file(onnxtest.In("x", "k", 2), onnxtest.In("e", 1, 2), "e = "+op+"<axes=[0]>(x)")
	}
	head := at("a/head.onnx", file(onnxtest.In("x", 1, 2), onnxtest.In("y", 1, 2), "y = Neg(x)"))
	at("a/head.bagscope.json", `{"via": "mean.onnx", "output": "raw"}`)
	at("a/mean.onnx", encoder("ReduceMean"))
	most := at("b/most.onnx", encoder("ReduceMax"))
	wide := at("wide.onnx", file(onnxtest.In("x", "k", 3, 2), onnxtest.In("e", "k", 3, 2),
		"e = Neg(x)"))
	bag := at("bag.csv", "bag,f,g\na,1,2\na,4,8\n")
	for _, c := range []struct {
		flags, says string
		code        int
	}{
		{"predict --json", `"data":[-2.5,-5]`, cli.ExitDone},
		{"predict --json --via " + most, `"data":[-4,-8]`, cli.ExitDone},
		{"explain --via " + most, "The bag goes through most.onnx", cli.ExitDone},
		{"predict --via " + wide, "wide.onnx does not fit before the model", cli.ExitFailed},
		{"predict --via " + filepath.Join(folder, "none.onnx"), "none.onnx does not exist",
			cli.ExitFailed},
	} {
		t.Run(c.flags, func(t *testing.T) {
			code, out, failure := bagscope(t,
				append(strings.Fields(c.flags), "--model", head, "--bag", bag)...)
			must.Equal(t, code, c.code, out, failure)
			must.Equal(t, strings.Contains(out+failure, c.says), true, code, c.code, out, failure)
		})
	}
	// A file before the one before: the maximum of the doubled bag.
	at("a/double.onnx", file(onnxtest.In("x", "k", 2), onnxtest.In("e", "k", 2), "e = Add(x, x)"))
	follows(t, advice.Of(t), []problem{{name: "two files", args: func(*testing.T) []string {
		return words("predict --json --via double.onnx --via "+most, "--model", head, "--bag", bag)
	}, follow: func(t *testing.T, _ string, args []string) []string {
		last := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{onnxtest.In("x", "k", 2)},
			Outputs:  []onnxtest.Value{onnxtest.In("e", 1, 2)},
			Nodes:    onnxtest.Nodes("e = ReduceMax<axes=[0]>(x)"),
			Metadata: map[string]string{"bagscope": `{"via": "double.onnx"}`}}
		via := at("b/last.onnx", string(last.Bytes()))
		args = append(words("predict --json --via "+via), args[6:]...)
		must.Contain(t, succeed(t, args...), `"data":[-8,-16]`)
		return args
	}}})
}
