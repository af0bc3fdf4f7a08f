package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

func document(t testing.TB) *openapi3.T {
	t.Helper()
	doc := must.Get(openapi3.NewLoader().LoadFromData(description))(t)
	must.Do(t, doc.Validate(t.Context()))
	return doc
}

// A witness keeps what is answered on its way.
type witness struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *witness) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

// described holds every answer of a server, in every test, against the OpenAPI document: its
// status, type and schema.
func described(t testing.TB, s *Server) http.Handler {
	t.Helper()
	openapi3filter.RegisterBodyDecoder(eventStream, openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder(geoJSON, openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder(dicomFile, openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder(jsonLines, openapi3filter.JSONBodyDecoder)
	doc := document(t)
	doc.Servers = nil // the address that the document is relative to is only known to clients
	router := must.Get(legacy.NewRouter(doc))(t)
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &witness{ResponseWriter: plain}
		s.ServeHTTP(w, r)
		at, parameters, err := router.FindRoute(r)
		if err != nil || w.status == 0 {
			return // an address that the document does not have, or nothing was answered
		}
		if w.Header().Get("Content-Type") != jsonLines {
			checkAnswer(t, w, w.body.Bytes(), r, at, parameters)
			return
		}
		for line := range bytes.Lines(w.body.Bytes()) {
			checkAnswer(t, w, line, r, at, parameters)
		}
	})
}

// checkAnswer holds the body of an answer, or a line of it, against the document.
func checkAnswer(
	t testing.TB, w *witness, body []byte, r *http.Request, at *routers.Route,
	parameters map[string]string,
) {
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: at,
			PathParams: parameters},
		Status: w.status, Header: w.Header(),
		Body:    io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil && r.Context().Err() == nil {
		t.Errorf("%s %s: the answer %d is not as the document has it: %v", r.Method, r.URL.Path,
			w.status, err)
	}
}

// TestDescription: the document has the routes of the table, no more and no fewer, and every status
// that each may have.
func TestDescription(t *testing.T) {
	doc := document(t)
	s := must.Get(New(Options{}))(t)
	count := 0
	for _, item := range doc.Paths.Map() {
		count += len(item.Operations())
	}
	must.Equal(t, count, len(s.routes()))
	for _, r := range s.routes() {
		item := doc.Paths.Value(r.path)
		if item == nil || item.GetOperation(r.method) == nil {
			t.Errorf("the document lacks %s %s", r.method, r.path)
			continue
		}
		operation := item.GetOperation(r.method)
		must.Equal(t, (operation.Security != nil && len(*operation.Security) == 0), r.open,
			r.method, r.path)
		want := []int{200, 403, 500}
		if !slices.Contains(probes, r.path) {
			want = append(want, 421)
		}
		if r.path == "/v1/jobs" && r.method == "POST" {
			want[0] = 202
		}
		if !r.open {
			want = append(want, 401)
		}
		if r.gated {
			want = append(want, 400, 404, 408, 413, 415, 422, 429, 502, 503)
		}
		if strings.HasPrefix(r.path, "/v1/jobs") {
			want = append(want, 501)
			if r.gated || r.method == "DELETE" {
				want = append(want, 507)
			}
		}
		if strings.HasSuffix(r.path, "/{id}") && r.method == "GET" {
			want = append(want, 429)
		}
		if strings.HasSuffix(r.path, "/results") {
			want = append(want, 400, 429)
		}
		if strings.Contains(r.path, "{") && !r.gated {
			want = append(want, 404)
		}
		if strings.Contains(r.path, "ready") && r.open {
			want = append(want, 503)
		}
		var got []int
		for status := range operation.Responses.Map() {
			n := must.Get(strconv.Atoi(status))(t)
			got = append(got, n)
		}
		slices.Sort(got)
		slices.Sort(want)
		must.EqualSlices(t, got, want, r.method, r.path)
	}
	for kind := range kinds {
		if !slices.Contains(doc.Components.Schemas["Problem"].Value.Properties["kind"].Value.Enum,
			any(kind)) {
			t.Errorf("the document lacks the kind %s", kind)
		}
	}
}

// TestDescriptionIsComplete: the document has a server and a licence, uses all of its components,
// and states nullable only beside a type, because it has no effect otherwise. "redocly lint"
// requires the same.
func TestDescriptionIsComplete(t *testing.T) {
	doc := document(t)
	must.Equal(t, len(doc.Servers) != 0, true, "the document lacks a server or a licence")
	must.Equal(t, doc.Info.License != nil, true, "the document lacks a server or a licence")
	var all map[string]any
	must.Do(t, json.Unmarshal(description, &all))
	used := map[any]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(at, item)
			}
		case map[string]any:
			if v["nullable"] != nil && v["type"] == nil {
				t.Errorf("%s is nullable without a type", at)
			}
			used[v["$ref"]] = true
			for key, value := range v {
				walk(at+"/"+key, value)
			}
		}
	}
	walk("#", all)
	for kind, components := range all["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			ref := "#/components/" + kind + "/" + name
			if kind != "securitySchemes" && !used[ref] {
				t.Errorf("%s is not used", ref)
			}
		}
	}
}

// TestDescribedRequests: the document has the keys that requests take.
func TestDescribedRequests(t *testing.T) {
	doc := document(t)
	types := map[string][]any{"ExplainRequest": {explainRequest{}},
		"PredictRequest": {predictRequest{}}, "Cohort": {cohortJSON{}}, "Job": {jobs.Job{}},
		"JobList": {jobList{}}}
	for _, w := range ask.WhatIfs() {
		name := w.Type() + "Request"
		types[name] = []any{source{}, ask.Ask{},
			reflect.ValueOf(w.New().Options).Elem().Interface()}
		if w.Donor {
			types[name] = append(types[name], donor{})
		}
	}
	for name, list := range types {
		var want []string
		for _, v := range list {
			want = append(want, keysOf(reflect.TypeOf(v))...)
		}
		var got []string
		for key := range doc.Components.Schemas[name].Value.Properties {
			got = append(got, key)
		}
		slices.Sort(want)
		slices.Sort(got)
		must.EqualSlices(t, got, want, name)
	}
	_, url := serve(t, Options{})
	if status, kind, body := get(t, url+"/v1/openapi.json"); status != 200 ||
		kind != "application/json" || !json.Valid(body) {
		t.Errorf("%d %s", status, kind)
	}
}

// keysOf are the JSON keys of a struct and of those within it.
func keysOf(t reflect.Type) (keys []string) {
	for f := range t.Fields() {
		switch key := f.Tag.Get("json"); {
		case f.Anonymous:
			keys = append(keys, keysOf(f.Type)...)
		case key != "-":
			keys = append(keys, key)
		}
	}
	return keys
}
