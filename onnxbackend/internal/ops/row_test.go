package ops

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestRows fails for a row that lacks a trait which its kind or another trait needs.
func TestRows(t *testing.T) {
	must.Equal(t, len(byName), len(table))
	for i := range table {
		r := &table[i]
		t.Run(r.Name, func(t *testing.T) {
			for trait, there := range map[string]bool{
				"Kind":    r.Kind >= Elementwise && r.Kind <= Create,
				"Since":   slices.IsSorted(r.Since) && slices.Max(r.Since) <= Newest,
				"Arity":   (r.Max < 0 || r.Min <= r.Max) && r.Outputs != 0,
				"Axes":    r.Axes != nil,
				"New":     r.New != nil,
				"Reduces": r.Reduces != 0 || r.Kind != Reduce,
				"Pools":   r.Pools != nil || r.Reduces == 0,
				"Batch":   r.Batch != nil || !perElement(r.Kind),
				"Fact":    r.Fact != nil || !perElement(r.Kind),
				"Product": r.Product == nil || r.Kind == Linear,
				"Fuse":    r.Fuse == nil || r.Kind == Elementwise,
			} {
				must.Equal(t, there, true, trait)
			}
		})
	}
}

// withoutBatch lists the operators that compute coalitions one by one, by the reason. A new row
// needs a batching rule or a place here.
var withoutBatch = map[string]string{
	"a batch needs other labels, axes or sizes": "Einsum Resize Upsample GridSample " +
		"ReverseSequence MeanVarianceNormalization RotaryEmbedding Attention LSTM GRU RNN Tile " +
		"Expand Pad Trilu GatherND Scatter ScatterElements ScatterND OneHot",
	"scales and zero points lie along an axis": "QuantizeLinear DequantizeLinear QLinearMatMul " +
		"MatMulInteger",
	"it combines all elements": "DynamicQuantizeLinear",
	"the result's size depends on the elements": "Compress Unique NonZero Range ConstantOfShape " +
		"HannWindow HammingWindow BlackmanWindow",
	"it runs graphs":                       "If Loop Scan",
	"it has no input, or reads no element": "Constant EyeLike",
}

// withoutFact lists the operators whose result's shape is not inferred. A new row needs a fact rule
// or a place here.
const withoutFact = "Einsum ConvTranspose Resize Upsample GridSample QuantizeLinear " +
	"DequantizeLinear " +
	"DynamicQuantizeLinear MatMulInteger QLinearMatMul ConvInteger QLinearConv ArgMax " +
	"ArgMin TopK Attention RotaryEmbedding LSTM GRU RNN Split GatherElements GatherND " +
	"Compress Unique Scatter ScatterElements ScatterND OneHot NonZero Expand Tile Pad " +
	"DepthToSpace SpaceToDepth If Loop Scan Range ConstantOfShape Constant EyeLike " +
	"DFT STFT HannWindow HammingWindow BlackmanWindow"

// TestEveryRowHasBatchingAndFactRules fails for a row without a batching or fact rule that the
// lists above do not name, and for a name in a list whose row has the rule.
func TestEveryRowHasBatchingAndFactRules(t *testing.T) {
	var oneByOne []string
	for _, names := range withoutBatch {
		oneByOne = append(oneByOne, strings.Fields(names)...)
	}
	unknown := strings.Fields(withoutFact)
	for i := range table {
		r := &table[i]
		must.Equal(t, slices.Contains(oneByOne, r.Name), r.Batch == nil, r.Name, r.Batch != nil)
		must.Equal(t, slices.Contains(unknown, r.Name), r.Fact == nil, r.Name, r.Fact != nil)
	}
	if names := append(oneByOne, unknown...); slices.ContainsFunc(names, func(n string) bool {
		return byName[n] == nil
	}) {
		t.Error("a list names an operator that the table lacks")
	}
}

// perElement reports whether operators of a kind compute elements one by one, or combine those
// along named axes: all such operators can compute a batch in one call and have a shape that can be
// inferred.
func perElement(k Kind) bool {
	return k == Elementwise || k == PassThrough || k == Broadcast || k == Reduce
}
