package main

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/source"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

const root = "../../../"

func read(t *testing.T, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(root + file))(t)
}

// comments returns the comments of package ask.
func comments(t *testing.T) map[string]string {
	t.Helper()
	return must.Get(source.Read(root + questions))(t).Comments
}

// TestGeneratedFilesAreFresh fails if the declarations have changed after the last make generate.
func TestGeneratedFilesAreFresh(t *testing.T) {
	request := must.Get(requestSource())(t)
	must.Equal(t, string(read(t, requestFile)), string(request), requestFile+
		" is stale; run make generate")
	document := read(t, documentFile)
	want := must.Get(rewriteDocument(document, comments(t)))(t)
	must.Equal(t, string(document), string(want), documentFile+" is stale; run make generate")
}

// TestDocumentHasAllOptions checks that the gaps of the document hold all options and nothing else.
func TestDocumentHasAllOptions(t *testing.T) {
	document := read(t, documentFile)
	for _, g := range must.Get(optionGaps())(t) {
		var keys, want []string
		for _, m := range must.Get(members(must.Get(valueAt(document, g.at...))(t)))(t) {
			keys = append(keys, m.key)
		}
		keys = keys[slices.Index(keys, g.after)+1 : slices.Index(keys, g.before)]
		for _, m := range g.members {
			want = append(want, m.key)
		}
		must.EqualSlices(t, keys, want, g.at)
	}
}

// TestRequestsListFormats checks that every request with bags names the formats that are read.
func TestRequestsListFormats(t *testing.T) {
	type schema struct {
		Properties map[string]struct{ Description string }
	}
	var document struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Schema schema }
				}
			}
		}
	}
	must.Do(t, json.Unmarshal(read(t, documentFile), &document))
	texts := bagTexts()
	for path, operations := range document.Paths {
		form := operations.Post.RequestBody.Content["multipart/form-data"].Schema.Properties
		if bag, ok := form["bag"]; ok && bag.Description != texts[path] {
			t.Errorf("%s describes its bags by %q, not by bagTexts", path, bag.Description)
		}
		delete(texts, path)
	}
	must.Equal(t, len(texts) <= 0, true, texts)
}

// TestWhatIfPaths checks that the paths of what-ifs have the names of the table.
func TestWhatIfPaths(t *testing.T) {
	document := read(t, documentFile)
	for _, w := range ask.WhatIfs() {
		for want, at := range map[string][]string{w.Name: {"operationId"}, w.Title: {"summary"},
			"#/components/schemas/" + w.Type() + "Request": {"requestBody", "content",
				"multipart/form-data", "schema", "properties", "request", "$ref"},
			"#/components/schemas/" + w.Type() + "Answer": {"responses", "200", "content",
				"application/json", "schema", "$ref"}} {
			at = append([]string{"paths", "/v1/" + w.Name, "post"}, at...)
			must.Equal(t, string(must.Get(valueAt(document, at...))(t)), strconv.Quote(want),
				w.Name, want)
		}
	}
}

// TestRewriteDocumentKeepsOrder removes a key that is not an option, keeps the order of the others,
// and rejects a document without the expected keys.
func TestRewriteDocumentKeepsOrder(t *testing.T) {
	document := strings.Replace(string(read(t, documentFile)), `"samples": {`, `"sample": {`, 1)
	got := must.Get(rewriteDocument([]byte(document), comments(t)))(t)
	must.Equal(t, string(got), string(read(t, documentFile)), "a stale key stays")
	for _, text := range []string{"", "[]", "{}", `{"components":{}}`,
		`{"components":{"schemas":{"ExplainRequest":{"properties":{"output":1}}}}}`} {
		must.Equal(t, must.Err(rewriteDocument([]byte(text), nil)) != nil, true, text)
	}
}
