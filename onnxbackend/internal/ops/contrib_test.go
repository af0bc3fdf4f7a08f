package ops_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestOperatorsOfONNXRuntime compares ONNX Runtime's own operators with its results, which
// testdata/onnxruntime/cases.py wrote.
func TestOperatorsOfONNXRuntime(t *testing.T) {
	path := enginetest.RepositoryFile(t, "onnxbackend/testdata/onnxruntime/cases.zip")
	cases := must.Get(ot.Cases(must.Get(os.ReadFile(path))(t)))(t)
	if len(cases) < 108 {
		t.Errorf("%d cases", len(cases))
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(strings.TrimPrefix(name, "node/"), func(t *testing.T) {
			for _, rewritten := range []bool{false, true} {
				if err := runNodeCase(cases[name], rewritten); err != nil {
					t.Errorf("rewritten %v: %v", rewritten, err)
				}
			}
		})
	}
}
