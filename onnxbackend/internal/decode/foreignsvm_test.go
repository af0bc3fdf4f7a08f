package decode_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// kernel has the attributes of a kernel.
func kernel(name string, params ...float32) []ot.Attribute {
	return []ot.Attribute{ot.Text("kernel_type", name), ot.Floats("kernel_params", params...)}
}

// radial is the kernel of most tests.
var radial = kernel("RBF", .25, 0, 0)

// machine is a support vector machine of two classes with further attributes.
func machine(more ...ot.Attribute) []ot.Attribute {
	return append([]ot.Attribute{
		ot.Floats("support_vectors", 3, -3, 1, -5, 2, -2), ot.Ints("vectors_per_class", 2, 1),
		ot.Floats("coefficients", .5, .25, -.75), ot.Floats("rho", .125),
		ot.Ints("classlabels_ints", 5, 6),
	}, more...)
}

// machine3 is a support vector machine of three classes with further attributes.
func machine3(more ...ot.Attribute) []ot.Attribute {
	return append([]ot.Attribute{
		ot.Floats("support_vectors", 3, -3, 1, -5, 2, -2, 4, -4),
		ot.Ints("vectors_per_class", 1, 2, 1),
		ot.Floats("coefficients", .5, .25, -.75, 1, -.3, .6, .9, -.2),
		ot.Floats("rho", .125, -.25, .0625), ot.Ints("classlabels_ints", 5, 6, 7),
	}, more...)
}

// svr is a support vector regressor with further attributes.
func svr(more ...ot.Attribute) []ot.Attribute {
	return append([]ot.Attribute{
		ot.Floats("support_vectors", 3, -3, 1, -5, 2, -2), ot.Int("n_supports", 3),
		ot.Floats("coefficients", .5, .25, -.75)}, more...)
}

// classifies makes a node of a classifier whose scores are y.
func classifies(attributes []ot.Attribute) ot.Node {
	return ml("SVMClassifier", []string{"bag"}, []string{"", "y"}, attributes...)
}

// regresses makes a node of a regressor.
func regresses(attributes []ot.Attribute) ot.Node {
	return ml("SVMRegressor", []string{"bag"}, []string{"y"}, attributes...)
}

// labelled makes nodes of a classifier whose label is y, as a number of a column.
func labelled(attributes []ot.Attribute) []ot.Node {
	return []ot.Node{
		ml("SVMClassifier", []string{"bag"}, []string{"label", "s"}, attributes...),
		ot.N("Cast", []string{"label"}, []string{"real"}, ot.Int("to", 1)),
		ot.N("Unsqueeze", []string{"real", "one"}, []string{"y"}),
	}
}

// TestSupportVectorMachines compares with the results of ONNX Runtime 1.32.
func TestSupportVectorMachines(t *testing.T) {
	platt := func(b float32) []ot.Node {
		return []ot.Node{classifies(append(machine(radial...), ot.Floats("prob_a", -2),
			ot.Floats("prob_b", b)))}
	}
	with := func(a []ot.Attribute, transform string) []ot.Node {
		return []ot.Node{classifies(append(a, ot.Text("post_transform", transform)))}
	}
	platt3 := func(a, b []float32, more ...ot.Attribute) []ot.Node {
		return []ot.Node{classifies(append(append(machine3(radial...), ot.Floats("prob_a", a...),
			ot.Floats("prob_b", b...)), more...))}
	}
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  []float64
	}{
		{"linear", []ot.Node{classifies(machine(kernel("LINEAR", 0, 0, 0)...))},
			[]float64{-5.875, 5.875}},
		{"no kernel", []ot.Node{classifies(machine())}, []float64{-5.875, 5.875}},
		{"polynomial", []ot.Node{classifies(machine(kernel("POLY", .5, 1, 3)...))},
			[]float64{-864.84375, 864.84375}},
		{"radial", []ot.Node{classifies(machine(radial...))}, []float64{-.371148, .371148}},
		{"sigmoid", []ot.Node{classifies(machine(kernel("SIGMOID", .03, -.4, 0)...))},
			[]float64{-.29354987, .29354987}},
		{"logistic", with(machine(radial...), "LOGISTIC"), []float64{.4082637, .5917363}},
		{"label", labelled(machine(radial...)), []float64{5}},
		{"label of the second", labelled(machine(kernel("POLY", -.5, 1, 3)...)), []float64{6}},
		{"label of the third", labelled(machine3(kernel("POLY", -.5, 1, 3)...)), []float64{7}},
		{"probability", platt(.3), []float64{.6080173, .3919828}},
		{"probability near 1", platt(-9), []float64{.9999412, .0000588}},
		{"probability of .84", platt(-.9), []float64{.8378468, .1621532}},
		{"probability of .66", platt(.05), []float64{.6633284, .3366716}},
		{"probability of .49", platt(.8), []float64{.4855776, .5144224}},
		{"probability near 0", platt(5), []float64{.013954957, .986045043}},
		{"three classes", []ot.Node{classifies(machine3(radial...))},
			[]float64{.37114799, .29516053, .33649707}},
		{"three classes, logistic", with(machine3(radial...), "LOGISTIC"),
			[]float64{.59173632, .57325906, .58333933}},
		{"three classes, softmax", with(machine3(radial...), "SOFTMAX"),
			[]float64{.34568936, .32039452, .33391607}},
		{"three probabilities", platt3([]float32{-2, -1, .5}, []float32{.3, -.4, .1}),
			[]float64{.4691706, .2613723, .269457}},
		{"three probabilities, one near 1", platt3([]float32{-20, -30, 10},
			[]float32{.3, -4, 1}), []float64{.99958390, .00040809417, .0000080001764}},
		{"three probabilities, a circle", platt3([]float32{0, 0, 0}, []float32{-5, 5, -5}),
			[]float64{1. / 3, 1. / 3, 1. / 3}},
		{"three probabilities, softmax", platt3([]float32{-2, -1, .5}, []float32{.3, -.4, .1},
			ot.Text("post_transform", "SOFTMAX")), []float64{.38003504, .3087294, .31123552}},
		{"label of three", labelled(machine3(radial...)), []float64{5}},
		{"regressor", []ot.Node{regresses(svr(append(radial, ot.Floats("rho", .125))...))},
			[]float64{.37114799}},
		{"inside", []ot.Node{regresses(svr(append(radial, ot.Floats("rho", .125),
			ot.Int("one_class", 1))...))}, []float64{1}},
		{"outside", []ot.Node{regresses(svr(append(radial, ot.Floats("rho", -.7),
			ot.Int("one_class", 1))...))}, []float64{-1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := largest(len(c.want), c.nodes...)
			model.Initializers = []ot.Tensor{ot.I("one", []int64{1}, 1)}
			m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
			bag := enginetest.SmallBag(1, 2)
			bag.Values = []float32{3, -4}
			p := must.Get(m.Predict(context.Background(), bag))(t)
			enginetest.CheckNear(t, "scores", p.Scores, c.want, 1e-6)
		})
	}
}

