package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend/ask"
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
	texts := map[string]string{
		"/v1/explain": one, "/v1/predict": one,
		"/v1/jobs": "Files: " + bagio.FormatList("and") +
			". Every bag of every file belongs to the cohort. " +
			"Pictures with the same folder in their file names are the instances of one bag." +
			paths,
	}
	for _, w := range ask.WhatIfs() {
		texts["/v1/"+w.Name] = one
	}
	return texts
}

// A gap is what the generator writes of an object of the document: the members between two keys.
type gap struct {
	at            []string // path of the object
	after, before string
	members       []member
}

// optionGaps returns the gaps of the requests that the document lists.
func optionGaps() (gaps []gap, err error) {
	for _, g := range []struct {
		schema, after, before string
		options               []core.Option
	}{
		{"PredictRequest", "name", "output", bagio.ReadOptions()},
		{"ExplainRequest", "name", "methods", bagio.ReadOptions()},
		{"ExplainRequest", "settings", "output", requestOptions()},
	} {
		list, err := optionMembers(g.options)
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, gap{[]string{"components", "schemas", g.schema, "properties"},
			g.after, g.before, list})
	}
	return gaps, nil
}

// optionMembers returns the keys of options with their schemas.
func optionMembers(options []core.Option) (list []member, err error) {
	for _, o := range options {
		text, err := encode(optionSchema(o))
		if err != nil {
			return nil, err
		}
		list = append(list, member{o.Key(), text})
	}
	return list, nil
}

// rewriteDocument returns the OpenAPI document with new options, what-ifs and formats. comments are
// those of package ask.
func rewriteDocument(document []byte, comments map[string]string) ([]byte, error) {
	gaps, err := optionGaps()
	if err != nil {
		return nil, err
	}
	if document, err = fillAll(document, gaps); err != nil {
		return nil, err
	}
	// The requests of what-ifs begin as that of a prediction.
	if gaps, err = whatIfGaps(document, comments); err != nil {
		return nil, err
	}
	if document, err = fillAll(document, gaps); err != nil {
		return nil, err
	}
	for path, text := range bagTexts() {
		if document, err = set(document, text, "paths", path, "post", "requestBody", "content",
			"multipart/form-data", "schema", "properties", "bag", "description"); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err = json.Indent(&b, append(bytes.TrimSpace(document), '\n'), "", " ")
	return b.Bytes(), err
}

// fillAll fills all gaps.
func fillAll(document []byte, gaps []gap) (_ []byte, err error) {
	for _, g := range gaps {
		if document, err = edit(document, g.at, g.fill); err != nil {
			return nil, err
		}
	}
	return document, nil
}

// fill replaces the members of the gap.
func (g gap) fill(text []byte) ([]byte, error) {
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	// Keys outside of the gap do not belong to the generator.
	from := slices.IndexFunc(list, func(m member) bool { return m.key == g.after }) + 1
	to := slices.IndexFunc(list, func(m member) bool { return m.key == g.before })
	if from == 0 || to < from {
		return nil, fmt.Errorf("%s has no keys %s and %s, in this order", strings.Join(g.at, "."),
			g.after, g.before)
	}
	return object(slices.Concat(list[:from], g.members, list[to:]))
}
