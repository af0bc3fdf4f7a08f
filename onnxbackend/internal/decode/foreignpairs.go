package decode

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// mostSteps is how often libsvm corrects each probability at most.
const mostSteps = 100

// correction is a trip of couple's loop. It corrects the probability p of one class, that of number
// t in all rows which have not stopped: the update of Wu, Lin and Weng (2004), algorithm 2. A row
// stops where its largest error is small before the correction of the first class.
const correction = "Mod trip classes = t. MatMul q p = qp. Mul p qp = parts. " +
	"ReduceSum parts axis1 = pqp. Sub pqp qp = gaps. " +
	"Abs gaps = errors. ReduceMax errors = error axes:1. Less error enough = small. " +
	"Equal t first = begins. And small begins = stops. Or stops stopped = nextstopped. " +
	"Gather gaps t = gap axis:1. Gather curvature t = divisor axis:1. Div gap divisor = step. " +
	"Gather eye t = unit axis:1. Mul step unit = shift. Add p shift = moved. " +
	"Add step one = total. Div moved total = scaled. Where nextstopped p scaled = nextp. " +
	"Cast nextstopped = flags to:6. ReduceMin flags = all keepdims:0. Cast all = end to:9. " +
	"Not end = more"

// couple writes the "probabilities" (rows, classes) of at least three classes from the scores of
// their pairs. Each pair has a probability (Platt 2000). libsvm combines them in steps and stops
// before they are exact, so the steps are repeated here with its bound.
func (r *replacement) couple(a, b []float32, classes int) {
	pairs := len(a)
	slopes, offsets := make([]float32, pairs), make([]float32, pairs)
	for i := range a {
		slopes[i], offsets[i] = -a[i], -b[i]
	}
	// wins finds the probability that class i wins against class j, among those of the pairs and
	// their complements. Classes have none against themselves.
	wins, others, eye := make([]int64, classes*classes), make([]float32, classes*classes),
		make([]float32, classes*classes)
	pair := int64(0)
	for i := range classes {
		eye[i*classes+i] = 1
		for j := i + 1; j < classes; j++ {
			wins[i*classes+j], wins[j*classes+i] = pair, int64(pairs)+pair
			others[i*classes+j], others[j*classes+i] = 1, 1
			pair++
		}
	}
	r.floats("a", slopes, pairs)
	r.floats("b", offsets, pairs)
	r.floats("others", others, classes, classes)
	r.floats("eye", eye, classes, classes)
	r.constant("wins", tensor.From(tensor.Int64, wins, classes, classes))
	for name, v := range map[string]int64{"classes": int64(classes), "first": 0, "axis1": 1,
		"axis2": 2, "trips": int64(mostSteps * classes)} {
		r.constant(name, tensor.From(tensor.Int64, []int64{v}, 1))
	}
	r.floats("start", []float32{1 / float32(classes)})
	r.floats("enough", []float32{.005 / float32(classes)})
	r.expand("one 1. zero 0. least 1e-7. most 0.9999999. Mul pairs a = slope. " +
		"Add slope b = line. Sigmoid line = any. Clip any least most = first_wins. " +
		"Sub one first_wins = second_wins. " +
		"Concat first_wins second_wins = both axis:1. Gather both wins = each axis:1. " +
		"Mul each others = ahead. Sub others ahead = behind. " +
		"ReduceSumSquare behind = curvature axes:2. Mul curvature eye = diagonal. " +
		"Mul ahead behind = products. Sub diagonal products = q. Mul curvature zero = zeros. " +
		"Add zeros start = p0. ReduceSumSquare p0 = size axes:1. Less size zero = stopped0")
	r.loop("trips", []string{"p", "stopped"}, []tensor.Type{tensor.Float32, tensor.Bool},
		correction)
	r.expand("Squeeze plast axis2 = probabilities")
}

// loop adds a Loop of at most a number of trips. A state S begins as S0, its next value in the body
// is nextS and its last one Slast. The body may read "trip", and writes "more".
func (r *replacement) loop(trips string, states []string, types []tensor.Type, body string) {
	whole := r.nodes
	r.nodes = nil
	r.expand(body)
	g := &Graph{Name: "body", Nodes: r.nodes,
		Inputs:  []Value{{Name: "trip", Type: tensor.Int64}, {Name: "go", Type: tensor.Bool}},
		Outputs: []Value{{Name: "more", Type: tensor.Bool}}}
	n := Node{Op: "Loop", Inputs: []string{trips, ""}, Offset: r.of.Offset,
		Attributes: []Attribute{{Name: "body", Kind: KindGraph, Graph: g}}}
	for i, s := range states {
		g.Inputs = append(g.Inputs, Value{Name: s, Type: types[i]})
		g.Outputs = append(g.Outputs, Value{Name: "next" + s, Type: types[i]})
		n.Inputs, n.Outputs = append(n.Inputs, s+"0"), append(n.Outputs, s+"last")
	}
	r.nodes = append(whole, n)
}
