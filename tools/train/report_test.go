package train

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// tiny is a job of milliseconds.
func tiny(t *testing.T) Job {
	t.Helper()
	set := must.Get(dataset.Open("digits", "", dataset.Options{Train: 2, Validation: 2,
		Test: 2}))(t)
	r := must.Get(network.For(network.MINet, set.Shape, len(set.Classes), set.Scale,
		network.Reference))(t)
	r.Convolutions, r.Encoder = []network.Kernel{{Maps: 2, Size: 5}}, []int{8}
	return Job{Set: set, Kind: network.MINet, Out: t.TempDir(), Recipe: &r, Epochs: 1}
}

// TestReportBelongsToModel checks that a job with model and report does not train again, and
// rejects another model.
func TestReportBelongsToModel(t *testing.T) {
	job := tiny(t)
	first := must.Get(job.Run(t.Context()))(t)
	model := must.Get(os.ReadFile(job.file(".onnx")))(t)
	again := func(what string) *Report {
		t.Helper()
		r, err := job.Run(t.Context())
		must.Do(t, err, what)
		return r
	}
	must.Equal(t, reflect.DeepEqual(again("at once"), first), true, first)
	must.Do(t, os.Remove(job.file(".onnx")))
	must.Equal(t, reflect.DeepEqual(again("without the model"), first), true, first)
	must.Equal(t, string(must.Get(os.ReadFile(job.file(".onnx")))(t)), string(model),
		"the model is not trained again")
	must.Do(t, os.WriteFile(job.file(".onnx"), model[:len(model)-1], 0o644))
	must.Fail(t, must.Err(job.Run(t.Context())), "delete the report")
	change := func(change func(map[string]any)) {
		t.Helper()
		data := must.Get(os.ReadFile(job.file(".json")))(t)
		var fields map[string]any
		must.Do(t, json.Unmarshal(data, &fields))
		change(fields)
		data = must.Get(json.Marshal(fields))(t)
		must.Do(t, os.WriteFile(job.file(".json"), data, 0o644))
	}
	change(func(fields map[string]any) {
		delete(fields, "ModelSHA256")
		delete(fields, "Version")
		fields["BeatsBaseline"] = !first.BeatsBaseline
	})
	if r := again("of no hash"); r.BeatsBaseline != first.BeatsBaseline || r.Test != first.Test {
		t.Errorf("a report of no hash is read as %+v", r)
	}
	change(func(fields map[string]any) { fields["Version"] = 2 })
	if _, err := job.Run(t.Context()); err == nil || !strings.HasSuffix(err.Error(),
		"has version 2, but this program needs version 1; delete it to train again") {
		t.Errorf("a report of a later version: %v", err)
	}
	change(func(fields map[string]any) { fields["Version"] = fileVersion })
	change(func(fields map[string]any) { fields["Best"] = 1 })
	must.Fail(t, must.Err(job.Run(t.Context())))
}

// TestRecipeLimitsFeaturesWithOutliers checks that sets without outliers and statistics of all bags
// have no limit, and that a recipe of the user keeps its own.
func TestRecipeLimitsFeaturesWithOutliers(t *testing.T) {
	set := &dataset.Set{Shape: []int{5}, Classes: []string{"no", "yes"}, Scale: core.ScaleLogits}
	job := Job{Set: set, Kind: network.MINet}
	limit := func() float64 {
		t.Helper()
		r := must.Get(job.recipe())(t)
		return r.Limit
	}
	usual := limit()
	set.Outliers = true
	outliers := limit()
	set.AllData = true
	must.Equal(t, usual, 0)
	must.Equal(t, outliers, 3)
	must.Equal(t, limit(), 0)
	job.Recipe = &network.Recipe{Architecture: network.Architecture{Limit: 2}}
	must.Equal(t, limit(), 2)
}

// diverging is a recipe whose weights leave the range of numbers within an epoch.
func diverging(r network.Recipe) network.Recipe {
	r.Encoder, r.Rate = make([]int, 20), 1e3
	for i := range r.Encoder {
		r.Encoder[i] = 16
	}
	return r
}

func TestDivergedTrainingIsAttemptedAgain(t *testing.T) {
	job := tiny(t)
	*job.Recipe = diverging(*job.Recipe)
	var failed *DivergedError
	must.As(t, must.Err(job.Run(t.Context())), &failed)
	for n := range attempts {
		must.Do(t, must.Err(os.Stat(attemptFile(job.file(".checkpoint"), n))), n)
	}
}

func TestEvaluateRejectsInvalidBags(t *testing.T) {
	c := small(t, network.MINet)
	n := must.Get(network.New(c.Recipe.Architecture, 1))(t)
	for what, e := range map[string]dataset.Example{"no targets": {},
		"no bag": {Target: make([]float32, n.Classes)}} {
		must.Equal(t, must.Err(Evaluate(t.Context(), n, []dataset.Example{e}, c.Preprocess)) != nil,
			true, what)
		c.Split.Test = []dataset.Example{e}
		must.Equal(t, must.Err(Run(t.Context(), c)) == nil, e.Target != nil, what)
	}
	whole := small(t, network.MINet)
	must.Fail(t, must.Err(Evaluate(t.Context(), n, whole.Split.Test, dataset.Preprocess{})))
}

// TestTrainOnRectangles trains on pictures that are not square, with augmentation.
func TestTrainOnRectangles(t *testing.T) {
	set := &dataset.Set{Title: "Rectangles", Classes: []string{"no", "yes"},
		Scale: core.ScaleLogits, Shape: []int{3, 10, 12}}
	var bags []dataset.Example
	for i := range 4 {
		bag := &core.Bag{Name: "bag", Shape: set.Shape, Class: []int{i % 2},
			Values: make([]float32, 2*3*10*12)}
		for j := range bag.Values {
			bag.Values[j] = float32(i*j%7) / 7
		}
		bags = append(bags, dataset.Hold(bag, 2))
	}
	r := network.Recipe{Rate: 1e-3, Architecture: network.Architecture{
		Kind: network.MINet, Shape: set.Shape, Classes: 2, Scale: set.Scale,
		Convolutions: []network.Kernel{{Maps: 4, Size: 3}}, Encoder: []int{8}, Pool: network.Max,
	}}
	result := run(t, Config{
		Set: set, Split: &dataset.Split{Train: bags[:2], Validation: bags[2:]}, Recipe: r,
		Epochs: 1, Augment: true,
		Preprocess: dataset.Preprocess{Scale: 1, Mean: make([]float64, 3), Std: []float64{1, 1, 1}},
	})
	if loss := result.loss(); math.IsNaN(loss) || loss == diverged {
		t.Errorf("the loss is %v", loss)
	}
}
