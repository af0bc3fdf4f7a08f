package ask_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
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
	digits := openBags(t)
	answers := map[string]json.RawMessage{}
	for _, q := range testfile.Questions(t, !*update) {
		t.Run(q.Name, func(t *testing.T) {
			answer, err := answered(t, digits, q)
			if got := kind.Of(err); got != q.Error {
				t.Fatalf("the error %v is of kind %q, want %q", err, got, q.Error)
			}
			if err != nil {
				if !strings.Contains(err.Error(), q.Says) {
					t.Errorf("the error %q does not say %q", err, q.Says)
				}
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

// withoutName returns an answer without the model's name, which depends on the face.
func withoutName(t *testing.T, text []byte) json.RawMessage {
	t.Helper()
	var answer map[string]any
	must.Do(t, json.Unmarshal(text, &answer))
	delete(answer["model"].(map[string]any), "name")
	return must.Get(json.Marshal(answer))(t)
}

// openBags returns a function that opens a bag of the digits example with its network.
func openBags(t *testing.T) func(index int) (*ask.Input, error) {
	t.Helper()
	open := func(name string) []byte {
		return must.Get(os.ReadFile("../../examples/digits/" + name))(t)
	}
	file := open("model.onnx")
	m := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
	set := must.Get(bagio.Read("bags.npz", open("bags.npz"), ask.ReadOptions{}.Options(m)))(t)
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
	t *testing.T, digits func(index int) (*ask.Input, error), q testfile.Question,
) (any, error) {
	t.Helper()
	var r struct {
		Bags struct {
			Index      int
			DonorIndex *int `json:"donor_index"`
		}
		ask.Ask
		Settings ask.Settings
		Sets     ask.SetsOptions
		Pairs    ask.PairsOptions
		Turn     ask.TurnOptions
		Inside   ask.InsideOptions
		Check    ask.CheckOptions
	}
	text, err := json.Marshal(q.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []any{&r.Bags, &r.Ask, &r.Settings, &r.Sets, &r.Pairs, &r.Turn, &r.Inside,
		&r.Check} {
		// Keys of other questions are skipped, and kind is a word in one alone.
		must.Do(t, json.NewDecoder(bytes.NewReader(text)).Decode(to))
	}
	in, err := digits(r.Bags.Index)
	if err != nil {
		return nil, err
	}
	switch ctx := t.Context(); q.Question {
	case "explain":
		plan, err := r.Settings.Plan()
		if err != nil {
			return nil, err
		}
		x, err := plan.Explain(ctx, in, nil)
		if err != nil {
			return nil, err
		}
		return x.JSON(), nil
	case "sets":
		return r.Ask.Sets(ctx, in, r.Sets, nil)
	case "pairs":
		return r.Ask.Pairs(ctx, in, r.Pairs, nil)
	case "whatif":
		var from ask.Additions
		if r.Bags.DonorIndex != nil {
			donor, err := digits(*r.Bags.DonorIndex)
			if err != nil {
				return nil, err
			}
			from.Donor = donor.Bag
		}
		return r.Ask.Turn(ctx, in, from, r.Turn, nil)
	case "groups":
		return r.Ask.Groups(ctx, in, nil)
	case "inside":
		return r.Ask.Inside(ctx, in, r.Inside, nil)
	case "check":
		return r.Ask.Check(ctx, in, r.Check, nil)
	}
	t.Fatalf("no question %q", q.Question)
	return nil, nil
}

// randomised returns a function that opens a model file with shuffled weights.
func randomised(
	file []byte,
) func(ctx context.Context, r onnxbackend.Randomize) (core.Model, error) {
	return func(_ context.Context, r onnxbackend.Randomize) (core.Model, error) {
		return onnxbackend.Open(file, onnxbackend.Options{Randomize: r})
	}
}
