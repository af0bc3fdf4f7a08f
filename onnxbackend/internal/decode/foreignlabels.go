package decode

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// mostLabels bounds the keys of a LabelEncoder, with each of which every number is compared.
const mostLabels = 1 << 12

// labelEncoder writes a LabelEncoder of numbers: the value of the first key that is equal, or the
// default. Labels that it makes to text are left out, as converters write them behind a classifier.
func (r *replacement) labelEncoder() string {
	if values := r.given("values_tensor"); len(r.given("values_strings").Strings) > 0 ||
		values.Kind == KindTensor && values.Tensor.Type == tensor.String {
		r.text = true
		return ""
	}
	keys, values := r.coded("keys"), r.coded("values")
	switch {
	case keys == nil || values == nil:
		return "this engine maps whole numbers of 64 bits and real numbers of 32 bits to such, " +
			"and leaves out labels of text"
	case keys.Len() != values.Len() || keys.Len() == 0 || keys.Len() > mostLabels:
		return msg.Sprintf("it has %d keys and %d values, and this engine reads 1 to %d of each",
			keys.Len(), values.Len(), mostLabels)
	case keys.Type == tensor.Float32 && slices.ContainsFunc(tensor.Of[float32](keys),
		func(v float32) bool { return math.IsNaN(float64(v)) }):
		return "one of its keys is not a number"
	}
	n := keys.Len()
	otherwise := r.given("default_tensor").Tensor
	switch {
	case otherwise != nil && otherwise.Type == values.Type && otherwise.Len() == 1:
		otherwise = shaped(otherwise)
	case otherwise != nil:
		return "its default has another type than its values"
	case values.Type == tensor.Float32:
		v := float32(math.Copysign(0, -1))
		if a := r.given("default_float"); a.Kind == KindFloat {
			v = a.Float
		}
		otherwise = tensor.From(tensor.Float32, []float32{v})
	default:
		v := int64(-1)
		if a := r.given("default_int64"); a.Kind == KindInt {
			v = a.Int
		}
		otherwise = tensor.From(tensor.Int64, []int64{v})
	}
	r.constant("keys", shaped(keys, n))
	r.constant("values", shaped(values, n))
	r.constant("default", otherwise)
	r.constant("last", tensor.From(tensor.Int64, []int64{-1}, 1))
	r.expand("Unsqueeze 0 last = each. Equal each keys = equal. Cast equal = one to:6. " +
		"ArgMax one = at axis:-1 keepdims:0. Gather values at = value. " +
		"ReduceMax one = any axes:-1 keepdims:0. Cast any = known to:9. " +
		"Where known value default = y0")
	return ""
}

// zipMap writes a ZipMap, whose dicts of a score for each class are rows here.
func (r *replacement) zipMap() string {
	r.expand("Identity 0 = y0")
	if r.isRead(0) {
		r.in.zipped[r.of.Outputs[0]] = max(len(r.given("classlabels_int64s").Ints),
			len(r.given("classlabels_strings").Strings))
	}
	return ""
}

// coded returns the keys or values of a LabelEncoder that are numbers, or nil.
func (r *replacement) coded(which string) *tensor.Tensor {
	ints, floats := r.given(which+"_int64s").Ints, r.given(which+"_floats").Floats
	switch t := r.given(which + "_tensor").Tensor; {
	case len(ints) > 0:
		return tensor.From(tensor.Int64, ints, len(ints))
	case len(floats) > 0:
		return tensor.From(tensor.Float32, floats, len(floats))
	case t != nil && (t.Type == tensor.Int64 || t.Type == tensor.Float32):
		return t
	}
	return nil
}

// shaped returns a tensor with the elements of another, which has as many.
func shaped(t *tensor.Tensor, shape ...int) *tensor.Tensor {
	c := *t
	c.Shape = shape
	return &c
}
