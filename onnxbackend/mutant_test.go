package onnxbackend_test

import (
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// A message is one of a model file taken apart: its fields in order, those that are messages taken
// apart in turn.
type message struct {
	kind   string
	fields []field
}

type field struct {
	number protowire.Number
	wire   protowire.Type
	value  uint64 // value of a number
	body   []byte // content of text, bytes and packed numbers
	sub    *message
}

// schema names the messages inside of messages, by the number of their field.
var schema = map[string]map[protowire.Number]string{
	"model":     {7: "graph", 8: "opset", 14: "entry", 25: "function"},
	"graph":     {1: "node", 5: "tensor", 11: "value", 12: "value"},
	"function":  {7: "node", 9: "opset", 11: "attribute"},
	"node":      {5: "attribute"},
	"attribute": {5: "tensor", 6: "graph"},
	"value":     {2: "type"},
	"type":      {1: "typed"},
	"typed":     {2: "shape"},
	"shape":     {1: "side"},
}

// takeApart reads a valid file.
func takeApart(kind string, data []byte) *message {
	r := &message{kind: kind}
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		p := field{number: number, wire: wire}
		m := protowire.ConsumeFieldValue(number, wire, data[n:])
		if n < 0 || m < 0 {
			panic("a broken file")
		}
		content := data[n : n+m]
		switch wire {
		case protowire.VarintType:
			p.value, _ = protowire.ConsumeVarint(content)
		case protowire.BytesType:
			p.body, _ = protowire.ConsumeBytes(content)
			if sub := schema[kind][number]; sub != "" {
				p.sub = takeApart(sub, p.body)
			}
		default:
			p.body = content
		}
		r.fields = append(r.fields, p)
		data = data[n+m:]
	}
	return r
}

// bytes writes the message.
func (r *message) bytes() []byte {
	var b []byte
	for _, p := range r.fields {
		b = protowire.AppendTag(b, p.number, p.wire)
		switch {
		case p.sub != nil:
			b = protowire.AppendBytes(b, p.sub.bytes())
		case p.wire == protowire.VarintType:
			b = protowire.AppendVarint(b, p.value)
		case p.wire == protowire.BytesType:
			b = protowire.AppendBytes(b, p.body)
		default:
			b = append(b, p.body...)
		}
	}
	return b
}

func (r *message) clone() *message {
	c := &message{r.kind, slices.Clone(r.fields)}
	for i, p := range c.fields {
		if p.sub != nil {
			c.fields[i].sub = p.sub.clone()
		}
	}
	return c
}

// all returns the message and those inside of it of the given kind.
func (r *message) all(kind string) []*message {
	var list []*message
	if r.kind == kind {
		list = append(list, r)
	}
	for _, p := range r.fields {
		if p.sub != nil {
			list = append(list, p.sub.all(kind)...)
		}
	}
	return list
}

// at returns the places of fields of that number.
func (r *message) at(numbers ...protowire.Number) []int {
	var list []int
	for i, p := range r.fields {
		if slices.Contains(numbers, p.number) {
			list = append(list, i)
		}
	}
	return list
}

// mutant returns a model that is like the given one but for changes that the choices say: still a
// well-formed file, which says other things.
func mutant(model []byte, choices []byte) []byte {
	r := takeApart("model", model)
	for c := (&enginetest.Chooser{Left: choices}); len(c.Left) > 0; {
		mutations[c.Of(len(mutations))](c, r)
	}
	return r.bytes()
}

// randomMutant returns a mutant of one to four changes.
func randomMutant(r *rand.Rand, model []byte) (choices, file []byte) {
	choices = make([]byte, 4+r.IntN(20))
	for i := range choices {
		choices[i] = byte(r.Uint32())
	}
	return choices, mutant(model, choices)
}

var mutations = []func(c *enginetest.Chooser, model *message){
	mutateNumber, mutateNumber, mutateSides, rewire, rewire, swapOperator, changeType, cloneField,
	dropField, mutateData, swapFields, nest,
}

// mutateNumber changes a number of an attribute, or adds one to a list.
func mutateNumber(c *enginetest.Chooser, model *message) {
	a, ok := enginetest.Pick(c, model.all("attribute"))
	if !ok {
		return
	}
	if i, ok := enginetest.Pick(c, a.at(3, 8, 20)); ok && a.fields[i].wire == protowire.VarintType {
		if c.Of(4) == 0 {
			a.fields = append(a.fields, field{number: 8, wire: protowire.VarintType,
				value: c.Number()})
			return
		}
		a.fields[i].value = c.Number()
		return
	}
	if i, ok := enginetest.Pick(c, a.at(2, 7)); ok && len(a.fields[i].body) == 4 {
		a.fields[i].body = []byte{0, 0, byte(c.Of(256)), byte(c.Of(256))}
	}
}

