package ops

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// attributesText holds lines of an operator, its successive versions with the same attributes, and
// NAME:KIND for each attribute. A required attribute ends with an exclamation mark; a default
// follows an equals sign. tools/gen/attributes writes it from the schemas of the package onnx.
//
//go:embed attributes.txt
var attributesText string

// attributesSince holds the attributes of an operator from its first version on.
type attributesSince struct {
	versions []int // successive ones with the same attributes
	list     []attribute
}

// attribute is what the specification states about an attribute of an operator.
type attribute struct {
	name     string
	kind     decode.Kind
	required bool
	// initial is the default as text, empty if there is none. The readers of attributes state
	// defaults themselves; a test compares them.
	initial string
}

// kindNames holds the kinds of attributes by their names in the specification.
var kindNames = map[string]decode.Kind{
	"FLOAT": decode.KindFloat, "INT": decode.KindInt, "STRING": decode.KindString,
	"TENSOR": decode.KindTensor, "GRAPH": decode.KindGraph, "FLOATS": decode.KindFloats,
	"INTS": decode.KindInts, "STRINGS": decode.KindStrings, "SPARSE_TENSOR": decode.KindSparse,
}

// readLists holds the lists that attributes has read, by the names of operators. Most programs need
// a few of them, and a page should start fast.
var readLists sync.Map

// attributes returns what the specification states of the operator's attributes, by version.
func (r *Row) attributes() []attributesSince {
	list, ok := readLists.Load(r.Name)
	if !ok {
		list, _ = readLists.LoadOrStore(r.Name, readAttributes(r.Name))
	}
	return list.([]attributesSince)
}

// readAttributes returns the attributes that attributesText lists for an operator.
func readAttributes(op string) (list []attributesSince) {
	rest := attributesText
	for {
		// The first line of the text is a comment, so that each operator's lines follow a newline.
		at := strings.Index(rest, "\n"+op+" ")
		if at < 0 {
			return list
		}
		line, _, _ := strings.Cut(rest[at+1:], "\n")
		rest = rest[at+1+len(line):]
		words := strings.Fields(line)
		since := attributesSince{}
		for version := range strings.SplitSeq(words[1], ",") {
			v, _ := strconv.Atoi(version)
			since.versions = append(since.versions, v)
		}
		for _, word := range words[2:] {
			var a attribute
			a.name, word, _ = strings.Cut(word, ":")
			word, a.required = strings.CutSuffix(word, "!")
			word, a.initial, _ = strings.Cut(word, "=")
			a.kind = kindNames[word]
			since.list = append(since.list, a)
		}
		list = append(list, since)
	}
}

// attributesIn returns the attributes of the operator in a version of the operator set.
func (r *Row) attributesIn(opset int) (list []attribute) {
	for _, since := range r.attributes() {
		// Below Oldest, the engine runs operators that are the same in Oldest.
		if since.versions[0] <= max(opset, Oldest) {
			list = since.list
		}
	}
	return list
}

// CheckAttributes returns an error for an attribute that contradicts the specification: the
// operator does not have it in the node's version, it occurs twice, has the wrong kind or a value
// out of range, or it is required and missing. The readers of attributes rely on this check.
func (r *Row) CheckAttributes(n *Node) error {
	known := r.attributesIn(n.Opset)
	for i := range n.Attributes {
		a := &n.Attributes[i]
		at := slices.IndexFunc(known, func(k attribute) bool { return k.name == a.Name })
		switch {
		case at < 0:
			return msg.Errorf("attribute %q does not exist in opset %d; the operator has %s",
				a.Name, n.Opset, namesOf(known))
		case slices.ContainsFunc(n.Attributes[:i], func(b decode.Attribute) bool {
			return b.Name == a.Name
		}):
			return msg.Errorf("attribute %s is given twice", a.Name)
		case a.Ref != "":
			return msg.Errorf("attribute %s refers to a parameter of a function", a.Name)
		case a.Kind != known[at].kind:
			return msg.Errorf("attribute %s is %s, but it must be %s", a.Name, a.Kind,
				known[at].kind)
		}
		if err := checkRange(n, a); err != nil {
			return err
		}
	}
	for _, k := range known {
		if k.required && !n.Has(k.name) {
			return msg.Errorf("attribute %s is missing, but opset %d requires it", k.name, n.Opset)
		}
	}
	return nil
}

// namesOf lists attributes for a message.
func namesOf(list []attribute) string {
	if len(list) == 0 {
		return "no attributes"
	}
	var names []string
	for _, a := range list {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

// AttributeNames returns the names of the attributes that the operator has in any version that the
// engine runs, sorted.
func (r *Row) AttributeNames() (names []string) {
	for _, since := range r.attributes() {
		for _, a := range since.list {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
