package main

import (
	"encoding/json"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// whatIfGaps returns the paths, the requests and the answers of what-ifs. Paths are those of a
// prediction with other names, and requests begin with the keys that select its bag.
func whatIfGaps(document []byte, comments map[string]string) ([]gap, error) {
	path, err := valueAt(document, "paths", "/v1/predict")
	if err != nil {
		return nil, err
	}
	predict, err := propertiesOf(document, "PredictRequest")
	if err != nil {
		return nil, err
	}
	explain, err := propertiesOf(document, "ExplainRequest")
	if err != nil {
		return nil, err
	}
	source := predict[:slices.IndexFunc(predict, func(m member) bool { return m.key == "output" })]
	var limits []member // and the output
	for _, m := range explain {
		if slices.Contains([]string{"output", "seed", "budget"}, m.key) {
			limits = append(limits, m)
		}
	}
	var paths, requests []member
	answers := schemas{comments: comments, known: map[string]bool{"Model": true, "Bag": true}}
	for _, w := range ask.WhatIfs() {
		one, err := whatIfPath(path, w)
		if err != nil {
			return nil, err
		}
		paths = append(paths, member{"/v1/" + w.Name, one})
		if one, err = whatIfRequest(w, source, limits); err != nil {
			return nil, err
		}
		requests = append(requests, member{w.Type() + "Request", one})
		if err := answers.add(w.Answer); err != nil {
			return nil, err
		}
	}
	components := []string{"components", "schemas"}
	return []gap{
		{[]string{"paths"}, "/v1/predict", "/v1/jobs", paths},
		{components, "ExplainRequest", "Model", requests},
		{components, "Explanation", "Port", answers.list},
	}, nil
}

// whatIfPath returns the path of a what-if, given that of a prediction.
func whatIfPath(path json.RawMessage, w ask.WhatIf) (_ json.RawMessage, err error) {
	post := []byte(path)
	for _, change := range []struct {
		value string
		at    []string
	}{
		{w.Name, []string{"operationId"}},
		{w.Title, []string{"summary"}},
		{reference(w.Type() + "Request"), []string{"requestBody", "content", "multipart/form-data",
			"schema", "properties", "request", "$ref"}},
		{reference(w.Type() + "Answer"), []string{"responses", "200", "content",
			"application/json", "schema", "$ref"}},
	} {
		post, err = set(post, change.value, append([]string{"post"}, change.at...)...)
		if err != nil {
			return nil, err
		}
	}
	return post, nil
}

// whatIfRequest returns the schema of the request of a what-if. source are the keys that select its
// bag.
func whatIfRequest(w ask.WhatIf, source, limits []member) (json.RawMessage, error) {
	const class = `{"type": "string", "nullable": true,
		"description": "Name or number of a class; default the predicted one."}`
	const donor = `{"type": "integer", "nullable": true, "minimum": 0, "description": "Index of ` +
		`the bag in the same file whose instances may be added. Default: none."}`
	options, err := optionMembers(ask.ListOf(w.New().Fields,
		func(f ask.OptionField) core.Option { return *f.Option }))
	if err != nil {
		return nil, err
	}
	properties := slices.Concat(source, []member{{"class", []byte(class)}}, options, limits)
	if w.Donor {
		properties = append(properties, member{"donor_index", []byte(donor)})
	}
	text, err := object(properties)
	if err != nil {
		return nil, err
	}
	return encode(schemaOf{Type: "object", Properties: text, Additional: new(bool)})
}

// propertiesOf returns the keys of a schema.
func propertiesOf(document []byte, schema string) ([]member, error) {
	text, err := valueAt(document, "components", "schemas", schema, "properties")
	if err != nil {
		return nil, err
	}
	return members(text)
}
