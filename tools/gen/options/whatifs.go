package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// whatIfGaps returns the paths, the requests and the answers of what-ifs. A path is that of a
// prediction with other names, and a request has the keys of a prediction that select its bag, and
// those of an explanation that limit it. comments are those of package ask.
func whatIfGaps(document []byte, comments map[string]string) ([]gap, error) {
	var parts [3]json.RawMessage
	for n, at := range [][]string{{"paths", "/v1/predict"},
		{"components", "schemas", "PredictRequest", "properties"},
		{"components", "schemas", "ExplainRequest", "properties"}} {
		var err error
		if parts[n], err = valueAt(document, at...); err != nil {
			return nil, err
		}
	}
	predict, err := members(parts[1])
	if err != nil {
		return nil, err
	}
	explain, err := members(parts[2])
	if err != nil {
		return nil, err
	}
	selects := slices.DeleteFunc(predict, func(m member) bool { return m.key == "output" })
	limits := slices.DeleteFunc(explain, func(m member) bool {
		return !slices.Contains([]string{"output", "seed", "budget"}, m.key)
	})
	var paths, requests, answers []member
	for _, w := range ask.WhatIfs() {
		paths = append(paths, member{"/v1/" + w.Name, whatIfPath(parts[0], w)})
		request, err := whatIfRequest(w, selects, limits)
		if err != nil {
			return nil, err
		}
		requests = append(requests, member{w.Type() + "Request", request})
		schema, err := answerSchema(w.Answer, comments)
		if err != nil {
			return nil, err
		}
		answer, err := encode(schema)
		if err != nil {
			return nil, err
		}
		answers = append(answers, member{w.Type() + "Answer", answer})
	}
	components := []string{"components", "schemas"}
	return []gap{
		{[]string{"paths"}, "/v1/predict", "/v1/jobs", paths},
		{components, "ExplainRequest", "Model", requests},
		{components, "Explanation", "Port", answers},
	}, nil
}

// whatIfPath returns the path of a what-if, given that of a prediction.
func whatIfPath(path json.RawMessage, w ask.WhatIf) json.RawMessage {
	const external = `"external": {`
	parts := external
	if w.Named {
		parts = `"concepts": {"type": "string", "format": "binary", "description": "A file that ` +
			`names concepts: annotations, vectors by name (.npz), or an .onnx file of codes."}, ` +
			external
	}
	return []byte(strings.NewReplacer(external, parts, `"predict"`, strconv.Quote(w.Name),
		`"Predict a bag with a model"`, strconv.Quote(w.Title),
		`/PredictRequest"`, "/"+w.Type()+`Request"`, `/Prediction"`, "/"+w.Type()+`Answer"`,
	).Replace(string(path)))
}

// whatIfRequest returns the schema of the request of a what-if.
func whatIfRequest(w ask.WhatIf, selects, limits []member) (json.RawMessage, error) {
	const class = `{"type": "string", "nullable": true,
		"description": "Name or number of a class; default the predicted one."}`
	const donor = `{"type": "integer", "nullable": true, "minimum": 0, "description": "Index of ` +
		`the bag in the same file whose instances may be added. Default: none."}`
	options, err := optionMembers(ask.ListOf(w.New().Fields,
		func(f ask.OptionField) core.Option { return *f.Option }))
	if err != nil {
		return nil, err
	}
	properties := slices.Concat(selects, []member{{"class", []byte(class)}}, options, limits)
	if w.Donor {
		properties = append(properties, member{"donor_index", []byte(donor)})
	}
	text, err := object(properties)
	if err != nil {
		return nil, err
	}
	return encode(valueSchema{Type: "object", Properties: text, Additional: new(bool)})
}