// mutateSides changes a side of a tensor or of an input or output.
func mutateSides(c *enginetest.Chooser, model *message) {
	r, ok := enginetest.Pick(c, slices.Concat(model.all("tensor"), model.all("side")))
	if !ok {
		return
	}
	if i, ok := enginetest.Pick(c, r.at(1)); ok && r.fields[i].wire == protowire.VarintType {
		r.fields[i].value = c.Number()
		return
	}
	r.fields = append(r.fields, field{number: 1, wire: protowire.VarintType, value: c.Number()})
}

// rewire lets a node read or make another value of the model.
func rewire(c *enginetest.Chooser, model *message) {
	n, ok := enginetest.Pick(c, model.all("node"))
	if !ok {
		return
	}
	var names [][]byte
	for _, other := range model.all("node") {
		for _, i := range other.at(1, 2) {
			names = append(names, other.fields[i].body)
		}
	}
	name, ok := enginetest.Pick(c, append(names, nil))
	if i, has := enginetest.Pick(c, n.at(1, 1, 1, 2)); ok && has {
		n.fields[i].body = name
		return
	}
	n.fields = append(n.fields, field{number: 1, wire: protowire.BytesType, body: name})
}

var operators = ops.Names()

// swapOperator makes a node one of another operator.
func swapOperator(c *enginetest.Chooser, model *message) {
	n, ok := enginetest.Pick(c, model.all("node"))
	if !ok {
		return
	}
	if i := n.at(4); len(i) > 0 {
		n.fields[i[0]].body = []byte(operators[c.Of(256)%len(operators)])
	}
}

// changeType changes the type of a tensor, an input or an output, or the version of an operator
// set.
func changeType(c *enginetest.Chooser, model *message) {
	r, ok := enginetest.Pick(c, slices.Concat(model.all("tensor"), model.all("typed"),
		model.all("opset")))
	if !ok {
		return
	}
	number := map[string]protowire.Number{"tensor": 2, "typed": 1, "opset": 2}[r.kind]
	for _, i := range r.at(number) {
		r.fields[i].value = uint64(c.Of(28))
	}
}

// any returns a message of the model that has fields.
func anyMessage(c *enginetest.Chooser, model *message) *message {
	kinds := []string{"graph", "node", "attribute", "tensor", "value", "shape", "node", "model",
		"function"}
	r, _ := enginetest.Pick(c, slices.DeleteFunc(model.all(kinds[c.Of(len(kinds))]),
		func(r *message) bool { return len(r.fields) == 0 }))
	return r
}

// cloneField writes a field twice.
func cloneField(c *enginetest.Chooser, model *message) {
	if r := anyMessage(c, model); r != nil && len(r.bytes()) < 1<<14 {
		p := r.fields[c.Of(len(r.fields))]
		if p.sub != nil {
			p.sub = p.sub.clone()
		}
		r.fields = slices.Insert(r.fields, c.Of(len(r.fields)+1), p)
	}
}

// dropField leaves a field out.
func dropField(c *enginetest.Chooser, model *message) {
	if r := anyMessage(c, model); r != nil {
		i := c.Of(len(r.fields))
		r.fields = slices.Delete(r.fields, i, i+1)
	}
}

// swapFields exchanges two fields, such as the places of two nodes.
func swapFields(c *enginetest.Chooser, model *message) {
	if r := anyMessage(c, model); r != nil {
		i, j := c.Of(len(r.fields)), c.Of(len(r.fields))
		r.fields[i], r.fields[j] = r.fields[j], r.fields[i]
	}
}

// mutateData changes the elements of a tensor: bytes to zeros, ones (NaN in float32) or anything.
func mutateData(c *enginetest.Chooser, model *message) {
	t, ok := enginetest.Pick(c, model.all("tensor"))
	if !ok {
		return
	}
	i, ok := enginetest.Pick(c, t.at(4, 5, 7, 9, 10, 11))
	switch {
	case !ok:
	case t.fields[i].wire == protowire.VarintType:
		t.fields[i].value = c.Number()
	case len(t.fields[i].body) > 0:
		body := slices.Clone(t.fields[i].body)
		at, v := c.Of(256)*len(body)/256, []byte{0, 0xff, 0x80, 0x7f, byte(c.Of(256))}[c.Of(5)]
		for j := at; j < min(len(body), at+8); j++ {
			body[j] = v
		}
		t.fields[i].body = body
	}
}

// nest gives a node the whole graph as a body.
func nest(c *enginetest.Chooser, model *message) {
	n, ok := enginetest.Pick(c, model.all("node"))
	g, _ := enginetest.Pick(c, model.all("graph"))
	if !ok || g == nil || len(g.bytes()) > 1<<12 {
		return
	}
	name := []string{"body", "then_branch", "else_branch"}[c.Of(3)]
	a := &message{"attribute", []field{{number: 1, wire: protowire.BytesType, body: []byte(name)},
		{number: 20, wire: protowire.VarintType, value: 5},
		{number: 6, wire: protowire.BytesType, sub: g.clone()}}}
	n.fields = append(n.fields, field{number: 5, wire: protowire.BytesType, sub: a})
}
