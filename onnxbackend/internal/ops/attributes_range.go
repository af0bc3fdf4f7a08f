package ops

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// A valueRange bounds the values of attributes. The specification states them in words, so they
// are written by hand. Axes are not among them: their range depends on a tensor.
type valueRange struct {
	// names are the attributes, as NAME for any operator or OPERATOR.NAME.
	names string
	// since is the version from which on the range holds.
	since int
	// least and most bound an integer, or each of a list.
	least, most int64
	// texts are the allowed texts. Without any, the range is one of integers.
	texts string
}

// unbounded is the upper bound of integers that have none.
const unbounded = math.MaxInt64

// valueRanges holds the range of each attribute that has one. A later entry replaces an earlier
// one from its version on.
var valueRanges = []valueRange{
	// Booleans.
	{names: "align_corners allowzero antialias ceil_mode count_include_pad detect_negative " +
		"detect_positive exclude_outside exclusive fmod input_forget interleaved inverse " +
		"is_causal keepdims largest layout linear_before_reset noop_with_empty_axes onesided " +
		"periodic reverse saturate select_last_index sorted spatial storage_order " +
		"training_mode transA transB upper " +
		"scan_input_directions scan_output_directions", most: 1},
	// Counts, and sizes of windows.
	{names: "blocksize dilations group hidden_size kernel_shape kv_num_heads num_groups " +
		"num_outputs num_scan_inputs q_num_heads LRN.size strides LpPool.p GlobalLpPool.p",
		least: 1, most: unbounded},
	{names: "batch_dims block_size num_heads output_padding rotary_embedding_dim TopK.k " +
		"AveragePool.pads Conv.pads ConvInteger.pads ConvTranspose.pads LpPool.pads " +
		"MaxPool.pads QLinearConv.pads", most: unbounded},
	// Numbers of a list of choices.
	{names: "batch_axis time_axis", most: 1},
	{names: "LpNormalization.p", least: 1, most: 2},
	{names: "qk_matmul_output_mode", most: 3},
	// Types are those of TensorProto.DataType; 0 leaves the choice to the operator.
	{names: "to dtype output_datatype", least: 1, most: lastType},
	{names: "output_dtype precision softmax_precision stash_type", most: lastType},

	{names: "auto_pad", texts: "NOTSET SAME_UPPER SAME_LOWER VALID"},
	{names: "approximate", texts: "none tanh"},
	{names: "BitShift.direction", texts: "LEFT RIGHT"},
	{names: "GRU.direction LSTM.direction RNN.direction",
		texts: "forward reverse bidirectional"},
	{names: "DepthToSpace.mode", texts: "DCR CRD"},
	{names: "GridSample.mode", texts: "bilinear nearest bicubic"},
	{names: "GridSample.mode", since: 20, texts: "linear nearest cubic"},
	{names: "padding_mode", texts: "zeros border reflection"},
	{names: "Pad.mode", texts: "constant reflect edge"},
	{names: "Pad.mode", since: 19, texts: "constant reflect edge wrap"},
	{names: "Resize.mode Upsample.mode", texts: "nearest linear"},
	{names: "Resize.mode", since: 11, texts: "nearest linear cubic"},
	{names: "nearest_mode", texts: "round_prefer_floor round_prefer_ceil floor ceil"},
	{names: "coordinate_transformation_mode", texts: "half_pixel pytorch_half_pixel " +
		"align_corners asymmetric tf_half_pixel_for_nn tf_crop_and_resize"},
	{names: "coordinate_transformation_mode", since: 13, texts: "half_pixel " +
		"pytorch_half_pixel align_corners asymmetric tf_crop_and_resize"},
	{names: "coordinate_transformation_mode", since: 19, texts: "half_pixel " +
		"half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_crop_and_resize"},
	{names: "keep_aspect_ratio_policy", texts: "stretch not_larger not_smaller"},
	{names: "reduction", texts: "none add mul"},
	{names: "reduction", since: 18, texts: "none add mul max min"},
	{names: "round_mode", texts: "up down nearest"},
}

// lastType is the largest number of TensorProto.DataType in the specification of Newest.
const lastType = 26

// rangesByName holds the ranges of NAME or OPERATOR.NAME in the order of versions.
var rangesByName = sync.OnceValue(func() map[string][]*valueRange {
	by := map[string][]*valueRange{}
	for i := range valueRanges {
		for _, name := range strings.Fields(valueRanges[i].names) {
			by[name] = append(by[name], &valueRanges[i])
		}
	}
	return by
})

// rangeOf returns the range of an attribute of a node, nil if it has none.
func rangeOf(n *Node, name string) (found *valueRange) {
	for _, key := range []string{name, n.Op + "." + name} {
		for _, r := range rangesByName()[key] {
			if r.since <= n.Opset {
				found = r
			}
		}
	}
	return found
}

// checkRange returns an error if the value of an attribute is out of its range.
func checkRange(n *Node, a *decode.Attribute) error {
	r := rangeOf(n, a.Name)
	if r == nil {
		return nil
	}
	switch a.Kind {
	case decode.KindString:
		if !slices.Contains(strings.Fields(r.texts), a.String) {
			return msg.Errorf("attribute %s is %q, but in opset %d it must be one of %s", a.Name,
				a.String, n.Opset, strings.Join(strings.Fields(r.texts), ", "))
		}
	case decode.KindInt:
		return r.check(a.Name, a.Int)
	case decode.KindInts:
		for _, v := range a.Ints {
			if err := r.check(a.Name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if an integer is out of range.
func (r *valueRange) check(name string, v int64) error {
	switch {
	case v >= r.least && v <= r.most:
		return nil
	case r.most == unbounded:
		return msg.Errorf("attribute %s holds %d, but it must be at least %d", name, v, r.least)
	}
	return msg.Errorf("attribute %s holds %d, but it must be from %d to %d", name, v, r.least,
		r.most)
}
