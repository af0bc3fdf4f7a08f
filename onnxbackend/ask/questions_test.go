package ask_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

var update = flag.Bool("update", false, "write the answers to the table of questions again")

// TestQuestions answers the table of questions, which every face answers alike. The command line,
// the server, Node and Python have a test of the same name.
func TestQuestions(t *testing.T) {
	digits := openBags(t, testfile.Question{})
	patients := openBags(t, testfile.Question{Patients: true})
	answers := map[string]json.RawMessage{}
	for _, q := range testfile.Questions(t, !*update) {
		t.Run(q.Name, func(t *testing.T) {
			bags := digits
			if q.Patients {
				bags = patients
			}
			answer, err := answered(t, bags, q)
			must.Equal(t, kind.Of(err), q.Error)
			if err != nil {
				must.Fail(t, err, q.Says)
				return
			}
			text := must.Get(json.Marshal(answer))(t)
			if *update {
				answers[q.Name] = withoutName(t, text)
				return
			}
			q.SameAnswer(t, text)
		})
	}
	if *update {
		var lines []string // an answer each
		for _, name := range slices.Sorted(maps.Keys(answers)) {
			lines = append(lines, fmt.Sprintf("%q: %s", name, answers[name]))
		}
		text := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
		must.Do(t, os.WriteFile("../../testdata/"+testfile.AnswersFile, []byte(text), 0o666))
	}
}

// TestEveryWhatIfIsAsked: each what-if has a row with an answer.
func TestEveryWhatIfIsAsked(t *testing.T) {
	rows := testfile.Questions(t, true)
	for _, w := range ask.WhatIfs() {
		if !slices.ContainsFunc(rows, func(q testfile.Question) bool {
			return q.Question == w.Name && q.Error == ""
		}) {
			t.Errorf("the table of questions lacks %s", w.Name)
		}
	}
}

// withoutName returns an answer without the model's name, which depends on the face.
func withoutName(t *testing.T, text []byte) json.RawMessage {
	t.Helper()
	var answer map[string]any
	must.Do(t, json.Unmarshal(text, &answer))
	delete(answer["model"].(map[string]any), "name")
	return must.Get(json.Marshal(answer))(t)
}

// openBags returns a function that opens a bag that a question is about, with its model.
func openBags(t *testing.T, q testfile.Question) func(index int) (*ask.Input, error) {
	t.Helper()
	model, bags := q.Paths(t)
	file := must.Get(os.ReadFile(model))(t)
	m := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
	data := must.Get(os.ReadFile(bags))(t)
	set := must.Get(bagio.Read(filepath.Base(bags), data, ask.ReadOptions{}.Options(m)))(t)
	return func(index int) (*ask.Input, error) {
		in, err := ask.NewInput(t.Context(), m, set, index)
		if err == nil {
			in.Randomised = randomised(file)
		}
		return in, err
	}
}

// answered answers a row with the options of a request.
func answered(
	t *testing.T, bag func(index int) (*ask.Input, error), q testfile.Question,
) (any, error) {
	t.Helper()
	text := must.Get(json.Marshal(q.Options))(t)
	decode := func(to any) { // keys of other structs are skipped
		must.Do(t, json.NewDecoder(bytes.NewReader(text)).Decode(to))
	}
	var bags struct {
		Index      int
		DonorIndex *int `json:"donor_index"`
	}
	decode(&bags)
	in, err := bag(bags.Index)
	if err != nil {
		return nil, err
	}
	if bags.DonorIndex != nil {
		donor, err := bag(*bags.DonorIndex)
		if err != nil {
			return nil, err
		}
		in.Donor = donor.Bag
	}
	if q.Question == "explain" {
		var settings ask.Settings
		decode(&settings)
		plan, err := settings.Plan()
		if err != nil {
			return nil, err
		}
		x, err := plan.Explain(t.Context(), in, nil)
		if err != nil {
			return nil, err
		}
		return x.JSON(), nil
	}
	w, ok := ask.FindWhatIf(q.Question)
	must.Equal(t, ok, true, q.Question)
	question := w.New()
	decode(&question.Ask)
	decode(question.Options)
	return question.Answer(t.Context(), in, nil)
}

// randomised returns a function that opens a model file with shuffled weights.
func randomised(
	file []byte,
) func(ctx context.Context, r onnxbackend.Randomize) (core.Model, error) {
	return func(_ context.Context, r onnxbackend.Randomize) (core.Model, error) {
		return onnxbackend.Open(file, onnxbackend.Options{Randomize: r})
	}
}
