package onnxtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	nodeForm      = regexp.MustCompile(`^([^=<(]*)=\s*(\w+)\s*(?:<(.*)>)?\s*\(([^()]*)\)$`)
	attributeForm = regexp.MustCompile(`^\s*(\w+)\s*=\s*(\[[^\]]*\]|"[^"]*"|[^,"[]+)\s*(?:,|$)`)
)

// Nodes returns the nodes of a text in the syntax of onnx.parser: in "h = MatMul(bag, W); p, i =
// TopK<axis=0>(h, , k)" the second node omits an input. Nodes end with a semicolon or a line. A
// number with a point is real, as in <alpha=1.0>, and lists and texts are written [0, 1] and "max".
// Nodes panics if the text is no such list.
func Nodes(text string) (nodes []Node) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ";"), ";") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		m := nodeForm.FindStringSubmatch(line)
		if m == nil {
			panic(fmt.Sprintf("%q is no node", line))
		}
		n := Node{Op: m[2], In: list(m[4]), Out: list(m[1])}
		for rest := m[3]; rest != ""; {
			a := attributeForm.FindStringSubmatch(rest)
			if a == nil {
				panic(fmt.Sprintf("%q has no attribute at %q", line, rest))
			}
			n.Attributes = append(n.Attributes, stated(a[1], strings.TrimSpace(a[2])))
			rest = rest[len(a[0]):]
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// list returns the entries between commas, none of an empty text.
func list(text string) (entries []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for entry := range strings.SplitSeq(text, ",") {
		entries = append(entries, strings.TrimSpace(entry))
	}
	return entries
}

// stated returns an attribute with the value that a text states.
func stated(name, value string) Attribute {
	if text, ok := strings.CutPrefix(value, `"`); ok {
		return Text(name, strings.TrimSuffix(text, `"`))
	}
	inner, several := strings.CutPrefix(value, "[")
	var ints []int64
	var floats []float32
	for _, entry := range list(strings.TrimSuffix(inner, "]")) {
		if v, err := strconv.ParseInt(entry, 10, 64); err == nil {
			ints = append(ints, v)
		} else if v, err := strconv.ParseFloat(entry, 32); err == nil {
			floats = append(floats, float32(v))
		} else {
			panic(fmt.Sprintf("attribute %s is no number: %s", name, value))
		}
	}
	switch {
	case several && floats == nil:
		return Ints(name, ints...)
	case several:
		return Floats(name, floats...)
	case floats == nil:
		return Int(name, ints[0])
	}
	return Float(name, floats[0])
}
