package signature

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// embedding is the word of the card's key "output" for a vector, which a Target is compared with.
const embedding core.Scale = "embedding"

// A Likeness says how two vectors are compared.
type Likeness string

// Likenesses.
const (
	Cosine Likeness = "cosine" // the cosine of their angle, within -1..1
	Dot    Likeness = "dot"    // their dot product
)

// unit returns the unit of likenesses.
func (l Likeness) unit() core.Unit {
	if l == Dot {
		return "dot product"
	}
	return core.Unit(l)
}

// A Target is what the vector that a model returns for a bag is compared with: one vector or
// several, such as prototypes of classes. The likeness to each is a score.
type Target struct {
	Names   []string    // (vector) unlike each other
	Vectors [][]float64 // (vector) equally long
	// Bias is added to each dot product, as a linear probe does; nil for none. With it, Likeness
	// is Dot.
	Bias []float64
	// Likeness is "" for that of the model card, and for Cosine if the card states none.
	Likeness Likeness
}

// wrongTarget returns the error for a target.
func wrongTarget(reason string, args ...any) error {
	return &core.SettingError{Setting: "target", Reason: msg.Sprintf(reason, args...)}
}

// check returns a *core.SettingError for a target without vectors, for vectors of several lengths
// or without a direction, for numbers that are not finite, and for names that do not belong to the
// vectors.
func (t *Target) check() error {
	n := len(t.Vectors)
	switch {
	case n == 0 || len(t.Vectors[0]) == 0:
		return wrongTarget("holds no vector")
	case n > maxClasses:
		return wrongTarget("holds %d vectors, and up to %d are compared", n, maxClasses)
	case len(t.Names) != n || t.Bias != nil && len(t.Bias) != n:
		return wrongTarget("has %d names and %d biases for %d vectors", len(t.Names), len(t.Bias),
			n)
	case t.Likeness != "" && t.Likeness != Cosine && t.Likeness != Dot:
		return &core.SettingError{Setting: "likeness", Reason: msg.Sprintf("%q is unknown; use "+
			"one of cosine, dot", t.Likeness)}
	case t.Likeness == Cosine && t.Bias != nil:
		return &core.SettingError{Setting: "likeness", Reason: "is cosine, and the target is a " +
			"probe with a bias, which is added to a dot product; use dot"}
	}
	named := map[string]bool{}
	for i, v := range t.Vectors {
		if len(v) != len(t.Vectors[0]) {
			return wrongTarget("has vectors of %d and of %d numbers", len(t.Vectors[0]), len(v))
		}
		if named[t.Names[i]] {
			return wrongTarget("has two vectors called %q", t.Names[i])
		}
		named[t.Names[i]] = true
		finite := func(v float64) bool { return v-v == 0 }
		at := slices.IndexFunc(v, func(v float64) bool { return !finite(v) })
		switch {
		case at >= 0:
			return wrongTarget("has the vector %q, whose number %d is %v; all must be finite",
				t.Names[i], at, v[at])
		case t.Bias != nil && !finite(t.Bias[i]):
			return wrongTarget("has the bias %v for %q; it must be finite", t.Bias[i], t.Names[i])
		case norm(v) == 0:
			return wrongTarget("has the vector %q of zeros, which has no direction", t.Names[i])
		case !finite(norm(v)):
			return wrongTarget("has the vector %q, whose length is too large for a number",
				t.Names[i])
		}
	}
	return nil
}

