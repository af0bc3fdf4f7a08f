package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/testfile"
)

// TestQuestions answers the table of questions that every face answers alike.
func TestQuestions(t *testing.T) {
	_, url := serve(t, Options{})
	for _, q := range testfile.Questions(t, true) {
		t.Run(q.Name, func(t *testing.T) {
			request, err := json.Marshal(q.Options)
			if err != nil {
				t.Fatal(err)
			}
			status, content, body := post(t, url+"/v1/"+q.Question, "",
				digitParts(t, string(request))...)
			if q.Error != "" {
				wantProblem(t, q.Name, status, content, body, q.Error, q.Says)
				return
			}
			if status != http.StatusOK {
				t.Fatalf("status %d, %s", status, body)
			}
			q.SameAnswer(t, body)
		})
	}
}