// TestRadialKernelFarFromZero checks that squares of features far from 0 do not cancel: values are
// those of the distances.
func TestRadialKernelFarFromZero(t *testing.T) {
	const far = 4096 // float32 has the sums below exactly, and their squares with errors of 1
	near := machine(radial...)
	near[0] = ot.Floats("support_vectors", far+3, far-3, far+1, far-5, far+2, far-2)
	m := must.Get(onnxbackend.Open(largest(2, classifies(near)).Bytes(), onnxbackend.Options{}))(t)
	bag := enginetest.SmallBag(1, 2)
	bag.Values = []float32{far + 3, far - 4}
	p := must.Get(m.Predict(context.Background(), bag))(t)
	enginetest.CheckNear(t, "scores", p.Scores, []float64{-.371148, .371148}, 1e-6)
}

// TestProbabilitiesOfPairs compares probabilities of two and more classes with the algorithm of
// libsvm, as Wu, Lin and Weng (2004) state it.
func TestProbabilitiesOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 200 {
		classes := 2 + n%4
		pairs := classes * (classes - 1) / 2
		a := machineOf(classes)
		var offsets []float32
		wins := make([][]float64, classes)
		for i := range wins {
			wins[i] = make([]float64, classes)
		}
		for i := range classes {
			for j := i + 1; j < classes; j++ {
				b := float32(r.NormFloat64() * 3)
				offsets = append(offsets, b)
				wins[i][j] = 1 / (1 + math.Exp(float64(b)))
				wins[j][i] = 1 - wins[i][j]
			}
		}
		a = append(a, ot.Floats("prob_a", make([]float32, pairs)...),
			ot.Floats("prob_b", offsets...))
		m := must.Get(onnxbackend.Open(largest(classes, classifies(a)).Bytes(),
			onnxbackend.Options{}))(t)
		p := must.Get(m.Predict(context.Background(), enginetest.SmallBag(1, 2)))(t)
		enginetest.CheckNear(t, fmt.Sprintf("probabilities of %d classes", classes), p.Scores,
			coupled(wins), 1e-5)
	}
}

// TestProbabilitiesOfInstances checks that instances which stop at different steps do not affect
// each other: coalitions have the scores that the whole graph gives them.
func TestProbabilitiesOfInstances(t *testing.T) {
	model := largest(3, classifies(append(machine3(radial...), ot.Floats("prob_a", -20, -3, 10),
		ot.Floats("prob_b", .3, -4, 1))))
	bag := enginetest.SmallBag(6, 2)
	for i := range bag.Values {
		bag.Values[i] += float32(3 - 7*(i%2))
	}
	m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
	want := []float64{0, 0, 0}
	for i := range bag.Len() {
		one := &core.Bag{Shape: bag.Shape, Values: bag.Instance(i)}
		for c, v := range must.Get(m.Predict(context.Background(), one))(t).Scores {
			want[c] = max(want[c], v)
		}
	}
	all := must.Get(m.Predict(context.Background(), bag))(t)
	enginetest.CheckNear(t, "largest", all.Scores, want, 1e-6)
	b := enginetest.Bind(t, m, bag, nil)
	enginetest.CheckStrategyEqualsPlain(t, b, model.Bytes(), bag)
}