// Toward returns the signature of a model whose scores are the likenesses of its output to a
// target. Errors are those of Target, and a *core.SettingError if the output is no vector of the
// target's length or the card says that it holds something else.
func (s *Signature) Toward(t Target) (*Signature, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if c := s.card; c.Answer != nil || c.Classes != nil || c.Output != "" && c.Output != embedding {
		return nil, wrongTarget("is compared with a vector, and the model card says that the "+
			"output holds other scores; if it is a vector, say \"output\": %q in the model card, "+
			"without \"classes\"", embedding)
	}
	card := *s.card
	if card.target = &t; t.Likeness == "" {
		t.Likeness = card.Likeness
	}
	if t.Likeness == "" || t.Bias != nil {
		t.Likeness = map[bool]Likeness{true: Dot, false: Cosine}[t.Bias != nil]
	}
	if t.Likeness == Cosine {
		t.Vectors = slices.Clone(t.Vectors)
		for i, v := range t.Vectors {
			t.Vectors[i] = make([]float64, len(v))
			for j, length := 0, norm(v); j < len(v); j++ {
				t.Vectors[i][j] = v[j] / length
			}
		}
	}
	out := &Signature{card: &card, input: s.input, outputs: s.outputs, relations: s.relations,
		covariates: s.covariates, graph: s.graph, limits: s.limits}
	return out, out.findClassOutput()
}

// vector completes c for an output that is a vector of n numbers: the likenesses to the target are
// its classes, or without one the numbers as they are.
func (s *Signature) vector(c *ClassOutput, n int) error {
	t := s.card.target
	if t == nil {
		c.takeVector(fromCard)
		return nil
	}
	if len(t.Vectors[0]) != n {
		return wrongTarget("has vectors of %d numbers, and the model's output %q has %d: take "+
			"them from this model", len(t.Vectors[0]), c.Name, n)
	}
	k := len(t.Vectors)
	c.raw, c.Classes, c.Negative, c.Names = n, k, -1, t.Names
	c.Scale, c.From = core.ScaleRaw, "the target"
	c.heads = []core.Head{{Kind: core.KindLikeness, Classes: k, Scale: core.ScaleRaw, Negative: -1,
		Unit: t.Likeness.unit()}}
	c.readouts = []*readout{{raw: n, heads: c.heads, names: t.Names, target: t}}
	c.note("Output %q is a vector of %d numbers. Scores are of its likeness to %s (%s): one above "+
		"0 raises it.", c.Name, n, likedTo(t.Names), msg.Text(t.Likeness.unit()))
	return nil
}

// likedTo names the vectors of a target.
func likedTo(names []string) msg.Text {
	if len(names) > 4 {
		return msg.Text(msg.Sprintf("%d vectors", len(names)))
	}
	return msg.Text(quoted(names))
}

// takeVector takes the scores for a vector, whose numbers are explained as they are.
func (c *ClassOutput) takeVector(from string) {
	c.Scale, c.From, c.Negative = core.ScaleRaw, from, -1
	c.heads = []core.Head{{Kind: core.KindEmbedding, Classes: c.Classes, Scale: core.ScaleRaw,
		Negative: -1}}
	if c.Names == nil {
		c.Names = classNames(c.Classes, c.Scale)
	}
}

// likenesses writes the likeness of a vector to each vector of the target. That of a vector of
// zeros is the bias or 0, and that of NaN is NaN.
func (t *Target) likenesses(dst, v []float64) {
	length := 1.0
	if t.Likeness == Cosine {
		length = norm(v)
	}
	for i, to := range t.Vectors {
		sum := 0.0
		for j, x := range v {
			sum += x * to[j]
		}
		if dst[i] = sum / max(length, math.SmallestNonzeroFloat64); t.Bias != nil {
			dst[i] += t.Bias[i]
		}
	}
}

// norm returns the length of a vector.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// Compared reports whether the graph's scores are a vector that is compared with a target.
func (c *ClassOutput) Compared() bool { return len(c.readouts) == 1 && c.readouts[0].target != nil }

// checkDirection returns a *fault.Unsupported for the vector of a bag that has no direction to
// compare.
func (c *ClassOutput) checkDirection(raw []float64) error {
	if !c.Compared() || c.readouts[0].target.Likeness != Cosine || norm(raw) > 0 {
		return nil
	}
	return fault.Unsupportedf(msg.Sprintf("output %q", c.Name), "it is a vector of zeros for this "+
		"bag, which has no direction to compare; compare by the likeness dot")
}
