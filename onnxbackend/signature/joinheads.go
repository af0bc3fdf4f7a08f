package signature

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A joinedHead is a head of the card and its place in the scores of all heads.
type joinedHead struct {
	Answer
	key  string // its object in the card, for errors
	port string // the graph output
	at   int    // place of its first score
	raw  int    // number of its scores
}

// joinedHeads returns the heads that JoinHeads placed.
func (c *Card) joinedHeads() []joinedHead { return slices.Clone(c.joined) }

// scoresName returns the graph output that holds the scores: that of all heads if there are.
func (c *Card) scoresName() string {
	if len(c.joined) > 0 {
		return c.joinedPort
	}
	return cmp.Or(c.pooledPort, c.OutputName)
}

// Added reports whether JoinHeads added an output.
func (c *Card) Added(name string) bool {
	return c.joinedAdded && name == c.joinedPort
}

// JoinHeads places the heads of the card in the outputs of a file. If they lie in several outputs,
// it adds one that joins them, so that a coalition is evaluated once for all heads. Errors are a
// *fault.Format that names the key of the card.
func JoinHeads(g *decode.Graph, card *Card) error {
	if card.Answer == nil || card.Answer.Kind != kindHeads {
		return nil
	}
	ports, err := placeHeads(card, g.Outputs)
	if err != nil || len(ports) == 1 {
		return err
	}
	var names []string
	for _, p := range ports {
		names = append(names, p.Name)
	}
	card.joinedPort, card.joinedAdded = strings.Join(names, "+"), true
	w := writer{prefix: card.joinedPort}
	var parts []string
	total := 0
	for _, p := range ports {
		total += p.count
		parts = append(parts, w.row(p.Value))
	}
	w.add("Concat", card.joinedPort,
		[]decode.Attribute{{Name: "axis", Kind: decode.KindInt, Int: 1}}, parts...)
	g.Nodes = append(slices.Clip(g.Nodes), w.nodes...)
	g.Outputs = append(slices.Clip(g.Outputs), decode.Value{Name: card.joinedPort,
		Type: tensor.Float32, Shape: []int{1, total}, Names: []string{"", ""}})
	return nil
}

// A headPort is an output that holds heads.
type headPort struct {
	*decode.Value
	count int // number of its scores
}

// placeHeads finds the output and the place of each head, and returns the outputs in the order of
// their first head.
func placeHeads(card *Card, outputs []decode.Value) ([]headPort, error) {
	card.joined = nil
	var ports []headPort
	for i, h := range card.Answer.Heads {
		key := "output.heads[" + number(i) + "]."
		name := h.OutputName
		if name == "" {
			name = cmp.Or(card.pooledPort, card.OutputName)
		}
		if name == "" && len(outputs) == 1 {
			name = outputs[0].Name
		}
		bad := func(reason string, args ...any) error {
			return fault.Formatf("model card", "key %q: "+reason,
				append([]any{key + "output_name"}, args...)...)
		}
		named := func(v decode.Value) bool { return v.Name == name }
		at := slices.IndexFunc(outputs, named)
		switch {
		case name == "":
			return nil, bad("it is missing, and the graph has %d outputs", len(outputs))
		case at < 0:
			return nil, bad("the graph has no output %q", name)
		}
		p := slices.IndexFunc(ports, func(p headPort) bool { return p.Name == name })
		if p < 0 {
			p = len(ports)
			ports = append(ports, headPort{&outputs[at], 0})
		}
		one := joinedHead{Answer: h, key: key, port: name, at: ports[p].count, raw: h.count()}
		if one.raw == 0 {
			if one.raw = declaredCount(&outputs[at]) - ports[p].count; one.raw < 1 ||
				outputs[at].Shape == nil {
				return nil, fault.Formatf("model card", "key %q: it is missing, and the number of "+
					"the head's scores is not known without it", key+"classes")
			}
		}
		ports[p].count += one.raw
		card.joined = append(card.joined, one)
	}
	card.joinedPort = ports[0].Name
	return ports, offsets(card, ports)
}

// offsets moves the heads of each output behind those of the outputs before it.
func offsets(card *Card, ports []headPort) error {
	before := 0
	for _, p := range ports {
		for i := range card.joined {
			if h := &card.joined[i]; h.port == p.Name {
				h.at += before
			}
		}
		if before += p.count; before > maxClasses {
			return fault.Formatf("model card", "key \"output.heads\": the heads have more than %d "+
				"scores", maxClasses)
		}
	}
	return nil
}

// declaredCount returns the number of elements that an output declares for one bag. Open axes are
// batches of one bag: another length is found when a bag is bound.
func declaredCount(v *decode.Value) int {
	n := 1
	for _, d := range v.Shape {
		if d >= 0 && n <= maxClasses {
			n *= d
		}
	}
	return n
}

// row returns the scores of an output as one row of float32.
func (w *writer) row(v *decode.Value) string {
	name := v.Name
	if v.Type != tensor.Float32 {
		name = w.cast("cast/"+v.Name, name)
	}
	return w.add("Flatten", w.prefix+"/row/"+v.Name, []decode.Attribute{{Name: "axis",
		Kind: decode.KindInt}}, name)
}
