package core_test

import (
	"context"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

func TestNeutralPoints(t *testing.T) {
	z := fourInstances{}
	report := must.Get(core.Explain(context.Background(), z,
		core.Request{Methods: []core.Method{methods.Single{}, methods.OneRemoved{},
			methods.Combined{}, methods.Inherent{}}, Classes: []int{0}}))(t)
	single := (.1 + .1 + .1 + .5) / 4
	units := []core.Unit{
		core.UnitProbability,
		core.UnitProbability,
		core.UnitProbability,
		core.UnitScore,
	}
	for n, want := range []float64{single, 0, single / 2, .25} {
		e := report.Explanations[n]
		must.Equal(t, e.Unit, units[n], e.Method)
		must.Equal(t, math.Abs(e.Neutral-want) <= 1e-12, true, e.Method, e.Neutral, want)
		if want != 0 && len(e.Notes) == 0 {
			t.Errorf("%s has no note on its neutral point", e.Method)
		}
	}
	// Attention of .25 is neither more nor less than the mean.
	if got := report.Explanations[3].Evident; !got[0] || got[1] || !got[3] {
		t.Errorf("evident attention %v", got)
	}
}

// fourInstances gives a coalition the probability .1 for each of the first three members, and .5
// for the last.
type fourInstances struct{}

func (fourInstances) Task() core.Task {
	return core.Task{Instances: 4, Classes: 2, Scale: core.ScaleProbabilities, Negative: -1}
}

func (fourInstances) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		p := 0.0
		for i, v := range []float64{.1, .1, .1, .5} {
			if z.Row(j)[0]>>i&1 == 1 {
				p += v
			}
		}
		dst[2*j], dst[2*j+1] = p, 1-p
	}
	return nil
}

func (fourInstances) Attention(context.Context, int) ([]float64, error) {
	return []float64{.1, .25, .25, .4}, nil
}

func TestEvidenceOfIdenticalInstances(t *testing.T) {
	for _, k := range []int{1, 2, 12, 400} {
		ev := sameInstances{k}
		methods := must.Get(methods.New([]string{"single", "one_removed", "combined", "random_shap",
			"milli"}, methods.Options{}))(t)
		report := must.Get(core.Explain(context.Background(), ev,
			core.Request{Methods: methods}))(t)
		for _, e := range report.Explanations {
			if want := k; k > 1 && e.Unclear() != want {
				t.Errorf("k %d, %s: %d of %d scores are no evidence, such as %v", k, e.Method,
					e.Unclear(), k, e.Scores[0])
			} else if k == 1 && (e.Unclear() != 0 || e.Neutral != .5) {
				t.Errorf("k 1, %s: %v unclear, neutral point %v", e.Method, e.Unclear(), e.Neutral)
			}
		}
	}
}

// sameInstances is a game whose value is the same for every coalition but for rounding.
type sameInstances struct{ k int }

func (s sameInstances) Task() core.Task {
	return core.Task{Instances: s.k, Classes: 2, Scale: core.ScaleProbabilities, Negative: 0}
}

func (s sameInstances) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		v := .7 + 5e-12*float64(z.Size(j)%7)
		dst[2*j], dst[2*j+1] = v, 1-v
	}
	return nil
}

// TestTooFewSamplesAreNoEvidence checks a sample that leaves no degree of freedom to estimate
// errors.
func TestTooFewSamplesAreNoEvidence(t *testing.T) {
	report := must.Get(core.Explain(context.Background(), additive(40),
		core.Request{Methods: []core.Method{methods.RandomSHAP{Sampling: methods.Sampling{
			Samples: 30}}}}))(t)
	for _, e := range report.Explanations {
		must.Equal(t, e.Unclear(), 40, e.Class, e.StdErr[0])
		must.Equal(t, math.IsInf(e.StdErr[0], 1), true, e.Class, e.Unclear(), e.StdErr[0])
	}
}

// additive is a game of k instances, each of which adds as much to class 0 as it subtracts from
// class 1.
type additive int

func (k additive) Task() core.Task {
	return core.Task{Instances: int(k), Classes: 2, Scale: core.ScaleRaw, Negative: -1}
}

func (k additive) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		dst[2*j], dst[2*j+1] = float64(z.Size(j)), -float64(z.Size(j))
	}
	return nil
}
