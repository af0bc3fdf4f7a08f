package onnxbackend

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// What class scores are, the scale, is decided in this order:
//
//  1. The model card says it. Only a graph that ends in Softmax, Sigmoid or LogSoftmax wins over a card that says logits.
//  2. The graph ends in one of those: probabilities, or log-probabilities.
//  3. Random bags prove probabilities (see randombags.go).
//  4. Several scores are logits if the graph says so: they come out of a linear layer, pooled, moved or weighted at most
//     (see linear), or their output's name holds "logit". A last Relu, Softplus or Exp is no linear layer, and neither
//     name nor layer counts where all random bags have all scores within 0..1. What LinearRegressor and its like of
//     ai.onnx.ml make is no layer of a classifier.
//  5. Else they are raw: nothing is squashed that is not known to be a logit.
//
// A note says what was assumed without the card, and which key of the card decides it.

// Work of the random bags: multiplications, or elements touched. Where the graph says logits they
// are but a check.
const (
	checkWork = 1 << 28
	proofWork = 1 << 32
)

// fromCard is what a scale is concluded from that the card names.
const fromCard = "the model card"

// findScale decides the scale. at is how bags lie in the input, nil when only a bag can tell it. It
// reports false when that is what the decision waits for.
func (m *Model) findScale(s *scores, at *place) bool {
	end, op := m.ending(s.ID)
	said := m.card.Output
	switch {
	case end != "" && (said == "" || said == core.ScaleLogits || said == core.ScaleSigmoidLogits):
		s.scale, s.from = end, "the graph ends in "+op
		if said != "" {
			s.notes = append(s.notes, fmt.Sprintf("The model card says %s, but the graph ends in %s: the scores are taken as %s and not squashed again.", said, op, end))
		}
		return true
	case said != "":
		s.scale, s.from = said, fromCard
		return true
	}
	layer := ""
	if m.regressor == "" {
		layer = m.linear(s.ID)
	}
	named := strings.Contains(strings.ToLower(s.Name), "logit")
	logits := s.classes > 1 && (named || layer != "")
	work := proofWork
	if logits {
		work = checkWork
	}
	if at == nil && !logits && m.forward != nil {
		return false
	}
	proof := m.proveProbabilities(s, at, work)
	s.scale, s.from, s.sums = proof.scale, proof.words, proof.sums
	if s.scale != "" {
		return true
	}
	s.scale = core.ScaleRaw
	switch {
	case proof.bounded:
		s.notes = append(s.notes, fmt.Sprintf("Output %q has %d scores that random bags show to lie within 0..1 without a sum of 1 (%s): they are taken as they are, as raw scores. "+
			"If each is a probability of its own, say \"output\": \"probabilities\" in the model card; if they are logits, \"logits\".", s.Name, s.classes, proof.words))
	case logits && named:
		s.scale, s.from = core.ScaleLogits, fmt.Sprintf("the output's name, %q", s.Name)
	case logits:
		s.scale, s.from = core.ScaleLogits, "a linear layer at the end, "+layer
		s.notes = append(s.notes, fmt.Sprintf("Output %q has %d scores from a linear layer (%s) and there is no model card: they are taken as logits. "+
			"If they are none, as in a regression, say \"output\": \"raw\" in the model card.", s.Name, s.classes, layer))
	case s.classes == 1:
		s.notes = append(s.notes, fmt.Sprintf("Output %q is one number without a Sigmoid at its end and without a model card, and random bags do not prove it to be a probability (%s): "+
			"it is taken as a raw score. If it is a logit, say \"output\": \"logits\" in the model card; if a probability, \"probabilities\".", s.Name, proof.words))
	case m.regressor != "":
		s.from = "the file holds a " + m.regressor
		s.notes = append(s.notes, fmt.Sprintf("Output %q has %d scores and the file holds a %s: they are taken as raw scores. If they are logits, say \"output\": \"logits\" in the model card.", s.Name, s.classes, m.regressor))
	default:
		s.notes = append(s.notes, fmt.Sprintf("Output %q has %d scores that random bags do not prove to be probabilities (%s) and that no linear layer makes: they are taken as raw scores. "+
			"\"output\" in the model card says what they are: probabilities, logits, sigmoid-logits, log-probabilities or raw.", s.Name, s.classes, proof.words))
	}
	return true
}

// Tolerance of a bag's scores for what is known of them.
const contradiction = 1e-3

