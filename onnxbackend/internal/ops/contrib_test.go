package ops_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestOperatorsOfONNXRuntime compares ONNX Runtime's own operators with its results, which
// testdata/onnxruntime/cases.py wrote.
func TestOperatorsOfONNXRuntime(t *testing.T) {
	path := enginetest.RepositoryFile(t, "onnxbackend/testdata/onnxruntime/cases.zip")
	cases := must.Get(ot.Cases(must.Get(os.ReadFile(path))(t)))(t)
	must.Equal(t, len(cases) >= 134, true, len(cases))
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(strings.TrimPrefix(name, "node/"), func(t *testing.T) {
			for _, rewritten := range []bool{false, true} {
				must.Do(t, runNodeCase(cases[name], rewritten), rewritten)
			}
		})
	}
}

// TestBrokenOperatorsOfONNXRuntime runs the cases with a few other bits in their files: each is
// computed, or refused.
func TestBrokenOperatorsOfONNXRuntime(t *testing.T) {
	path := enginetest.RepositoryFile(t, "onnxbackend/testdata/onnxruntime/cases.zip")
	cases := must.Get(ot.Cases(must.Get(os.ReadFile(path))(t)))(t)
	for name, files := range cases {
		r := rand.New(rand.NewPCG(uint64(len(name)), 7))
		for range 20 * *enginetest.Thorough {
			bad := maps.Clone(files)
			data := slices.Clone(files["model.onnx"])
			for range 1 + r.IntN(3) {
				data[r.IntN(min(len(data), 400))] ^= 1 << r.IntN(8)
			}
			bad["model.onnx"] = data
			if file, err := decode.Decode(data, enginetest.LimitsOf(
				onnxbackend.Limits{}).Decoding); err != nil {
				enginetest.CheckTyped(t, err)
				continue
			} else if _, err := graph.New(file, enginetest.LimitsOf(
				onnxbackend.Limits{}).Runs); err != nil {
				continue
			}
			runNodeCase(bad, true) // it may compute something else, and must not panic
		}
	}
}
