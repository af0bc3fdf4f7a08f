package decode

import (
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// activations has the activations of fused layers, with their parameters in order.
var activations = map[string][]string{"Relu": nil, "Sigmoid": nil, "Tanh": nil, "Softplus": nil,
	"Softsign": nil, "LeakyRelu": {"alpha"}, "Elu": {"alpha"}, "ThresholdedRelu": {"alpha"},
	"HardSigmoid": {"alpha", "beta"}}

// fusedGemm writes a Gemm and its activation, whose parameters are attributes.
func (r *replacement) fusedGemm() string {
	r.expand("Gemm+ 0 1 2 = x")
	var params []float32
	for _, name := range []string{"activation_alpha", "activation_beta"} {
		if a := r.given(name); a.Kind == KindFloat {
			params = append(params, a.Float)
		}
	}
	return r.activated(params)
}

// fusedConv writes a Conv, the sum with a fourth input, and the activation, whose parameters are a
// list.
func (r *replacement) fusedConv() string {
	r.expand("Conv+ 0 1 2 = c. Add? c 3 = x")
	return r.activated(r.given("activation_params").Floats)
}

// activated writes the activation of x. Parameters that are not given have the defaults of the
// default domain.
func (r *replacement) activated(params []float32) string {
	op := r.given("activation").String
	names, known := activations[op]
	switch {
	case op == "":
		r.expand("Identity x = y0")
	case op == "Clip" && len(params) == 2:
		r.expand("low " + number(params[0]) + ". high " + number(params[1]) +
			". Clip x low high = y0")
	case !known:
		return msg.Sprintf("this engine does not support its activation %q", op)
	default:
		text := op + " x = y0"
		for i, name := range names[:min(len(names), len(params))] {
			text += " " + name + ":" + number(params[i])
		}
		r.expand(text)
	}
	return ""
}

// number writes a number for expand.
func number(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// fusedMatMul writes alpha times a MatMul. transA and transB exchange the last two dimensions of a
// factor. Before this, transBatchA and transBatchB move its first one behind the others of the
// batch, as in (rows, batch, columns). The number of dimensions is not known here, so that an
// Einsum reorders them.
func (r *replacement) fusedMatMul() string {
	text, factors := "", ""
	for i, side := range []string{"A", "B"} {
		factor := strconv.Itoa(i)
		from, to := "...ij", "...ij"
		if r.given("transBatch"+side).Int != 0 {
			from = "i...j"
		}
		if r.given("trans"+side).Int != 0 {
			to = "...ji"
		}
		if from != to {
			text += "Einsum " + factor + " = turned" + side + " equation:" + from + "->" + to + ". "
			factor = "turned" + side
		}
		factors += " " + factor
	}
	alpha := float32(1)
	if a := r.given("alpha"); a.Kind == KindFloat {
		alpha = a.Float
	}
	if text += "MatMul" + factors; alpha == 1 {
		r.expand(text + " = y0")
	} else {
		r.expand(text + " = x. alpha " + number(alpha) + ". Mul x alpha = y0")
	}
	return ""
}

// pictures writes an operator of pictures from x to y. With channels_last, which some operators
// have as their default, pictures are (batch, height, width, channels).
func (r *replacement) pictures(node string) string {
	last := r.given("channels_last")
	if last.Int != 0 || last.Name == "" && r.key.name == "GroupNorm" ||
		strings.HasPrefix(r.key.name, "Nhwc") {
		r.expand("Transpose 0 = x perm:0,3,1,2. " + node + ". Transpose y = y0 perm:0,2,3,1")
	} else {
		r.expand("Identity 0 = x. " + node + ". Identity y = y0")
	}
	return ""
}

// groupNorm writes a GroupNormalization, and a Swish if activation is 1. Its pictures are
// channels-last unless the node states otherwise.
func (r *replacement) groupNorm() string {
	text := "GroupNormalization@21 x 1 2 = n num_groups:" +
		strconv.FormatInt(r.given("groups").Int, 10)
	if a := r.given("epsilon"); a.Kind == KindFloat {
		text += " epsilon:" + number(a.Float)
	}
	switch r.given("activation").Int {
	case 0:
		text += ". Identity n = y"
	case 1:
		text += ". Swish@24 n = y"
	default:
		return "this engine does not support its activation"
	}
	return r.pictures(text)
}

// quantisedPictures writes a quantised operator of pictures, which maps a to c.
func (r *replacement) quantisedPictures(node string) string {
	return r.pictures("DequantizeLinear x 1 2 = a. " + node + " = c. QuantizeLinear c 3 4 = y")
}

// matMulBits writes a MatMul whose second factor is stored as numbers of 2, 4 or 8 bits: N rows of
// blocks, each with a scale and a zero point. The factor is a constant of float32 here.
func (r *replacement) matMulBits() string {
	bits, size := int(r.given("bits").Int), int(r.given("block_size").Int)
	if r.given("bits").Name == "" {
		bits = 4
	}
	k, n := int(r.given("K").Int), int(r.given("N").Int)
	codes, scales := r.tensorOf(1), r.tensorOf(2)
	const limit = 1 << 24
	switch {
	case bits != 2 && bits != 4 && bits != 8:
		return "this engine reads weights of 2, 4 or 8 bits"
	case size < 8 || size > limit || k < 1 || k > limit || n < 1 || n > limit || k*n > r.cells:
		return msg.Sprintf("its weights of %d by %d numbers in blocks of %d are too many or none",
			k, n, size)
	case codes == nil || scales == nil:
		return "its weights are not constants of the file"
	case r.has(4):
		return "this engine does not read weights in the order of an index"
	}
	blocks := (k + size - 1) / size
	stored, rowBytes := codes.Len(), blocks*size*bits/8
	if codes.Type != tensor.Uint8 || scales.Type != tensor.Float32 || size*bits%8 != 0 ||
		stored != n*rowBytes || scales.Len() != n*blocks {
		return msg.Sprintf("its weights have shape %v and their scales %v", codes.Shape,
			scales.Shape)
	}
	zero, gap := r.zeroPoints(bits, n, blocks)
	if gap != "" {
		return gap
	}
	// Many nodes can read the same codes.
	if r.err = r.in.kept.reserve(4 * k * n); r.err != nil {
		return ""
	}
	w := make([]float32, k*n)
	from, by := tensor.Of[uint8](codes), tensor.Of[float32](scales)
	for row := range n {
		for i := range k {
			block := row*blocks + i/size
			code := unpacked(from[row*rowBytes:], i, bits)
			w[i*n+row] = (float32(code) - zero(block)) * by[block]
		}
	}
	r.floats("w", w, k, n)
	r.expand("MatMul 0 w = x. Add? x 5 = y0")
	return ""
}

// unpacked returns number i of those that bytes hold, the lowest bits first.
func unpacked(from []uint8, i, bits int) uint8 {
	of := 8 / bits
	return from[i/of] >> (i % of * bits) & (1<<bits - 1)
}

// zeroPoints returns the zero point of each block. They are packed as the weights are, each row
// from a new byte; or real numbers; or half of the range if they are omitted.
func (r *replacement) zeroPoints(bits, n, blocks int) (zero func(block int) float32, gap string) {
	if !r.has(3) {
		return func(int) float32 { return float32(int(1) << (bits - 1)) }, ""
	}
	t, rowBytes := r.tensorOf(3), (blocks*bits+7)/8
	switch {
	case t != nil && t.Type == tensor.Uint8 && t.Len() == n*rowBytes:
		v := tensor.Of[uint8](t)
		return func(block int) float32 {
			return float32(unpacked(v[block/blocks*rowBytes:], block%blocks, bits))
		}, ""
	case t != nil && t.Type == tensor.Float32 && t.Len() == n*blocks:
		v := tensor.Of[float32](t)
		return func(block int) float32 { return v[block] }, ""
	}
	return nil, "its zero points are no constants of the file that fit its weights"
}
