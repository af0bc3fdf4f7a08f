package decode

import (
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// rotaryEmbedding writes RotaryEmbedding of com.microsoft, whose input is (batch, place,
// heads·width) or (batch, head, place, width). Positions are those of (batch, place), or one number
// that is added to each place.
func (r *replacement) rotaryEmbedding() string {
	cosines := r.tensorOf(2)
	switch scale := r.given("scale"); {
	case scale.Kind == KindFloat && scale.Float != 0 && scale.Float != 1,
		r.given("is_packed_batching").Int != 0:
		return "this engine does not scale or pack what it turns"
	case cosines == nil || cosines.Rank() != 2:
		return "its angles are not constants of the file"
	}
	// Without a rotary_embedding_dim, the angles are those of a whole head.
	turned, width := r.given("rotary_embedding_dim").Int, int64(2*cosines.Shape[1])
	switch rank, heads := r.rank(0), r.given("num_heads").Int; {
	case rank == 3 && turned == 0:
		r.constant("apart", tensor.From(tensor.Int64, []int64{0, 0, -1, width}, 4))
	case rank == 3 && heads > 0:
		r.constant("apart", tensor.From(tensor.Int64, []int64{0, 0, heads, -1}, 4))
	case rank != 4:
		return "the file does not state that what it turns has three or four dimensions"
	}
	axis := int64(2)
	if r.rank(0) == 3 {
		axis = 1
	}
	r.constant("axis", tensor.From(tensor.Int64, []int64{axis}, 1))
	r.constant("first", tensor.From(tensor.Int64, []int64{0}, 1))
	ids := "1"
	switch r.rank(1) {
	case 1:
		r.constant("begin", tensor.From(tensor.Int64, []int64{0}))
		r.constant("step", tensor.From(tensor.Int64, []int64{1}))
		r.constant("scalar", tensor.From(tensor.Int64, []int64{}, 0))
		r.expand("Shape 0 = sizes. Gather sizes axis = places. Gather sizes first = batch. " +
			"Reshape places scalar = count. Range begin count step = from0. Add from0 1 = row. " +
			"Concat batch places = all axis:0. Expand row all = ids")
		ids = "ids"
	case 2:
	default:
		return "the file does not state that its positions have one or two dimensions"
	}
	turn := "RotaryEmbedding@23 x 2 3 " + ids + " = t interleaved:" +
		strconv.FormatInt(r.given("interleaved").Int, 10) + " rotary_embedding_dim:" +
		strconv.FormatInt(turned, 10)
	if r.rank(0) == 4 {
		r.expand("Identity 0 = x. " + turn + ". Identity t = y0")
		return ""
	}
	r.constant("joined", tensor.From(tensor.Int64, []int64{0, 0, -1}, 3))
	r.expand("Reshape 0 apart = heads. Transpose heads = x perm:0,2,1,3. " + turn +
		". Transpose t = side perm:0,2,1,3. Reshape side joined = y0")
	return ""
}

// embedLayerNormalization writes EmbedLayerNormalization: the sum of the embeddings of words,
// places and segments, normalised; and the number of places of each batch that the mask shows.
func (r *replacement) embedLayerNormalization() string {
	r.constant("second", tensor.From(tensor.Int64, []int64{1}, 1))
	r.constant("first", tensor.From(tensor.Int64, []int64{0}, 1))
	if r.has(8) {
		r.expand("Gather 3 8 = places")
	} else {
		r.expand("Shape 0 = sizes. Gather sizes second = count. Slice 3 first count = places")
	}
	r.expand("Gather 2 0 = words. Add words places = sum")
	if r.has(1) && r.has(4) {
		r.expand("Gather 4 1 = segments. Add sum segments = all")
	} else {
		r.expand("Identity sum = all")
	}
	r.expand("LayerNormalization@17+ all 5 6 = y0 epsilon:1e-12. Identity all = y2")
	if r.has(7) {
		r.expand("Cast 7 = whole to:6. ReduceSum whole second = y1 keepdims:0")
	} else {
		r.expand("Cast 0 = whole to:6. Sub whole whole = none. " +
			"ReduceSum none second = y1 keepdims:0")
	}
	return ""
}
