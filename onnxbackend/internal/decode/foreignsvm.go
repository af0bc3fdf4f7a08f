package decode

import (
	"fmt"
	"math"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A machine holds the numbers of a support vector machine.
type machine struct {
	vectors      []float32 // (vector, feature)
	coefficients []float32
	n, features  int // numbers of vectors and of their features
}

// svmClassifier writes a support vector machine for each pair of classes, and the two outputs of a
// classifier. Scores are those of the pairs (0, 1), (0, 2), ..., (1, 2), ...; of two classes the
// negative one and the score; probabilities if the node has the sigmoids of Platt.
func (r *replacement) svmClassifier() string {
	perClass := r.given("vectors_per_class").Ints
	labels := r.labels()
	classes := labels.count
	if len(perClass) != classes || classes < 2 {
		return fmt.Sprintf("it has vectors of %d classes and labels of %d", len(perClass), classes)
	}
	n := int64(0)
	for _, of := range perClass {
		if of < 0 || of > math.MaxInt32 {
			return fmt.Sprintf("a class has %d support vectors", of)
		}
		n += of
	}
	m, gap := r.machine(n, classes-1)
	if gap != "" {
		return gap
	}
	rho := r.given("rho").Floats
	if pairs := classes * (classes - 1) / 2; len(rho) != pairs {
		return fmt.Sprintf("its %d numbers of rho are not one for each of %d pairs of classes",
			len(rho), pairs)
	}
	if m.n*len(rho) > r.cells {
		return fmt.Sprintf("the matrix of %d vectors and %d pairs of classes is too large", m.n,
			len(rho))
	}
	if gap := r.kernel(m); gap != "" {
		return gap
	}
	r.floats("w", m.pairs(perClass), m.n, len(rho))
	r.floats("rho", rho, len(rho))
	r.expand("Gemm kernels w rho = pairs")
	if gap := r.pairScores(classes); gap != "" {
		return gap
	}
	if r.isRead(0) {
		r.vote(classes)
	}
	r.label(labels, "votes")
	return ""
}

// svmRegressor writes the sum of the kernels' values, or 1 and -1 for the two sides of one class.
func (r *replacement) svmRegressor() string {
	m, gap := r.machine(r.given("n_supports").Int, 1)
	if gap != "" {
		return gap
	}
	rho := r.given("rho").Floats
	if len(rho) != 1 {
		return fmt.Sprintf("it has %d numbers of rho instead of one", len(rho))
	}
	if gap := r.kernel(m); gap != "" {
		return gap
	}
	r.floats("w", m.coefficients, m.n, 1)
	r.floats("rho", rho, 1)
	r.expand("Gemm kernels w rho = value")
	// ONNX Runtime ignores transforms here.
	if how := r.given("post_transform").String; how != "" && how != "NONE" {
		return noTransform(how)
	}
	if r.given("one_class").Int == 0 {
		r.expand("Identity value = y0")
		return ""
	}
	r.expand("zero 0. inside 1. outside -1. Greater value zero = is. Where is inside outside = y0")
	return ""
}

// machine reads n support vectors with the given number of coefficients each, or returns the reason
// why the lists of the node do not have them.
func (r *replacement) machine(n int64, each int) (m machine, gap string) {
	m.vectors, m.coefficients = r.given("support_vectors").Floats, r.given("coefficients").Floats
	switch {
	case n == 0:
		return m, "this engine needs its support vectors; convert a linear machine as LinearSVC " +
			"or LinearSVR"
	case n < 0 || n > int64(len(m.vectors)) || len(m.vectors)%int(n) != 0 ||
		len(m.coefficients)%each != 0 || int64(len(m.coefficients)/each) != n:
		return m, fmt.Sprintf("its %d numbers of vectors and %d coefficients do not give %d "+
			"vectors with %d coefficients each", len(m.vectors), len(m.coefficients), n, each)
	}
	m.n, m.features = int(n), len(m.vectors)/int(n)
	return m, ""
}

// kernel writes the values of the kernel for the input and each support vector, "kernels" (rows,
// vectors).
func (r *replacement) kernel(m machine) string {
	kind := r.given("kernel_type").String
	var gamma, offset, degree float32
	switch p := r.given("kernel_params").Floats; {
	case kind == "" || kind == "LINEAR":
	case len(p) != 3:
		return fmt.Sprintf("its kernel has %d parameters instead of three", len(p))
	default:
		gamma, offset, degree = p[0], p[1], p[2]
	}
	for name, v := range map[string]float32{"gamma": gamma, "offset": offset, "degree": degree} {
		r.floats(name, []float32{v})
	}
	r.expand("Cast 0 = x to:1")
	switch kind {
	case "", "LINEAR":
		r.floats("s", m.vectors, m.n, m.features)
		r.expand("Gemm x s = kernels transB:1")
	case "POLY", "SIGMOID":
		r.floats("s", m.vectors, m.n, m.features)
		last := map[string]string{"POLY": "Pow inner degree = kernels",
			"SIGMOID": "Tanh inner = kernels"}
		r.expand("Gemm x s = dots transB:1. Mul dots gamma = part. Add part offset = inner. " +
			last[kind])
	case "RBF":
		r.radial(m, gamma)
	default:
		return "this engine does not support the kernel " + msg.Quoted(kind)
	}
	return ""
}

// radial writes exp(-gamma |x - s|²) by the squares of x and s and their product. All are moved by
// the mean of the vectors first: distances stay, and squares of features far from 0 do not cancel.
func (r *replacement) radial(m machine, gamma float32) {
	centre := make([]float64, m.features)
	for i, v := range m.vectors {
		centre[i%m.features] += float64(v) / float64(m.n)
	}
	moved, squares := make([]float32, len(m.vectors)), make([]float32, m.n)
	at := make([]float32, m.features)
	for f, v := range centre {
		at[f] = float32(v)
	}
	for i := range squares {
		sum := 0.0
		for f := range at {
			d := float64(m.vectors[i*m.features+f]) - float64(at[f])
			moved[i*m.features+f] = float32(-2 * d)
			sum += d * d
		}
		squares[i] = float32(sum)
	}
	r.floats("at", at, m.features)
	r.floats("s", moved, m.n, m.features)
	r.floats("squares", squares, m.n)
	r.floats("rate", []float32{-gamma})
	// Rounding may make the square of a small distance negative.
	r.expand("Sub x at = near. ReduceSumSquare near = own axes:-1. Gemm near s squares = part " +
		"transB:1. Add own part = sum. Relu sum = square. Mul square rate = power. " +
		"Exp power = kernels")
}

// pairs returns the coefficients (vector, pair) of the machines for pairs of classes. In the node,
// row j-1 of class i and row i of class j belong to the pair (i, j).
func (m *machine) pairs(perClass []int64) []float32 {
	starts := make([]int, len(perClass)+1)
	for c, n := range perClass {
		starts[c+1] = starts[c] + int(n)
	}
	pairs := len(perClass) * (len(perClass) - 1) / 2
	out := make([]float32, m.n*pairs)
	pair := 0
	for i := range perClass {
		for j := i + 1; j < len(perClass); j++ {
			for v := starts[i]; v < starts[i+1]; v++ {
				out[v*pairs+pair] = m.coefficients[(j-1)*m.n+v]
			}
			for v := starts[j]; v < starts[j+1]; v++ {
				out[v*pairs+pair] = m.coefficients[i*m.n+v]
			}
			pair++
		}
	}
	return out
}

// pairScores writes the second output from the value "pairs".
func (r *replacement) pairScores(classes int) string {
	a, b := r.given("prob_a").Floats, r.given("prob_b").Floats
	switch {
	case len(a) != len(b) || len(a) > 0 && len(a) != classes*(classes-1)/2:
		return fmt.Sprintf("its lists of sigmoids have %d and %d numbers, and it has %d classes",
			len(a), len(b), classes)
	case len(a) > 0 && classes > 2:
		r.couple(a, b, classes)
		return r.transformed("probabilities = y1")
	case len(a) > 0:
		r.platt(a[0], b[0])
		return r.transformed("probabilities = y1")
	case classes > 2:
		r.paired = true
		return r.transformed("pairs = y1")
	case r.given("post_transform").String == "SOFTMAX": // ONNX Runtime has other scores here
		return noTransform("SOFTMAX")
	}
	r.expand("Neg pairs = no. Concat no pairs = both axis:1")
	return r.transformed("both = y1")
}

// round is a step of platt, from the distance e# of the first probability to e@: the two updates
// of the algorithm, unless its error is small enough.
const round = "Mul e# e# = ee#. Mul q e# = qe#. Sub qe# ee# = lower#. Abs lower# = error0#. " +
	"Mul p e# = pe#. Add pe# ee# = upper#. Abs upper# = error1#. Max error0# error1# = error#. " +
	"Less error# enough = stop#. " +
	"Mul q q = qq#. Sub qq# lower# = under0#. Mul ee# q = over0#. Div over0# under0# = g#. " +
	"Mul g# g# = gg#. Mul p p = pp#. Mul p g# = pg#. Add pp# pg# = some#. " +
	"Add some# gg# = under1#. Mul gg# p = over1#. Div over1# under1# = minus#. " +
	"Neg minus# = h#. Where stop# e# h# = e@"

// platt writes the "probabilities" of two classes from the score of their pair (Platt 2000). libsvm
// combines the probabilities of pairs in steps (Wu, Lin and Weng 2004, algorithm 2). It stops
// before they are exact, so that those of two classes are off by up to .005. For two classes a step
// is a formula in the distance of the first probability from that of the pair, and two steps are
// enough for any pair.
func (r *replacement) platt(a, b float32) {
	r.floats("a", []float32{-a})
	r.floats("b", []float32{-b})
	r.expand("half 0.5. one 1. enough 0.0025. least 1e-7. most 0.9999999. Mul pairs a = slope. " +
		"Add slope b = line. Sigmoid line = any. Clip any least most = p. Sub one p = q. " +
		"Sub half p = e0")
	r.expand(strings.NewReplacer("#", "0", "@", "1").Replace(round))
	r.expand(strings.NewReplacer("#", "1", "@", "2").Replace(round))
	r.expand("Add p e2 = yes. Sub one yes = no. Concat yes no = probabilities axis:1")
}

// vote writes "votes" (rows, classes): each pair votes for its first class if its score is
// positive, else for its second one.
func (r *replacement) vote(classes int) {
	pairs := classes * (classes - 1) / 2
	seconds, change := make([]float32, classes), make([]float32, pairs*classes)
	pair := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			seconds[j]++
			change[pair*classes+i], change[pair*classes+j] = 1, -1
			pair++
		}
	}
	r.floats("seconds", seconds, classes)
	r.floats("change", change, pairs, classes)
	r.expand("none 0. Greater pairs none = won. Cast won = one_if_won to:1. " +
		"Gemm one_if_won change seconds = votes")
}
