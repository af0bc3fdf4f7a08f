package decode

import (
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Attention layers become the nodes that exporters write for them: heads as an axis of their own,
// products, a softmax. So they are evaluated as the layers of a model that was not optimised.

// An attentionLayer names what the nodes of a layer read: values of the replacement, and numbers of
// inputs that the replaced node may omit.
type attentionLayer struct {
	q, k, v      string // (batch, place, head·width)
	inHeads      bool   // k and v are (batch, head, place, width)
	width        int    // width of a head of q and k, 0 if it is not known
	mask, scores int    // inputs: places that can be read, and what is added to scores
	past         []int  // inputs with earlier places
}

// attention writes Attention of com.microsoft: queries, keys and values are a layer of the input.
func (r *replacement) attention() string {
	return r.packed("0", "1", attentionLayer{mask: 3, scores: 5, past: []int{4, 6}})
}

// qAttention writes QAttention, whose input and weights are quantised.
func (r *replacement) qAttention() string {
	r.expand("DequantizeLinear 0 3 6 = whole. DequantizeLinear 1 4 7 = weights axis:1")
	return r.packed("whole", "weights", attentionLayer{mask: 5, scores: -1, past: []int{8}})
}

// packed writes the layer of x that has queries, keys and values side by side, and the attention.
// Without qkv_hidden_sizes they have equal widths.
func (r *replacement) packed(x, weights string, l attentionLayer) string {
	sizes, split := r.given("qkv_hidden_sizes").Ints, "Split all = q k v axis:-1"
	heads := int(r.given("num_heads").Int)
	switch w := r.tensorOf(1); {
	case len(sizes) == 3:
		r.constant("sizes", tensor.From(tensor.Int64, sizes, 3))
		split = "Split all sizes = q k v axis:-1"
		l.width = int(min(sizes[0], math.MaxInt32)) / max(heads, 1)
	case len(sizes) != 0:
		return "its attribute qkv_hidden_sizes has not three numbers"
	case w != nil && w.Rank() == 2:
		l.width = w.Shape[1] / 3 / max(heads, 1)
	}
	r.expand("MatMul " + x + " " + weights + " = product. Add? product 2 = all. " + split)
	l.q, l.k, l.v = "q", "k", "v"
	return r.attends(l)
}

// multiHeadAttention writes MultiHeadAttention of com.microsoft. A bias has the parts of queries,
// keys and values in one row.
func (r *replacement) multiHeadAttention() string {
	l := attentionLayer{q: "0", k: "1", v: "2", mask: 4, scores: 5, past: []int{6, 7, 8, 9}}
	switch {
	case !r.has(1):
		r.unpacks("0", "pq", "pk", "pv")
		l.q, l.k, l.v = "pq", "pk", "pv"
	case !r.has(2):
		r.unpacks("1", "pk", "pv")
		l.k, l.v = "pk", "pv"
	case r.rank(1) == 4 && r.has(3):
		return "this engine does not add a bias to keys in heads"
	case r.rank(1) == 4:
		l.inHeads = true
	}
	if r.has(3) {
		r.biases(l)
		l.q, l.k, l.v = "q", "k", "v"
	}
	return r.attends(l)
}

// unpacks writes the parts of an input (batch, place, head, part, width), as the optimizer packs
// keys and values, or queries, too, for GPUs. A part is (batch, place, head·width).
func (r *replacement) unpacks(in string, parts ...string) {
	r.constant("unpacked", tensor.From(tensor.Int64, []int64{0, 0, -1}, 3))
	r.expand("Split " + in + " = each_" + strings.Join(parts, " each_") + " axis:3")
	for _, part := range parts {
		r.expand("Reshape each_" + part + " unpacked = " + part)
	}
}

// biases adds the parts of the bias, which are as wide as queries, keys and values.
func (r *replacement) biases(l attentionLayer) {
	r.constant("last", tensor.From(tensor.Int64, []int64{-1}, 1))
	r.expand("Shape " + l.q + " = shape_q. Shape " + l.k + " = shape_k. " +
		"Shape " + l.v + " = shape_v. " +
		"Gather shape_q last = width_q. Gather shape_k last = width_k. " +
		"Gather shape_v last = width_v. Concat width_q width_k width_v = widths axis:0. " +
		"Split 3 widths = bias_q bias_k bias_v axis:0. " +
		"Add " + l.q + " bias_q = q. Add " + l.k + " bias_k = k. Add " + l.v + " bias_v = v")
}

// attends writes softmax(scale·Q·Kᵀ + mask + scores)·V for each head.
func (r *replacement) attends(l attentionLayer) string {
	heads := r.given("num_heads").Int
	if heads < 1 {
		return "it does not state its number of heads"
	}
	for _, i := range l.past {
		if r.has(i) {
			return "this engine does not read keys and values of earlier places; export the " +
				"model without a cache (use_cache=False, past_key_values)"
		}
	}
	if r.given("do_rotary").Int != 0 {
		return "this engine does not turn its queries and keys by their places; optimise the " +
			"model with enable_rotary_embeddings off"
	}
	r.constant("apart", tensor.From(tensor.Int64, []int64{0, 0, heads, -1}, 4))
	r.constant("joined", tensor.From(tensor.Int64, []int64{0, 0, -1}, 3))
	r.expand("Reshape " + l.q + " apart = apart_q. Transpose apart_q = heads_q perm:0,2,1,3")
	if l.inHeads {
		r.expand("Transpose " + l.k + " = heads_k perm:0,1,3,2. Identity " + l.v + " = heads_v")
	} else {
		r.expand("Reshape " + l.k + " apart = apart_k. Transpose apart_k = heads_k perm:0,2,3,1. " +
			"Reshape " + l.v + " apart = apart_v. Transpose apart_v = heads_v perm:0,2,1,3")
	}
	r.expand("MatMul heads_q heads_k = qk")
	if a := r.given("scale"); a.Kind == KindFloat && a.Float != 0 {
		r.expand("scale " + number(a.Float) + ". Mul qk scale = scaled")
	} else if l.width > 0 {
		r.expand("root " + number(float32(math.Sqrt(float64(l.width)))) + ". Div qk root = scaled")
	} else {
		r.constant("end", tensor.From(tensor.Int64, []int64{-1}, 1))
		r.expand("Shape heads_q = shape. Gather shape end = width. Cast width = real to:1. " +
			"Sqrt real = root. Div qk root = scaled")
	}
	r.expand("Add? scaled " + strconv.Itoa(l.scores) + " = added")
	if gap := r.masked(l.mask); gap != "" {
		return gap
	}
	if r.given("unidirectional").Int != 0 {
		// Each place reads those up to its own.
		r.constant("above", tensor.From(tensor.Int64, []int64{1}))
		r.constant("pairs", tensor.From(tensor.Int64, []int64{2, 3}, 2))
		lowest := Attribute{Name: "value", Kind: KindTensor,
			Tensor: tensor.From(tensor.Float32, []float32{-math.MaxFloat32}, 1)}
		r.expand("Shape seen = sizes_all. Gather sizes_all pairs = sizes_pairs. " +
			"ConstantOfShape sizes_pairs = lowest. Trilu@14 lowest above = later upper:1. " +
			"Add seen later = read")
		for i := range r.nodes {
			if r.nodes[i].Op == "ConstantOfShape" {
				r.nodes[i].Attributes = []Attribute{lowest}
			}
		}
	} else {
		r.expand("Identity seen = read")
	}
	r.expand("Softmax read = weighted axis:3. MatMul weighted heads_v = each. " +
		"Transpose each = side perm:0,2,1,3. Reshape side joined = y0")
	return ""
}

// masked adds mask_filter_value to the scores of places that are masked, from "added" to "seen". A
// mask is above 0 for places that can be read, (batch, place) or (batch, place, place); or it has
// the number of places of each batch.
func (r *replacement) masked(mask int) string {
	if !r.has(mask) {
		r.expand("Identity added = seen")
		return ""
	}
	filter := float32(-10000)
	if a := r.given("mask_filter_value"); a.Kind == KindFloat {
		filter = a.Float
	}
	in := strconv.Itoa(mask)
	text := "zero 0. filter " + number(filter) + ". "
	switch r.rank(mask) {
	case 1:
		r.constant("first", tensor.From(tensor.Int64, []int64{0}, 1))
		r.constant("fourth", tensor.From(tensor.Int64, []int64{3}))
		r.constant("ones", tensor.From(tensor.Int64, []int64{1, 1, 1}, 3))
		r.constant("begin", tensor.From(tensor.Int64, []int64{0}))
		r.constant("step", tensor.From(tensor.Int64, []int64{1}))
		text += "Shape added = shape_all. Gather shape_all first = batch. " +
			"Concat batch ones = lengths_shape axis:0. Cast " + in + " = lengths to:7. " +
			"Reshape lengths lengths_shape = ends. Gather shape_all fourth = count. " +
			"Range begin count step = places. Less places ends = open. "
	case 2:
		r.constant("spread", tensor.From(tensor.Int64, []int64{0, 1, 1, -1}, 4))
		text += "Cast " + in + " = bits to:9. Reshape bits spread = open. "
	case 3:
		r.constant("axis", tensor.From(tensor.Int64, []int64{1}, 1))
		text += "Cast " + in + " = bits to:9. Unsqueeze bits axis = open. "
	default:
		return "this engine reads masks of one to three dimensions, and the file does not state " +
			"that its mask has so many"
	}
	r.expand(text + "Where open zero filter = closed. Add added closed = seen")
	return ""
}
