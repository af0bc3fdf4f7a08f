package ask_test

import (
	"bytes"
	"encoding/json"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// raw is a card of a model of three classes.
const raw = `{"classes": ["a", "b", "c"], "output": "raw"}`

// sums returns the input of a model that sums three features, for two instances at places. Its
// scores are 5, 7 and 9.
func sums(t *testing.T, card string) *ask.Input {
	t.Helper()
	bag := &core.Bag{Name: "two", Shape: []int{3}, Values: []float32{1, 2, 3, 4, 5, 6},
		Boxes: []image.Rectangle{image.Rect(0, 0, 4, 4), image.Rect(4, 0, 8, 5)}}
	return &ask.Input{Engine: modelOf(t, card, 3), Bag: bag, Whole: bag, Notes: []string{"noted"}}
}

// TestPredict reads the outputs of a model that sums the features.
func TestPredict(t *testing.T) {
	in := sums(t, raw)
	p := must.Get(ask.Predict(t.Context(), in, nil))(t)
	if p.Model != (ask.Model{Name: "sum.onnx", SHA256: in.Engine.Info().SHA256}) ||
		p.Bag.Name != "two" || p.Bag.Instances != 2 || !slices.Contains(p.Notes, "noted") {
		t.Errorf("model %+v, bag %+v, notes %q", p.Model, p.Bag, p.Notes)
	}
	if got := p.Outputs["scores"]; !slices.Equal(got.Shape, []int{3}) ||
		!slices.Equal(got.Data, []ask.Number{5, 7, 9}) {
		t.Errorf("outputs %+v, want the sums 5, 7 and 9", p.Outputs)
	}
	var names string
	for i, c := range p.Classes {
		names += c.Name
		if want := ask.Number(5 + 2*i); c.Raw != want || c.Score != want {
			t.Errorf("class %s has score %v, raw %v, want %v", c.Name, c.Score, c.Raw, want)
		}
	}
	must.Equal(t, names, "abc")
	must.Equal(t, kind.Of(must.Err(ask.Predict(t.Context(), in, new("percent")))), kind.Setting,
		"an unknown scale")
	in.Bag = &core.Bag{Name: "wide", Shape: []int{4}, Values: make([]float32, 8)}
	must.Equal(t, kind.Of(must.Err(ask.Predict(t.Context(), in, nil))), kind.Bag,
		"a bag of other features")
}

// TestFeatureNamesOfCard: a card names the values of an instance if the bag's file does not and
// there are as many; parts of an instance are called by them.
func TestFeatureNamesOfCard(t *testing.T) {
	named := func(names string) *ask.Input {
		return sums(t, raw[:len(raw)-1]+`, "feature_names": `+names+`}`)
	}
	inside := func(in *ask.Input) *ask.InsideAnswer {
		plan := &ask.Ask{}
		return must.Get(plan.Inside(t.Context(), in, ask.InsideOptions{}, nil))(t)
	}
	in := named(`["area", "hue", "shade"]`)
	must.Get(ask.Predict(t.Context(), in, nil))(t)
	a := inside(in)
	must.Equal(t, slices.Equal(a.Bag.FeatureNames, []string{"area", "hue", "shade"}), true,
		a.Bag)
	must.Equal(t, a.Features(1), "hue")
	in.Bag.FeatureNames = []string{"x", "y", "z"}
	must.Equal(t, inside(in).Features(1), "y", "the file's names come first")
	a = inside(named(`["area", "hue"]`))
	must.Equal(t, a.Features(1), "")
	must.Contain(t, strings.Join(a.Notes, "\n"), "names 2 features, and an instance has 3 values")
}

// TestPlacesOfResults: the table of scores has the box of each instance, and the classifications of
// QuPath are about the class with the largest prediction among those that are explained.
func TestPlacesOfResults(t *testing.T) {
	for _, c := range []struct {
		classes []int
		want    string
	}{{nil, "c"}, {[]int{1, 0}, "b"}, {[]int{0, 1}, "b"}, {[]int{0}, "a"}} {
		in := sums(t, raw)
		plan := must.Get((&ask.Settings{Methods: []string{"one_removed"},
			Indices: c.classes}).Plan())(t)
		x := must.Get(plan.Explain(t.Context(), in, nil))(t)
		rows := x.Rows()
		if n := len(rows[0]); rows[0][n-5] != "x0" || len(rows) != 1+2*len(x.Report.Explanations) ||
			!slices.Equal(rows[2][n-5:], []string{"4", "0", "8", "5", "canvas"}) {
			t.Errorf("rows %q", rows)
		}
		var out bytes.Buffer
		must.Do(t, x.GeoJSON(&out, ""))
		var file struct {
			Features []struct {
				Properties struct{ Classification struct{ Name string } }
			}
		}
		must.Do(t, json.Unmarshal(out.Bytes(), &file))
		for _, f := range file.Features {
			must.Equal(t, f.Properties.Classification.Name, "supports "+c.want, c.classes, c.want)
		}
		must.Equal(t, len(file.Features), 2)
		in.Bag.Boxes = nil
		if rows := x.Rows(); rows[0][len(rows[0])-1] != "version" {
			t.Errorf("a bag without places has the columns %q", rows[0])
		}
		must.Equal(t, kind.Of(x.GeoJSON(&out, "")), kind.Bag, "a bag without places")
	}
}

// TestClassificationsOfLargestNegativeScore: the largest prediction may be that of the first class,
// and below 0.
func TestClassificationsOfLargestNegativeScore(t *testing.T) {
	in := sums(t, raw)
	for i := range in.Bag.Values {
		in.Bag.Values[i] *= -1
	}
	plan := must.Get((&ask.Settings{Methods: []string{"one_removed"}}).Plan())(t)
	x := must.Get(plan.Explain(t.Context(), in, nil))(t)
	var out bytes.Buffer
	must.Do(t, x.GeoJSON(&out, ""))
	must.Equal(t, bytes.Contains(out.Bytes(), []byte(`"refutes a"`)), true, out.Bytes())
	must.Equal(t, bytes.Contains(out.Bytes(), []byte(`"refutes b"`)), false, out.Bytes())
}

// TestAllMethodsOfAModel: "all" leaves out what the model does not support, and a method by its
// name is an error then.
func TestAllMethodsOfAModel(t *testing.T) {
	for _, name := range []string{"all", "inherent"} {
		plan := must.Get((&ask.Settings{Methods: []string{name}}).Plan())(t)
		_, err := plan.Explain(t.Context(), sums(t, raw), nil)
		if name == "all" && err != nil || name != "all" && kind.Of(err) != kind.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestQuestionBelowLeastBag: a bag that is smaller than the model takes is an error of a question.
func TestQuestionBelowLeastBag(t *testing.T) {
	m := enginetest.Open(t, enginetest.TopModel(3).Bytes(), onnxbackend.Options{})
	bag := enginetest.SmallBag(2, 4)
	in := &ask.Input{Engine: m, Bag: bag, Whole: bag}
	must.Equal(t, kind.Of(must.Err((&ask.Ask{}).Pairs(t.Context(), in, ask.PairsOptions{}, nil))),
		kind.Bag)
}

// TestJudgementEndsItsProgress: the last report of the progress is the upper bound.
func TestJudgementEndsItsProgress(t *testing.T) {
	judging := ask.Judging{Metrics: []string{"aopc_r"}, Orders: 3,
		Rankings: []ask.Ranking{{Class: 1, Scores: []float64{1, 2}}}}
	var seen []int
	total := 0
	must.Get(judging.Answer(t.Context(), sums(t, raw), 1, func(done, of int) {
		seen, total = append(seen, done), of
	}))(t)
	if len(seen) < 2 || !slices.IsSorted(seen) || seen[len(seen)-1] != total {
		t.Errorf("progress %v of %d", seen, total)
	}
}

// TestCardOf completes a card by what was determined for the model, and names no input that is not
// served.
func TestCardOf(t *testing.T) {
	card := onnxbackend.Card{Pool: "mean", Inputs: []onnxbackend.CardInput{{Name: "m",
		Role: "count"}}}
	classes := core.Head{Kind: core.KindClasses}
	info := core.ModelInfo{Classes: []string{"a", "b"}, Negative: 1, Scale: core.ScaleLogits,
		Output: "y"}
	for _, c := range []struct {
		name  string
		heads []core.Head
		found string // the output that the card names
	}{
		{"no head", nil, "y"},
		{"classes that no card states", []core.Head{classes}, "y"},
		{"a named head", []core.Head{{Kind: core.KindClasses, Name: "grade"}}, ""},
		{"two heads", []core.Head{classes, classes}, ""},
		{"a regression", []core.Head{{Kind: core.KindRegression}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			info.Heads = c.heads
			got := ask.CardOf(info, card)
			if got.OutputName != c.found || got.Inputs != nil || got.Pool != "" {
				t.Errorf("card %+v, want the output %q", got, c.found)
			}
			if c.found != "" && (!slices.Equal(got.Classes, info.Classes) || *got.Negative != 1 ||
				got.Output != core.ScaleLogits) {
				t.Errorf("card %+v does not have what was determined", got)
			}
		})
	}
}

// TestBatchOfCard: a bag file may have a batch of bags before the instances only if the model may,
// and its card does not say that this axis is that of the instances.
func TestBatchOfCard(t *testing.T) {
	for _, c := range []struct {
		name string
		dims []any
		card string
		want bool
	}{
		{"two open axes", []any{"b", "k", 3}, "", true},
		{"one open axis", []any{"k", 3}, "", false},
		{"one bag", []any{1, "k", 3}, "", false},
		{"the card's axis", []any{"b", "k", 3}, `{"instance_axis": 1}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := enginetest.Open(t, enginetest.SumModel(c.card, c.dims...).Bytes(),
				onnxbackend.Options{})
			must.Equal(t, (ask.ReadOptions{}).Options(m).Batch, c.want)
		})
	}
}
