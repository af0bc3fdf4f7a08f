package signature_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// TestMistakesInAnswersNameTheirKey reads cards with a mistake each.
func TestMistakesInAnswersNameTheirKey(t *testing.T) {
	const hazards = `"kind":"hazards","scale":"logits"`
	for _, c := range []struct{ output, key, reason string }{
		{`3`, "output", "JSON number"},
		{`"hazard"`, "output", "none of logits"},
		{`"hazards"`, "output", `{"kind": "hazards"`},
		{`{}`, "output.kind", "missing"},
		{`{"kind":"cox"}`, "output.kind", "cox"},
		{`{"kind":3}`, "output.kind", "3 is none of classes"},
		{`{"kind":"classes"}`, "output.scale", "logits"},
		{`{"kind":"hazards"}`, "output.scale", "missing; give logits or probabilities: what"},
		{`{"kind":"hazards","scale":"sigmoid"}`, "output.scale", "sigmoid"},
		{`{` + hazards + `}`, "output.edges", "missing; give a list: edges of the bins"},
		{`{` + hazards + `,"edges":[3]}`, "output.edges", "1 entries; give from 2 to 1025"},
		{`{` + hazards + `,"edges":[0,5,5],"unit":"a"}`, "output.edges",
			"entry 1 is 5 and entry 2"},
		{`{` + hazards + `,"edges":[-1,5],"unit":"a"}`, "output.edges", "-1"},
		{`{` + hazards + `,"edges":[0,"a"],"unit":"a"}`, "output.edges[1]",
			`JSON string "a" instead of a number`},
		{`{` + hazards + `,"edges":[-1e308,1e308],"unit":"a"}`, "output.edges", "too far"},
		{`{` + hazards + `,"edges":[0,5]}`, "output.unit", "missing"},
		{`{` + hazards + `,"edges":[0,5],"unit":"a\nb"}`, "output.unit", "printable"},
		{`{"kind":"regression","unit":"` + strings.Repeat("m", 33) + `"}`, "output.unit", "32"},
		{`{"kind":"ordinal","scale":"cumulative-logits","values":[1,1]}`, "output.values",
			"increase"},
		{`{"kind":"heads"}`, "output.heads", "missing; give a list"},
		{`{"kind":"heads","heads":[]}`, "output.heads", "0 entries; give from 1 to 64"},
		{`{"kind":"heads","heads":[3]}`, "output.heads[0]", "JSON number"},
		{`{"kind":"heads","heads":[{"kind":"regression"}]}`, "output.heads[0].name", "missing"},
		{`{"kind":"heads","heads":[{"name":"a","kind":"heads"}]}`, "output.heads[0].kind",
			`"heads" is none of classes`},
		{`{"kind":"heads","heads":[{"name":"a","kind":"regression"},` +
			`{"name":"a","kind":"regression"}]}`, "output.heads[1].name", "two heads"},
	} {
		var card signature.Card
		err := card.Read([]byte(`{"output":`+c.output+`}`), "the card")
		must.Fail(t, err, fmt.Sprintf("key %q", c.key), c.reason)
	}
}

// cardFor opens a model of testdata/answers with another card and predicts a bag.
func cardFor(t *testing.T, model, card string) (*onnxbackend.Prediction, error) {
	t.Helper()
	data := must.Get(os.ReadFile("../testdata/answers/" + model + ".onnx"))(t)
	m, err := onnxbackend.Open(data, onnxbackend.Options{Card: []byte(card)})
	if err != nil {
		return nil, err
	}
	p, err := m.Predict(context.Background(), enginetest.SmallBag(5, 4))
	_, bindErr := m.Bind(context.Background(), enginetest.SmallBag(5, 4))
	must.Equal(t, err == nil, bindErr == nil, bindErr)
	return p, err
}

// TestAnswersThatContradictTheModel opens models with cards for other ones.
func TestAnswersThatContradictTheModel(t *testing.T) {
	for _, c := range []struct{ name, model, card, key, reason string }{
		{"edges for three bins", "hazards_logits", `{"output":{"kind":"hazards","scale":"logits",` +
			`"edges":[0,1,2,3],"unit":"months"}}`, "output.edges", "4 edges are for 3 bins"},
		{"logits as hazards", "ordinal", `{"output":{"kind":"hazards","scale":"probabilities",` +
			`"edges":[0,1,2,3],"unit":"months"}}`, "output.scale", "outside 0..1"},
		{"three names for four grades", "ordinal", `{"classes":["a","b","c"],"output":` +
			`{"kind":"ordinal","scale":"cumulative-logits"}}`, "output.classes", "2 scores"},
		{"names for other values", "ordinal", `{"classes":["a","b","c"],"output":{` +
			`"kind":"ordinal","scale":"cumulative-logits","values":[1,2,3,4]}}`,
			"output.classes", "names 3"},
		{"one score of ordered classes", "regression", `{"output":{"kind":"ordinal",` +
			`"scale":"logits"}}`, "output.scale", "1 scores"},
		{"no distribution", "hazards_linear", `{"output":{"kind":"ordinal",` +
			`"scale":"probabilities"}}`, "output.scale", "sum to"},
		{"no such output", "heads", `{"output":{"kind":"heads","heads":[{"name":"a",` +
			`"kind":"regression","output_name":"x"}]}}`, "output.heads[0].output_name", `"x"`},
		{"an output is missing", "heads", `{"output":{"kind":"heads","heads":[{"name":"a",` +
			`"kind":"regression"}]}}`, "output.heads[0].output_name", "3 outputs"},
		{"too many names", "heads", `{"output":{"kind":"heads","heads":[{"name":"a",` +
			`"kind":"regression","output_name":"depth","classes":["b","c"]}]}}`,
			"output.heads", "2"},
		{"negative class", "heads", `{"output":{"kind":"heads","heads":[{"name":"a","negative":3,` +
			`"kind":"classes","scale":"logits","output_name":"subtype"}]}}`,
			"output.heads[0].negative", "3 classes"},
		{"truth of other classes", "heads", `{"truth":[{"support":[1]}]}`, "truth", "5 numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := cardFor(t, c.model, c.card)
			must.Fail(t, err, `key "`+c.key+`"`, c.reason)
		})
	}
}

