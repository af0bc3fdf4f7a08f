package signature

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Words of the card's key "pool": how the scores of instances become those of their bag.
const (
	poolMean    = "mean"
	poolMax     = "max"
	poolLSE     = "lse"
	poolNoisyOr = "noisy-or"
	poolVote    = "vote"
	poolTop     = "top:" // and a number
)

// maxTop bounds the number behind poolTop.
const maxTop = 1 << 20

// poolWords lists the words of "pool" for messages.
const poolWords = `mean, max, lse, noisy-or, vote or top:K, such as top:10`

// checkPool returns what is wrong with a value of "pool", or "".
func checkPool(word string) string {
	switch word {
	case "", poolMean, poolMax, poolLSE, poolNoisyOr, poolVote:
		return ""
	}
	if n, found := strings.CutPrefix(word, poolTop); found {
		if k, err := strconv.Atoi(n); err == nil && k >= 1 && k <= maxTop {
			return ""
		}
	}
	return msg.Sprintf("%q is none of %s", word, poolWords)
}

// Pool adds the pooling of the card to the graph of a model that scores each instance by itself, so
// that it is explained as a model that was exported with this pooling. The scores of the instances,
// (k), (k, C) or (1, k, C), stay an output, and are the inherent scores if the card names no other.
// Without a pooling in the card it does nothing. Errors are a *fault.Format that names the key of
// the card.
func Pool(g *decode.Graph, card *Card) error {
	if card.Pool == "" {
		return nil
	}
	at, err := pooledOutput(g.Outputs, card)
	if err != nil {
		return err
	}
	p := &pooling{writer: writer{prefix: g.Outputs[at].Name + "/pooled"}, g: g,
		scores: g.Outputs[at].Name, classes: scoresOf(&g.Outputs[at])}
	p.probabilities = card.Output == core.ScaleProbabilities || endsInProbabilities(g, p.scores)
	x := p.cast("scores", p.scores)
	if s := g.Outputs[at].Shape; p.classes != anyNumber && (len(s) != 2 || s[0] == 1) {
		// (k), (1, k) or (1, k, C)
		x = p.add("Reshape", p.prefix+"/rows", nil, x, p.integers("shape", -1, p.classes))
	}
	if err := p.pool(x, card); err != nil {
		return err
	}
	if card.Inherent == "" {
		card.Inherent = p.scores
	}
	card.pooledPort = p.prefix
	g.Nodes = append(slices.Clip(g.Nodes), p.nodes...)
	g.Outputs = append(slices.Clip(g.Outputs), decode.Value{Name: p.prefix, Type: tensor.Float32,
		Shape: []int{1, p.classes}, Names: []string{"", ""}})
	return nil
}

// pooledOutput returns the place of the output with the scores of the instances: the one that the
// card names, else the only one of real numbers of a fitting shape.
func pooledOutput(outputs []decode.Value, card *Card) (int, error) {
	bad := func(reason string, args ...any) (int, error) {
		return -1, fault.Formatf("model card", "key \"pool\": "+reason, args...)
	}
	var could []int
	var names []string
	for i := range outputs {
		v := &outputs[i]
		if card.OutputName != "" && v.Name != card.OutputName {
			continue
		}
		if scoresOf(v) != 0 {
			could, names = append(could, i), append(names, msg.Quoted(v.Name))
		}
	}
	switch {
	case len(could) == 1:
		return could[0], nil
	case len(could) > 1:
		return bad("the outputs %s could hold the scores of the instances: name one as "+
			"\"output_name\"", strings.Join(names, " and "))
	case card.OutputName != "":
		return bad("the graph has no output %q of real numbers (k), (k, C) or (1, k, C) with a "+
			"declared number of scores C", card.OutputName)
	}
	return bad("no output of the graph has real numbers (k), (k, C) or (1, k, C) with a declared " +
		"number of scores C for each instance")
}

// anyNumber is the number of scores of an output without a declared shape, which is (k, C).
const anyNumber = -1

// scoresOf returns the number of scores of each instance in an output (k), (1, k), (k, C) or (1, k,
// C) of real numbers, anyNumber if the file declares no shape, as for a list of dicts of
// probabilities, or 0 if the output has another shape or another type.
func scoresOf(v *decode.Value) int {
	s := v.Shape
	switch {
	case !v.Type.Float() && v.Type != tensor.Undefined:
		return 0
	case len(s) == 0: // a single number would be no score of each instance
		return anyNumber
	case len(s) == 1, len(s) == 2 && s[0] == 1 && s[1] < 0:
		return 1
	case (len(s) == 2 || len(s) == 3 && s[0] <= 1) && s[len(s)-1] > 0 &&
		s[len(s)-1] <= maxClasses:
		return s[len(s)-1]
	}
	return 0
}