// machineOf is a support vector machine of some classes with a vector each.
func machineOf(classes int) []ot.Attribute {
	var per, labels []int64
	for i := range classes {
		per, labels = append(per, 1), append(labels, int64(i))
	}
	return []ot.Attribute{ot.Floats("support_vectors", make([]float32, 2*classes)...),
		ot.Ints("vectors_per_class", per...), ot.Ints("classlabels_ints", labels...),
		ot.Floats("coefficients", make([]float32, classes*(classes-1))...),
		ot.Floats("rho", make([]float32, classes*(classes-1)/2)...)}
}

// coupled returns the probabilities of classes from those that class i wins against class j.
func coupled(wins [][]float64) []float64 {
	n := len(wins)
	p, q := make([]float64, n), make([][]float64, n)
	for i := range q {
		p[i], q[i] = 1/float64(n), make([]float64, n)
		for j := range n {
			q[i][i] += wins[j][i] * wins[j][i]
			if i != j {
				q[i][j] = -wins[j][i] * wins[i][j]
			}
		}
	}
	for range 100 {
		qp, pqp, worst := make([]float64, n), 0., 0.
		for i := range n {
			for j := range n {
				qp[i] += q[i][j] * p[j]
			}
			pqp += p[i] * qp[i]
		}
		for i := range n {
			worst = max(worst, math.Abs(qp[i]-pqp))
		}
		if worst < .005/float64(n) {
			break
		}
		for i := range p {
			d := (pqp - qp[i]) / q[i][i]
			p[i] += d
			pqp = (pqp + d*(d*q[i][i]+2*qp[i])) / (1 + d) / (1 + d)
			for j := range p {
				qp[j] = (qp[j] + d*q[i][j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
	return p
}

// TestUnsupportedMachines checks the errors for what is missing or does not fit together.
func TestUnsupportedMachines(t *testing.T) {
	of := func(replaced int, a ot.Attribute) ot.Node {
		all := machine(radial...)
		all[replaced] = a
		return classifies(all)
	}
	for _, c := range []struct {
		node ot.Node
		want string
	}{
		{classifies(nil), "vectors of 0 classes"},
		{of(1, ot.Ints("vectors_per_class", 3)), "vectors of 1 classes and labels of 2"},
		{of(1, ot.Ints("vectors_per_class", 4, -1)), "-1 support vectors"},
		{of(1, ot.Ints("vectors_per_class", 0, 0)), "needs its support vectors"},
		{of(1, ot.Ints("vectors_per_class", math.MaxInt32, math.MaxInt32)), "do not give"},
		{of(1, ot.Ints("vectors_per_class", 2, 2)), "do not give 4 vectors"},
		{of(2, ot.Floats("coefficients", 1, 2)), "2 coefficients"},
		{of(3, ot.Floats("rho", 1, 2)), "2 numbers of rho"},
		{classifies(machine(kernel("RBF", 1)...)), "1 parameters instead of three"},
		{classifies(machine(kernel("COSINE", 1, 1, 1)...)), `kernel "COSINE"`},
		{classifies(machine(ot.Text("post_transform", "SOFTMAX"))), "SOFTMAX"},
		{classifies(machine(ot.Text("post_transform", "PROBIT"))), "PROBIT"},
		{classifies(machine(ot.Floats("prob_a", 1))), "1 and 0 numbers"},
		{classifies(machine3(ot.Floats("prob_a", 1, 1), ot.Floats("prob_b", 1, 1))),
			"2 and 2 numbers, and it has 3 classes"},
		{regresses(svr(radial...)), "0 numbers of rho"},
		{regresses(svr(ot.Floats("rho", 1), ot.Text("post_transform", "LOGISTIC"))), "LOGISTIC"},
		{regresses(nil), "needs its support vectors"},
		{regresses([]ot.Attribute{ot.Int("n_supports", -1)}), "do not give -1 vectors"},
	} {
		_, err := onnxbackend.Open(largest(2, c.node).Bytes(), onnxbackend.Options{})
		var gap *onnxbackend.UnsupportedError
		must.As(t, err, &gap, c.want)
	}
}

// TestMachinesOfManyClasses checks that a small file cannot make a large matrix.
func TestMachinesOfManyClasses(t *testing.T) {
	const classes = 2000
	labels, per := make([]int64, classes), make([]int64, classes)
	per[0] = 40
	rho := make([]float32, classes*(classes-1)/2)
	node := classifies([]ot.Attribute{ot.Floats("support_vectors", make([]float32, 80)...),
		ot.Ints("vectors_per_class", per...), ot.Floats("rho", rho...),
		ot.Floats("coefficients", make([]float32, 40*(classes-1))...),
		ot.Ints("classlabels_ints", labels...)})
	_, err := onnxbackend.Open(largest(2, node).Bytes(), onnxbackend.Options{})
	must.Fail(t, err, "too large")
}
