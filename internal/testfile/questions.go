package testfile

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A Question is a row of the table of questions about a bag of the digits, or of the patients in
// the corpus, which every face of bagscope answers alike.
type Question struct {
	Name     string         // name of a subtest
	Patients bool           // whether it is about a bag of patients, whose model takes their age
	Question string         // name of a command
	Options  map[string]any // keys are those of requests
	Error    string         // kind of the error, or "" for an answer
	Says     string         // part of the error's text on every face
	Answer   map[string]any // lacks the model's name; written by package ask
}

// questionsFile and answersFile are in testdata.
const (
	questionsFile = "corpus/questions.json"
	AnswersFile   = "corpus/answers.json"
)

// Questions returns the table. Without answers, Answer is nil everywhere.
func Questions(t *testing.T, answered bool) []Question {
	t.Helper()
	var rows []Question
	if err := json.Unmarshal(Read(t, questionsFile), &rows); err != nil {
		t.Fatal(err)
	}
	if !answered {
		return rows
	}
	var answers map[string]map[string]any
	if err := json.Unmarshal(Read(t, AnswersFile), &answers); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Answer = answers[rows[i].Name]
		if (rows[i].Answer == nil) != (rows[i].Error != "") {
			t.Fatalf("%s: either an answer or an error; run go test ./onnxbackend/ask -update",
				rows[i].Name)
		}
	}
	return rows
}

// Paths returns the files of the model and the bags that the question is about.
func (q Question) Paths(t *testing.T) (model, bags string) {
	t.Helper()
	if q.Patients {
		return Path(t, "corpus/patient.onnx"), Path(t, "corpus/patients.csv")
	}
	digits := filepath.Join(root(t), "examples/digits")
	return filepath.Join(digits, "model.onnx"), filepath.Join(digits, "bags.npz")
}

// SameAnswer fails unless the JSON of an answer is that of the row, but for the model's name.
// Numbers may differ by rounding, and so may numbers in sentences.
func (q Question) SameAnswer(t *testing.T, text []byte) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	if model, ok := got["model"].(map[string]any); ok {
		delete(model, "name")
	}
	if d := difference("", got, q.Answer); d != "" {
		t.Errorf("%s: %s", q.Name, d)
	}
}

// difference names the first place where two values of JSON differ, or is "".
func difference(at string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s has %v, want %v", at, got, want)
		}
		for key, value := range w {
			if d := difference(at+"."+key, g[key], value); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s has %v, want %v", at, got, want)
		}
		for i, value := range w {
			if d := difference(fmt.Sprintf("%s[%d]", at, i), g[i], value); d != "" {
				return d
			}
		}
		return ""
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= 1e-3*max(1, math.Abs(w)) {
			return ""
		}
	case string:
		if g, ok := got.(string); ok && (g == w || strings.HasSuffix(at, ".sentence") &&
			withoutNumbers(g) == withoutNumbers(w)) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, want %v", at, got, want)
}

// withoutNumbers removes digits and what belongs to numbers.
func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.-", r) {
			return -1
		}
		return r
	}, s)
}
