package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/whatif"
)

// schema is an OpenAPI schema with the keys that options need, in the order of the document.
type schema struct {
	Type             string   `json:"type"`
	Enum             []string `json:"enum,omitempty"`
	Minimum          *float64 `json:"minimum,omitempty"`
	ExclusiveMinimum bool     `json:"exclusiveMinimum,omitempty"`
	Maximum          *float64 `json:"maximum,omitempty"`
	ExclusiveMaximum bool     `json:"exclusiveMaximum,omitempty"`
	Nullable         bool     `json:"nullable"`
	Description      string   `json:"description"`
}

// optionSchema returns the schema of an option. Infinite bounds have no key.
func optionSchema(o core.Option) schema {
	s := schema{Type: string(o.Kind), Nullable: true, Description: o.Description()}
	switch o.Kind {
	case core.KindFlag:
		s.Type = "boolean"
	case core.KindChoice:
		s.Type, s.Enum = "string", o.Words()
	case core.KindText:
		s.Type = "string"
	}
	if r := o.Range; r != nil {
		if !math.IsInf(r.Least, -1) {
			s.Minimum, s.ExclusiveMinimum = &r.Least, r.Open
		}
		if !math.IsInf(r.Most, 1) {
			s.Maximum, s.ExclusiveMaximum = &r.Most, r.Open
		}
	}
	return s
}

// bagTexts returns the descriptions of the files of each request with bags, by the request's path.
func bagTexts() map[string]string {
	const paths = " A part without a file name is the path of a file below the folder that the " +
		"server was started with (--bags)."
	one := "A file: " + bagio.FormatList("or") +
		"; or several pictures. The extension of the name is needed " +
		"for formats without a signature." + paths
	return map[string]string{
		"/v1/explain": one, "/v1/predict": one, "/v1/sets": one, "/v1/pairs": one,
		"/v1/whatif": one, "/v1/groups": one, "/v1/inside": one, "/v1/check": one,
		"/v1/jobs": "Files: " + bagio.FormatList("and") +
			". Every bag of every file belongs to the cohort. " +
			"Pictures with the same folder in their file names are the instances of one bag." +
			paths,
	}
}

// A gap is where a schema of the document lists options: the members between two keys.
type gap struct {
	schema, after, before string
	options               []core.Option
}

func gaps() []gap {
	return []gap{
		{"PredictRequest", "name", "output", bagio.ReadOptions()},
		{"ExplainRequest", "name", "methods", bagio.ReadOptions()},
		{"SetsRequest", "name", "class", bagio.ReadOptions()},
		{"SetsRequest", "class", "output", whatif.SetsOptions()},
		{"PairsRequest", "name", "class", bagio.ReadOptions()},
		{"PairsRequest", "class", "output", whatif.PairsOptions()},
		{"TurnRequest", "name", "class", bagio.ReadOptions()},
		{"TurnRequest", "class", "output", whatif.TurnOptions()},
		{"GroupsRequest", "name", "class", bagio.ReadOptions()},
		{"InsideRequest", "name", "class", bagio.ReadOptions()},
		{"InsideRequest", "class", "output", whatif.InsideOptions()},
		{"CheckRequest", "name", "class", bagio.ReadOptions()},
		{"CheckRequest", "class", "output", metric.CheckOptions()},
		{"ExplainRequest", "settings", "output", requestOptions()},
	}
}

// rewriteDocument returns the OpenAPI document with new options and formats. Options lie in the
// gaps of requests, formats in the descriptions of bags.
func rewriteDocument(document []byte) (_ []byte, err error) {
	for _, g := range gaps() {
		at := []string{"components", "schemas", g.schema, "properties"}
		if document, err = edit(document, at, g.fill); err != nil {
			return nil, err
		}
	}
	for path, text := range bagTexts() {
		if err != nil {
			return nil, err
		}
		at := []string{"paths", path, "post", "requestBody", "content", "multipart/form-data",
			"schema", "properties", "bag", "description"}
		document, err = edit(document, at, func([]byte) ([]byte, error) { return encode(text) })
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, append(bytes.TrimSpace(document), '\n'), "", " ")
	return b.Bytes(), err
}

// fill replaces the members of the gap by its options.
func (g gap) fill(properties []byte) ([]byte, error) {
	list, err := members(properties)
	if err != nil {
		return nil, err
	}
	// Keys outside of the gap do not belong to the options.
	from := slices.IndexFunc(list, func(m member) bool { return m.key == g.after }) + 1
	to := slices.IndexFunc(list, func(m member) bool { return m.key == g.before })
	if from == 0 || to < from {
		return nil, fmt.Errorf("%s has no keys %s and %s, in this order", g.schema, g.after,
			g.before)
	}
	var options []member
	for _, o := range g.options {
		text, err := encode(optionSchema(o))
		if err != nil {
			return nil, err
		}
		options = append(options, member{o.Key(), text})
	}
	return object(slices.Concat(list[:from], options, list[to:]))
}
