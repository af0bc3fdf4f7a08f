package prefix_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestMergedAxes encodes pictures by encoders that merge the axis of the instances with heads or
// windows, at once and in blocks. Coalitions must have the scores of the whole graph, and no layer
// of the encoder may run for them.
func TestMergedAxes(t *testing.T) {
	files, _ := filepath.Glob(enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo") +
		"/encoder_*/*.onnx")
	must.Equal(t, len(files) >= 30, true, len(files))
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			data := must.Get(os.ReadFile(file))(t)
			bag := enginetest.ShapedBag(9, 2, 4, 4)
			for _, blockValues := range []int{1 << 20, 64} {
				m := enginetest.Open(t, data, onnxbackend.Options{})
				enginetest.EncoderOf(m).BlockValues = blockValues
				b := enginetest.Bind(t, m, bag, nil)
				must.Equal(t, b.Strategy(), "attention")
				must.Equal(t, enginetest.EvaluatorOf(b).InBlocks, blockValues == 64)
				enginetest.CheckStrategyEqualsPlain(t, b, data, bag)
			}
		})
	}
}

// TestMergedPooling checks that the prefix of a model that pools the merged axis ends before the
// merge, and not earlier: coalitions cannot gather instances from a merged axis.
func TestMergedPooling(t *testing.T) {
	for _, file := range []string{"legacy-11", "legacy-17", "dynamo-21"} {
		t.Run(file, func(t *testing.T) {
			data := must.Get(os.ReadFile(enginetest.RepositoryFile(t,
				"onnxbackend/testdata/zoo/merged_pooling/"+file+".onnx")))(t)
			bag := enginetest.ShapedBag(9, 2, 4, 4)
			for _, blockValues := range []int{1 << 20, 64} {
				m := enginetest.Open(t, data, onnxbackend.Options{})
				enginetest.EncoderOf(m).BlockValues = blockValues
				b := enginetest.Bind(t, m, bag, nil)
				p := b.Plan()
				isLayer := func(n onnxbackend.NodeInfo) bool { return n.Op == "GRU" }
				if !slices.ContainsFunc(p.Prefix, isLayer) ||
					slices.ContainsFunc(p.Suffix, isLayer) {
					t.Errorf("the prefix ends before the encoder: %s", strings.Join(p.Why, " "))
				}
				enginetest.CheckStrategyEqualsPlain(t, b, data, bag)
			}
		})
	}
}
