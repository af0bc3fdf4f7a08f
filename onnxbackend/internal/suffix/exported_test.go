package suffix_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
)

// exported says how each architecture of testdata/zoo is evaluated, whatever exported it.
var exported = map[string]string{
	"gated_attention":      "attention",
	"multi_head_attention": "attention",
	"clam":                 "attention",
	"survival":             "attention",
	"pictures":             "attention",
	"conjunctive":          "mean",
	// Their encoders merge instances with heads or windows, or run over the rows of a picture.
	"encoder_transformer":     "attention",
	"encoder_fused_attention": "attention",
	"encoder_merged_heads":    "attention",
	"encoder_sequence_first":  "attention",
	"encoder_windows":         "attention",
	"encoder_rotary":          "attention",
	"encoder_lstm":            "attention",
	"encoder_gru":             "attention",
	// It pools the merged axis.
	"merged_pooling": onnxbackend.StrategyGathered,

	"regression": "sum",
	"logsumexp":  "logsumexp",
	"top_mean":   "topk",
	// What an instance hands on depends on who else is there.
	"additive":         onnxbackend.StrategyMembers,
	"dsmil":            onnxbackend.StrategyMembers,
	"graph_affinity":   onnxbackend.StrategyMembers,
	"graph_neighbours": onnxbackend.StrategyMembers,
	"graph_sage":       onnxbackend.StrategyMembers,
	"lstm":             onnxbackend.StrategyGathered,
	"moments":          onnxbackend.StrategyMembers,
	"set_transformer":  onnxbackend.StrategyMembers,
	"transmil":         onnxbackend.StrategyGathered,

	"keras_gated_attention":    "attention",
	"keras_attention_multiply": "attention",
	"keras_attention_permuted": "attention",
	"keras_instances_as_batch": "attention",
	"keras_masked_attention":   "attention",
	"keras_conv_pictures":      "attention",
	"keras_merged_pictures":    "attention",
	"keras_query_attention":    "attention",
	"keras_masked_mean":        "sum",
	"keras_masking_layer":      "sum",
	"keras_mean_pool":          "mean",
	"keras_mean_and_max":       "max+mean",
	"keras_instance_max":       "max",
	"keras_noisy_or":           "product",
	"keras_transformer":        onnxbackend.StrategyMembers,
	"keras_recurrent":          onnxbackend.StrategyGathered,

	"jax_attention":    "attention",
	"jax_einsum":       "attention",
	"jax_batched":      "attention",
	"jax_pictures":     "attention",
	"jax_moments":      "max+sum",
	"jax_log_mean_exp": "logsumexp",

	"sklearn_logistic":          "max",
	"sklearn_binary":            "max",
	"sklearn_network":           "mean",
	"sklearn_network_regressor": "max",
	"sklearn_ridge":             "sum",
	"sklearn_imputed":           "max",
	"sklearn_polynomial":        "max",
	"sklearn_forest":            "max",
	"sklearn_boosted":           "max",
	"sklearn_tree":              "max",

	// They take a mask, a number or coordinates beside the bag.
	"padded_attention": "attention",
	"padded_query":     "attention",
	"padded_places":    "attention",
	"padded_mean":      "sum",
	"padded_encoder":   onnxbackend.StrategyMembers,

	// They spell a softmax or a norm out, or compute in float64.
	"steps_softmax":    "attention",
	"steps_norm":       "attention",
	"double_attention": "attention",

	"optimised_survival":        "attention",
	"optimised_regression":      "sum",
	"optimised_top_mean":        "topk",
	"optimised_additive":        onnxbackend.StrategyMembers,
	"optimised_dsmil":           onnxbackend.StrategyMembers,
	"optimised_set_transformer": onnxbackend.StrategyMembers,
	"optimised_encoder_windows": "attention",
	"optimised_bert":            "attention",
	"optimised_vit":             "attention",
	"optimised_vit_fast":        "attention",
	"optimised_convnext":        "attention",
	"optimised_instances":       onnxbackend.StrategyMembers,

	"lowered_gated_attention": "attention",
	"lowered_conjunctive":     "mean",
	"lowered_top_mean":        "topk",
	"lowered_pictures":        "attention",
}

