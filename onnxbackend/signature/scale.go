package signature

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// The scale of the class scores is decided in this order:
//
//  1. The model card states it. If the graph ends in Softmax, Sigmoid or LogSoftmax, a card that
//     states logits is overruled.
//  2. The graph ends in one of those: probabilities, or log-probabilities.
//  3. Random bags prove probabilities (see randombags.go).
//  4. Several scores are logits if they come out of a linear layer (see linear.go), or if their
//     output's name holds "logit". A last Relu, Softplus or Exp is no linear layer. Neither name
//     nor layer counts if all random bags have all scores within 0..1.
//  5. Otherwise they are raw: only known logits are squashed. Raw scores that random bags show to
//     sum to 100 have the unit %, and so do those of a served model that sum to 100 for a bag.
//
// More than mostUnnamed numbers of which neither the card, the graph, the output's name nor random
// bags say that they are scores of classes are a vector, as the embedding of a bag: they are raw.
//
// A note says what was assumed without the card, and which key of the card decides it.

// Work of the random bags: multiplications, or elements touched. If the graph says logits, random
// bags only check it.
const (
	checkWork = 1 << 28
	proofWork = min(1<<32, math.MaxInt) // int has 32 bits on some platforms
)

// fromCard is ClassOutput.From if the card states the scale.
const fromCard = "the model card"

// mostUnnamed is the number of scores up to which they count as those of classes.
const mostUnnamed = 64

// percent is the unit of scores that sum to 100.
const percent core.Unit = "%"

// findScale decides the scale of c. at is how bags lie in the input, or nil if only a bag can show
// it. It returns false if the decision needs a bag.
func (s *Signature) findScale(c *ClassOutput, at *Layout) bool {
	end, op := s.ending(c.ID)
	stated := s.card.Output
	switch {
	case end != "" &&
		(stated == "" || stated == core.ScaleLogits || stated == core.ScaleSigmoidLogits):
		c.Scale, c.From = end, "the graph ends in "+op
		if stated != "" {
			c.note("The model card says %s, but the graph ends in %s: the scores are taken as %s "+
				"and not squashed again.", stated, op, end)
		}
		return true
	case stated != "":
		c.Scale, c.From = stated, fromCard
		return true
	}
	// What follows is an assumption, which random bags may contradict.
	layer := s.linear(c.ID)
	named := strings.Contains(strings.ToLower(c.Name), "logit")
	logits := c.Classes > 1 && (named || layer != "")
	work := proofWork
	if logits {
		work = checkWork
	}
	if at == nil && !logits && s.graph != nil {
		return false
	}
	p := s.proveProbabilities(c, at, work)
	c.Scale, c.From, c.sums = p.scale, p.words, p.sums
	if c.Scale == "" {
		s.assumeScale(c, p, layer, logits, named)
	}
	return true
}

// assumeScale decides the scale if random bags do not prove probabilities, and notes the
// assumption.
func (s *Signature) assumeScale(c *ClassOutput, p proof, layer string, logits, named bool) {
	regressor := ""
	if s.graph != nil {
		regressor = s.graph.Regressor
	}
	c.Scale = core.ScaleRaw
	switch {
	case p.percent:
		c.From = p.words
		c.takePercentages("in random bags")
	case c.Names == nil && c.Classes > mostUnnamed && !named:
		c.takeVector(msg.Sprintf("%d numbers without names of classes", c.Classes))
		c.note("Output %q is taken for a vector of %d numbers; name what it is compared with by "+
			`target; for scores of classes, say "output": "logits" in the model card.`, c.Name,
			c.Classes)
	case p.bounded:
		c.note("Output %q has %d scores (%s), taken as raw scores; if each is a probability of "+
			`its own, say "output": "probabilities" in the model card; if they are logits, `+
			`"logits".`, c.Name, c.Classes, p.words)
	case logits && named:
		c.Scale, c.From = core.ScaleLogits, msg.Sprintf("the output's name, %q", c.Name)
	case logits:
		c.Scale, c.From = core.ScaleLogits, "a linear layer at the end, "+layer
		c.note("Output %q has %d scores from a linear layer (%s) and there is no model card: they "+
			"are taken as logits; if they are none, as in a regression, say "+
			`"output": "raw" in the model card.`, c.Name, c.Classes, layer)
	case c.Classes == 1:
		c.note("Output %q is one number that nothing proves to be a probability (%s), taken as a "+
			`raw score; if it is a logit, say "output": "logits" in the model card; if a `+
			`probability, "probabilities".`, c.Name, p.words)
	case regressor != "":
		c.From = "the file holds a " + regressor
		c.note("Output %q has %d scores and the file holds a %s: they are taken as raw scores; if "+
			`they are logits, say "output": "logits" in the model card.`,
			c.Name, c.Classes, regressor)
	default:
		c.note("Output %q has %d scores (%s), taken as raw scores; "+
			`"output" in the model card says what they are: probabilities, logits, `+
			"sigmoid-logits, log-probabilities or raw.", c.Name, c.Classes, p.words)
	}
}