// TestNegativeClassOfAHead states the negative class of a head by its number in the head. Without
// it, the first is the negative one.
func TestNegativeClassOfAHead(t *testing.T) {
	for negative, want := range map[string]int{"": 1, `"negative":0,`: 1, `"negative":1,`: 2,
		`"negative":-1,`: -1} {
		p := must.Get(cardFor(t, "hazards_logits", `{"output":{"kind":"heads","heads":[
			{"name":"a","kind":"regression","classes":["x"]},
			{"name":"b",`+negative+`"kind":"classes","scale":"logits","classes":["no","yes"]},
			{"name":"c","kind":"regression","classes":["y"]}]}}`))(t)
		must.Equal(t, p.Heads[1].Negative, want, negative)
	}
}

// TestPatchSizes reads sides and strides of patches that are no pixels.
func TestPatchSizes(t *testing.T) {
	for _, patch := range []string{`{}`, `{"size":0}`, `{"stride":8}`, `{"size":8,"stride":0}`,
		`{"size":-1}`, `{"size":0,"stride":0,"background":1}`, `{"size":8,"stride":0,"mpp":0.5}`} {
		var card signature.Card
		err := card.Read([]byte(`{"patch":`+patch+`}`), "the card")
		must.Fail(t, err, `"patch.`)
	}
	var card signature.Card
	must.Do(t, card.Read([]byte(`{"patch":{"mpp":0.5}}`), "the card"))
	if p := card.Patch; p == nil || p.Size != 0 || p.Microns != .5 {
		t.Errorf("a resolution alone is read as %+v", p)
	}
}

// TestHeadsShareAnOutput cuts the scores of one output into heads: the same scores as of one head.
func TestHeadsShareAnOutput(t *testing.T) {
	whole := must.Get(cardFor(t, "hazards_logits", `{"output":"raw"}`))(t)
	p := must.Get(cardFor(t, "hazards_logits", `{"output":{"kind":"heads","heads":[
		{"name":"a","kind":"regression","unit":"mm","classes":["x"]},
		{"name":"b","kind":"classes","scale":"logits","classes":["no","yes"]},
		{"name":"c","kind":"regression","classes":["y"]}]}}`))(t)
	must.EqualSlices(t, p.Scores, whole.Scores)
	must.EqualSlices(t, p.Classes, []string{"a:x", "b:no", "b:yes", "c:y"})
	must.Equal(t, len(p.Outputs), 1)
	if h := p.Heads[1]; h.Negative != 1 || h.Name != "b" || h.Classes != 2 {
		t.Errorf("head %+v", h)
	}
}

// TestOrdinalScalesAgree reads one distribution in the four ways in which a graph may return it.
func TestOrdinalScalesAgree(t *testing.T) {
	p := must.Get(cardFor(t, "ordinal", `{}`))(t)
	grade, above := p.Scores[0], p.Scores[1:]
	must.Equal(t, math.Abs((above[0]+above[1]+above[2])-grade) <= 1e-12, true, grade)
	values := must.Get(cardFor(t, "ordinal", `{"classes":["0","1","2","3"],`+
		`"output":{"kind":"ordinal","scale":"cumulative-logits","values":[1,2,4,5],`+
		`"unit":"ISUP"}}`))(t)
	want := 1 + above[0] + 2*above[1] + above[2]
	must.Equal(t, math.Abs(values.Scores[0]-want) <= 1e-12, true, values.Heads[0].Unit, want)
	must.Equal(t, values.Heads[0].Unit, "ISUP", want)
	// The logits of four classes.
	soft := must.Get(cardFor(t, "hazards_logits",
		`{"output":{"kind":"ordinal","scale":"logits"}}`))(t)
	logits, sum := soft.Outputs[0].Data, 0.0
	for _, v := range logits {
		sum += math.Exp(v)
	}
	for g := range 3 {
		want := 0.0
		for _, v := range logits[g+1:] {
			want += math.Exp(v) / sum
		}
		must.Equal(t, math.Abs(soft.Scores[g+1]-want) <= 1e-12, true, g+1, soft.Scores[g+1], want)
	}
}

// TestSquashedHazards checks that hazards behind a sigmoid are not squashed again.
func TestSquashedHazards(t *testing.T) {
	const card = `{"output":{"kind":"heads","heads":[{"name":"s","kind":"hazards","scale":"%s",` +
		`"edges":[0,9,20,36,60],"unit":"months","output_name":"hazards"}]}}`
	right := must.Get(cardFor(t, "heads", fmt.Sprintf(card, "probabilities")))(t)
	wrong := must.Get(cardFor(t, "heads", fmt.Sprintf(card, "logits")))(t)
	if !slices.Equal(right.Scores, wrong.Scores) || !slices.ContainsFunc(wrong.Notes,
		func(n string) bool { return strings.Contains(n, "not squashed again") }) {
		t.Errorf("%v, want %v: %v", wrong.Scores, right.Scores, wrong.Notes)
	}
	must.Equal(t, core.KindHazards, right.Heads[0].Kind, right.Heads)
}