// endsInProbabilities reports whether a value comes out of a Softmax or Sigmoid.
func endsInProbabilities(g *decode.Graph, name string) bool {
	for range g.Nodes { // a file may claim a cycle
		at := slices.IndexFunc(g.Nodes,
			func(n decode.Node) bool { return slices.Contains(n.Outputs, name) })
		if at < 0 || len(g.Nodes[at].Inputs) == 0 {
			return false
		}
		switch n := &g.Nodes[at]; n.Op {
		case "Softmax", "Sigmoid":
			return true
		case "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Cast":
			name = n.Inputs[0]
		default:
			return false
		}
	}
	return false
}

// A pooling writes the nodes that pool scores.
type pooling struct {
	writer
	g             *decode.Graph
	scores        string // output with the scores of the instances
	classes       int    // scores of each instance
	probabilities bool   // whether they are known to be
}

// pool adds the pooling of x, (k, C), as the value named prefix, (1, C).
func (p *pooling) pool(x string, card *Card) error {
	switch {
	case card.Pool == poolMean:
		p.over("ReduceMean", p.prefix, x, 0)
	case card.Pool == poolMax:
		p.over("ReduceMax", p.prefix, x, 0)
	case card.Pool == poolLSE: // log mean exp: between the mean and the maximum
		most := p.over("ReduceMax", p.prefix+"/most", x, 0)
		less := p.add("Exp", p.prefix+"/exp", nil, p.add("Sub", p.prefix+"/less", nil, x, most))
		p.add("Add", p.prefix, nil, most, p.add("Log", p.prefix+"/log", nil,
			p.over("ReduceMean", p.prefix+"/mean", less, 0)))
	case card.Pool == poolNoisyOr:
		if !p.probabilities {
			return fault.Formatf("model card", "key \"pool\": noisy-or takes probabilities, and "+
				"output %q does not end in a Softmax or Sigmoid; if it holds probabilities all "+
				"the same, say \"output\": \"probabilities\"; else take lse or max", p.scores)
		}
		none := p.over("ReduceProd", p.prefix+"/none",
			p.add("Sub", p.prefix+"/not", nil, p.number("one", 1), x), 0)
		p.add("Sub", p.prefix, nil, p.prefix+"/one", none)
		card.Output = core.ScaleProbabilities
	case card.Pool == poolVote:
		if p.classes == anyNumber {
			return fault.Formatf("model card", "key \"pool\": vote needs the number of scores of "+
				"each instance, and the file declares no shape of output %q; take mean", p.scores)
		}
		p.vote(x)
		card.Output = core.ScaleProbabilities
	default:
		n, _ := strconv.Atoi(strings.TrimPrefix(card.Pool, poolTop))
		p.top(x, n)
	}
	return nil
}

// vote adds the share of the instances whose largest score is that of each class. Of a single
// score, it is the share of those above a half if it is a probability, else above 0.
func (p *pooling) vote(x string) {
	if p.classes == 1 {
		least := float32(0)
		if p.probabilities {
			least = .5
		}
		p.over("ReduceMean", p.prefix, p.cast("votes", p.add("Greater", p.prefix+"/above", nil, x,
			p.number("least", least))), 0)
		return
	}
	votes := p.cast("votes", p.add("Equal", p.prefix+"/largest", nil, x,
		p.over("ReduceMax", p.prefix+"/most", x, 1)))
	equal := p.over("ReduceMean", p.prefix+"/equal", votes, 1) // equal scores share a vote
	all := p.add("Mul", p.prefix+"/all", nil, equal, p.number("classes", float32(p.classes)))
	p.over("ReduceMean", p.prefix, p.add("Div", p.prefix+"/share", nil, votes, all), 0)
}

// top adds the mean of the n largest scores of each class, or of all scores of smaller bags.
func (p *pooling) top(x string, n int) {
	most := p.add("Min", p.prefix+"/number", nil, p.integers("n", n), p.add("Gather",
		p.prefix+"/count", nil, p.add("Shape", p.prefix+"/shape of scores", nil, x),
		p.integers("first", 0)))
	top := p.prefix + "/top"
	p.nodes = append(p.nodes, decode.Node{Name: top, Op: "TopK", Inputs: []string{x, most},
		Outputs: []string{top, ""}, Attributes: []decode.Attribute{{Name: "axis",
			Kind: decode.KindInt}}, Opset: writerOpset})
	p.over("ReduceMean", p.prefix, top, 0)
}

// over adds a reduction that keeps its axis, with length 1.
func (p *pooling) over(op, name, x string, axis int64) string {
	return p.add(op, name, []decode.Attribute{{Name: "axes", Kind: decode.KindInts,
		Ints: []int64{axis}}}, x)
}

// number adds a constant.
func (p *pooling) number(name string, v float32) string {
	return p.constant(name, tensor.From(tensor.Float32, []float32{v}))
}

// integers adds a constant list.
func (p *pooling) integers(name string, v ...int) string {
	list := make([]int64, len(v))
	for i, n := range v {
		list[i] = int64(n)
	}
	return p.constant(name, tensor.From(tensor.Int64, list, len(v)))
}

// constant adds an initializer.
func (p *pooling) constant(name string, t *tensor.Tensor) string {
	name = p.prefix + "/" + name
	p.g.Initializers = append(p.g.Initializers, decode.Named{Name: name, Tensor: t})
	return name
}