// against returns the scores' meaning for one bag: where the bag's scores contradict that they are
// probabilities, they are raw, and a note says so. A card is believed, with a note.
func (s *scores) against(y []float64) *scores {
	sum, worst := 0.0, 0.0 // how far the score farthest from 0..1 is from it
	at := 0
	for c, v := range y {
		sum += v
		if off := max(-v, v-1); off > worst {
			worst, at = off, c
		}
	}
	said := ""
	switch {
	case s.scale == core.ScaleProbabilities && worst > contradiction:
		said = fmt.Sprintf("for this bag score %d is %.4g", at, y[at])
	case s.scale == core.ScaleProbabilities && s.sums && math.Abs(sum-1) > contradiction:
		said = fmt.Sprintf("for this bag the scores sum to %.4g", sum)
	case s.scale == core.ScaleLogProbabilities && slices.Max(y) > contradiction:
		said = fmt.Sprintf("for this bag a score is %.4g, and its exponential is above 1", slices.Max(y))
	default:
		return s
	}
	bag := *s
	if s.from == fromCard {
		bag.notes = append(slices.Clone(s.notes), fmt.Sprintf("The model card says %s, but %s: mend \"output\" in the card.", s.scale, said))
		return &bag
	}
	bag.scale = core.ScaleRaw
	bag.notes = append(slices.Clone(s.notes), fmt.Sprintf("The scores were taken as %s (%s), but %s: they are taken as raw. \"output\" in the model card says what they are.", s.scale, s.from, said))
	return &bag
}

// ending walks back from a value over operators that move, select or average probabilities to the
// operator that made them. It returns "" if that operator makes no probabilities.
func (m *Model) ending(id int) (core.Scale, string) {
	averaged := false
	for {
		at := m.file.Values[id].Producer
		if at < 0 {
			return "", ""
		}
		n := &m.file.Nodes[at]
		switch by := n.Row.Reduces; {
		case n.Row.Moves() || n.Op == "Clip":
		case by == ops.Mean || by == ops.Max || by == ops.Min:
			averaged = true
		case n.Op == "Softmax" || n.Op == "Sigmoid" || n.Op == "HardSigmoid":
			return core.ScaleProbabilities, n.Op
		case n.Op == "LogSoftmax" && !averaged:
			return core.ScaleLogProbabilities, n.Op
		default:
			return "", ""
		}
		id = n.In[0]
	}
}

// linear returns the operator of the linear layer that a value comes out of, "" when it comes out
// of none. Between the layer and the value may lie what moves scores, pools them over the
// instances, adds to them or weighs them.
func (m *Model) linear(id int) string {
	l := layers{g: m.file, live: liveValues(m.file), seen: map[int]string{}}
	return l.find(id)
}

// layers looks for linear layers.
type layers struct {
	g    *graph.Graph
	live []bool         // (value) whether it depends on the values of the bag
	seen map[int]string // by value
}

// liveValues marks what depends on the values of the bag, and not on its shape alone.
func liveValues(g *graph.Graph) []bool {
	live := make([]bool, len(g.Values))
	for _, p := range g.Inputs {
		live[p.ID] = true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Row.Kind == ops.ReadShape {
			continue
		}
		for _, in := range n.In {
			if in >= 0 && live[in] {
				for _, out := range n.Out {
					if out >= 0 {
						live[out] = true
					}
				}
				break
			}
		}
	}
	return live
}

func (l *layers) find(id int) string {
	if id < 0 || !l.live[id] || l.g.Values[id].Producer < 0 {
		return ""
	}
	if op, ok := l.seen[id]; ok {
		return op
	}
	l.seen[id] = "" // a graph has no cycles; this bounds the work
	op := l.through(&l.g.Nodes[l.g.Values[id].Producer])
	l.seen[id] = op
	return op
}

// through returns the linear layer that a node is, or whose result it moves, pools, adds or weighs.
func (l *layers) through(n *graph.Node) string {
	row := n.Row
	switch {
	case row.Kind == ops.Linear:
		for _, in := range n.In {
			if in >= 0 && !l.live[in] {
				return n.Op
			}
		}
		return l.any(n) // weights of instances times their scores
	case row.Moves(), row.Kind == ops.Quantize, poolsScores[row.Reduces], n.Op == "TopK", n.Op == "Div":
		return l.find(n.In[0])
	case n.Op == "Concat": // each part must be the result of a layer
		op := ""
		for _, in := range n.In {
			if op = l.find(in); op == "" {
				return ""
			}
		}
		return op
	}
	switch n.Op {
	case "Add", "Sub", "Sum", "Mul", "Where", "Mean":
		return l.any(n)
	}
	return ""
}

// poolsScores has the reductions that models pool the scores of instances by.
var poolsScores = map[ops.Reduction]bool{
	ops.Mean: true, ops.Sum: true, ops.Max: true, ops.Min: true, ops.LogSumExp: true,
}

func (l *layers) any(n *graph.Node) string {
	for _, in := range n.In {
		if op := l.find(in); op != "" {
			return op
		}
	}
	return ""
}