// exportedOtherwise are files that are evaluated in another way than their architecture is.
var exportedOtherwise = map[string]string{
	// The quantiser rounds weights after they have been divided by the sum of the coalition's.
	"lowered_gated_attention/qdq.onnx":       onnxbackend.StrategyMembers,
	"lowered_gated_attention/qoperator.onnx": onnxbackend.StrategyGathered,
	"lowered_pictures/qdq.onnx":              onnxbackend.StrategyMembers,
	"lowered_pictures/qoperator.onnx":        onnxbackend.StrategyMembers,
	// Its exporter wrote the number of instances into the graph.
	"set_transformer/legacy-17.onnx": onnxbackend.StrategyGathered,
	// It rounds the bag itself by the range of all its values.
	"optimised_bert/dynamic.onnx":          onnxbackend.StrategyPlain,
	"optimised_vit/dynamic.onnx":           onnxbackend.StrategyPlain,
	"optimised_vit_fast/dynamic.onnx":      onnxbackend.StrategyPlain,
	"optimised_instances/dynamic.onnx":     onnxbackend.StrategyPlain,
	"lowered_gated_attention/dynamic.onnx": onnxbackend.StrategyPlain,
	"lowered_conjunctive/dynamic.onnx":     onnxbackend.StrategyPlain,
	"lowered_top_mean/dynamic.onnx":        onnxbackend.StrategyPlain,
	"lowered_pictures/dynamic.onnx":        onnxbackend.StrategyPlain,
}

// halfTolerance is for files in which onnxruntime rounds every value to 16 bits and this engine
// only what it reads.
const halfTolerance = 2e-3

// ordered are the architectures in which the places of instances count.
var ordered = map[string]bool{"lstm": true, "transmil": true, "keras_recurrent": true}

// fixedSize are files whose exporter wrote the 7 instances that it was shown into the graph; other
// bags do not run in any runtime.
var fixedSize = map[string]bool{"set_transformer/legacy-17.onnx": true,
	"transmil/legacy-17.onnx": true}

// exportedModels calls f for each file of the zoo with its bags and the outputs for them of the
// framework that it comes from.
func exportedModels(
	t *testing.T, f func(t *testing.T, m *onnxbackend.Model, name string, bags []*core.Bag,
		logits [][]float64),
) {
	found := map[string]bool{}
	files, _ := filepath.Glob(enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo") +
		"/*/*.onnx")
	for _, file := range files {
		found[filepath.Base(filepath.Dir(file))] = true
	}
	must.Equal(t, len(files) >= 170, true, len(files), len(found), len(exported))
	must.Equal(t, len(found), len(exported), len(files))
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(file))(t)
			m := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
			bags, logits := exportedBags(t, file, fixedSize[name])
			f(t, m, name, bags, logits)
		})
	}
}

// exportedBags reads the bags beside a file, or only those of 7 instances, with the outputs of the
// architecture or, where files differ, of this one.
func exportedBags(t *testing.T, model string, sevens bool) (bags []*core.Bag, logits [][]float64) {
	t.Helper()
	file := filepath.Join(filepath.Dir(model), "bags.json")
	data := must.Get(os.ReadFile(file))(t)
	v := fastjson.MustParseBytes(data)
	var shape []int
	for _, d := range v.GetArray("shape") {
		shape = append(shape, d.GetInt())
	}
	for _, b := range v.GetArray("bags") {
		if sevens && b.GetInt("instances") != 7 {
			continue
		}
		bag := &core.Bag{Name: "bag", Shape: shape}
		for _, x := range b.GetArray("values") {
			value := x.GetFloat64()
			if x.Type() == fastjson.TypeNull {
				value = math.NaN()
			}
			bag.Values = append(bag.Values, float32(value))
		}
		var want []float64
		for _, x := range append(b.GetArray("logits"),
			b.GetArray("by_file", filepath.Base(model))...) {
			want = append(want, x.GetFloat64())
		}
		bags, logits = append(bags, bag), append(logits, want)
	}
	must.Equal(t, len(bags) != 0, true, file)
	return bags, logits
}

// TestExported holds every file to the outputs of the framework that it comes from, and names how
// its coalitions are evaluated.
func TestExported(t *testing.T) {
	exportedModels(t, func(t *testing.T, m *onnxbackend.Model, name string, bags []*core.Bag,
		logits [][]float64) {
		architecture, file, _ := strings.Cut(name, "/")
		strategy, tolerance := exported[architecture], 1e-5
		if s, ok := exportedOtherwise[name]; ok {
			strategy = s
		}
		if strings.HasPrefix(file, "half") {
			tolerance = halfTolerance
		}
		inBlocks := false
		for i, bag := range bags {
			p := must.Get(m.Predict(context.Background(), bag))(t)
			enginetest.CheckNear(t, "logits", p.Outputs[0].Data, logits[i], tolerance)
			ev := must.Get(m.Bind(context.Background(), bag))(t)
			b := ev.(*onnxbackend.Bound)
			must.Equal(t, b.Strategy(), strategy)
			if want := ordered[architecture]; b.Ordered() != want ||
				slices.Contains(b.Notes(), suffix.OrderedNote) != want {
				t.Errorf("%d instances: ordered is %v, want %v: %q", bag.Len(), b.Ordered(), want,
					b.Notes())
			}
			// Bags without one instance are compared, too.
			if !inBlocks && bag.Len() > b.Task().Least && enginetest.EvaluatorOf(b).Pooled != nil {
				inBlocks = true
				blocksEqualWhole(t, m, b, bag)
			}
		}
	})
}
