package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestQuestions answers the table of questions that every face answers alike.
func TestQuestions(t *testing.T) {
	_, url := serve(t, Options{})
	for _, q := range testfile.Questions(t, true) {
		t.Run(q.Name, func(t *testing.T) {
			request := must.Get(json.Marshal(q.Options))(t)
			subject := digitParts(t, "")[:2]
			if q.Patients {
				model, bags := q.Paths(t)
				subject = []part{{"model", "patient.onnx", load(t, model)},
					{"bag", "patients.csv", load(t, bags)}}
			}
			status, content, body := post(t, url+"/v1/"+q.Question, "",
				append(subject, part{name: "request", data: request})...)
			if q.Error != "" {
				wantProblem(t, q.Name, status, content, body, q.Error, q.Says)
				return
			}
			must.Equal(t, status, http.StatusOK, body)
			q.SameAnswer(t, body)
		})
	}
}

// TestUnknownKeys: each question rejects keys that are not its options.
func TestUnknownKeys(t *testing.T) {
	_, url := serve(t, Options{})
	paths := append(ask.ListOf(ask.WhatIfs(), func(w ask.WhatIf) string { return w.Name }),
		"explain", "predict")
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			status, kind, body := post(t, url+"/v1/"+path, "", digitParts(t, `{"size": 2}`)...)
			wantProblem(t, path, status, kind, body, "request", `unknown field "size"`)
		})
	}
}

// TestBudgetOfServer: a request cannot raise the server's budget, whatever it asks.
func TestBudgetOfServer(t *testing.T) {
	_, url := serve(t, Options{Limits: Limits{Budget: 3}})
	for _, path := range []string{"/v1/explain", "/v1/sets", "/v1/pairs", "/v1/whatif",
		"/v1/inside", "/v1/check"} {
		t.Run(path, func(t *testing.T) {
			status, kind, body := post(t, url+path, "", digitParts(t, `{"budget": 1000000000}`)...)
			wantProblem(t, path, status, kind, body, "budget", "budget of 3 ")
		})
	}
	for _, path := range []string{"/v1/inside", "/v1/check"} { // they explain several bags
		t.Run(path+" that begins", func(t *testing.T) {
			_, url := serve(t, Options{Limits: Limits{Budget: 60}})
			status, kind, body := post(t, url+path, "", digitParts(t, `{"budget": 1000000000}`)...)
			wantProblem(t, path, status, kind, body, "budget", "")
		})
	}
}