// contradiction is the least distance from 0..1, and of the sum from 1, that refutes probabilities.
// It is larger than what rounding explains.
const contradiction = 1e-3

// ForBag returns the meaning of the scores y of one bag. If y contradicts that they are
// probabilities, they are raw, and a note says so. A card is believed, with a note.
func (c *ClassOutput) ForBag(y []float64) *ClassOutput {
	sum, worst := 0.0, 0.0 // worst is the largest distance of a score from 0..1
	at := 0                // class with that score
	for class, v := range y {
		sum += v
		if off := max(-v, v-1); off > worst {
			worst, at = off, class
		}
	}
	found := ""
	switch {
	case c.Scale == core.ScaleProbabilities && worst > contradiction:
		found = fmt.Sprintf("for this bag score %d is %.4g", at, y[at])
	case c.Scale == core.ScaleProbabilities && c.sums && math.Abs(sum-1) > contradiction:
		found = fmt.Sprintf("for this bag the scores sum to %.4g", sum)
	case c.inPercent() && !ofHundred(y, contradiction):
		found = fmt.Sprintf("for this bag the scores sum to %.4g", sum)
	case c.Scale == core.ScaleLogProbabilities && slices.Max(y) > contradiction:
		found = fmt.Sprintf("for this bag a score is %.4g, and its exponential is above 1",
			slices.Max(y))
	default:
		return c
	}
	bag := *c
	bag.Notes = slices.Clone(c.Notes)
	if c.From == fromCard {
		bag.note("The model card says %s, but %s: mend \"output\" in the card.", c.Scale, found)
		return &bag
	}
	taken := string(c.Scale)
	if c.inPercent() {
		taken, bag.heads = "percentages", nil
	}
	bag.Scale = core.ScaleRaw
	bag.note("The scores were taken as %s (%s), but %s: they are taken as raw. \"output\" in the "+
		"model card says what they are.", taken, c.From, found)
	return &bag
}

// takePercentages takes raw scores as percentages, because they add up to 100 in some bags.
func (c *ClassOutput) takePercentages(bags string) {
	c.heads = []core.Head{{Kind: core.KindClasses, Classes: c.Classes, Scale: core.ScaleRaw,
		Negative: c.Negative, Unit: percent}}
	c.note("Output %q has %d scores that add up to 100 %s: they are taken as percentages.", c.Name,
		c.Classes, msg.Text(bags))
}

// ofServer returns the meaning of the scores y that a server returns for a bag. As there are no
// random bags, this bag shows whether raw scores of several classes are percentages.
func (c *ClassOutput) ofServer(y []float64) *ClassOutput {
	if c.From != noGraph || c.Classes < 2 || c.heads != nil || c.readouts != nil ||
		!ofHundred(y, contradiction) {
		return c
	}
	bag := *c
	bag.Notes = slices.DeleteFunc(slices.Clone(c.Notes), func(n string) bool {
		return strings.Contains(n, noGraph) // the note that they are raw
	})
	bag.takePercentages("in this bag")
	return &bag
}

// inPercent reports whether the scores are percentages that random bags have shown.
func (c *ClassOutput) inPercent() bool {
	return c.readouts == nil && len(c.heads) == 1 && c.heads[0].Unit == percent
}
