package core

import (
	"context"
	"math"
	"testing"
)

// TestTailsOfStudent compares with printed tables of Student's t (two-sided).
func TestTailsOfStudent(t *testing.T) {
	for _, c := range []struct{ t, freedom, p float64 }{
		{12.7062, 1, .05}, {4.302653, 2, .05}, {2.570582, 5, .05}, {2.228139, 10, .05},
		{2.042272, 30, .05}, {1.959964, 0, .05}, {1.959964, 1e9, .05}, {63.65674, 1, .01},
		{3.169273, 10, .01}, {.816497, 2, .5}, {0, 7, 1}, {0, 0, 1}, {math.Inf(1), 3, 0},
	} {
		if got := tails(c.t, c.freedom); math.Abs(got-c.p) > 2e-7 {
			t.Errorf("t %v, %v degrees of freedom: %v, want %v", c.t, c.freedom, got, c.p)
		}
	}
	if tails(math.NaN(), 3) != 1 {
		t.Error("a t that is not a number rejects")
	}
}

func TestEvidenceOfSampledScores(t *testing.T) {
	one := []float64{1, 1, 1, 1}
	inf := math.Inf(1)
	for _, c := range []struct {
		name            string
		scores, errors  []float64
		freedom, middle float64
		unit            float64
		want            []bool
	}{
		{"two errors", []float64{1.9, 2, -2, -1.9}, one, 0, 0, 1, []bool{false, true, true, false}},
		{"few degrees of freedom", []float64{2.5, 2.6, -2.6, 0}, one, 5, 0, 1,
			[]bool{false, true, true, false}},
		{"from the neutral point", []float64{2, 4, 1, -1}, one, 0, 2, 1,
			[]bool{false, true, false, true}},
		{"exact", []float64{.5, 2e-6, 9e-7, 0}, nil, 0, 0, 1, []bool{true, true, false, false}},
		{"everything tiny", []float64{5e-12, -5e-12, 1e-13, 0}, nil, 0, 0, 1, make([]bool, 4)},
		{"tiny with tiny errors", []float64{5e-12, 5e-12, 5e-12, 5e-12}, make([]float64, 4), 0, 0,
			1, make([]bool, 4)},
		{"beside the largest", []float64{1e6, .5, 2, -2}, nil, 0, 0, 1,
			[]bool{true, false, true, true}},
		{"unknown errors", []float64{9, 9, 9, 9}, []float64{inf, inf, inf, 1}, 0, 0, 1,
			[]bool{false, false, false, true}},
		{"not finite", []float64{math.NaN(), inf, 1, 0}, nil, 0, 0, 1,
			[]bool{false, true, true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := []Explanation{{Scores: c.scores, StdErr: c.errors, Freedom: c.freedom,
				Neutral: c.middle}}
			decide(e, c.unit)
			unclear := 0
			for i, want := range c.want {
				if e[0].Evident[i] != want {
					t.Errorf("%s: instance %d of %v is evident: %v", c.name, i, c.scores, !want)
				}
				if !want {
					unclear++
				}
			}
			if e[0].Unclear() != unclear {
				t.Errorf("%s: %d unclear, want %d", c.name, e[0].Unclear(), unclear)
			}
		})
	}
}

// TestEvidenceSharesScale checks that the scale of a class of tiny scores is that of the method's
// other classes.
func TestEvidenceSharesScale(t *testing.T) {
	e := []Explanation{{Scores: []float64{1e4, -1e4}}, {Scores: []float64{5e-3, -5e-3}}}
	decide(e, 1)
	if e[0].Unclear() != 0 || e[1].Unclear() != 2 {
		t.Errorf("evident %v and %v", e[0].Evident, e[1].Evident)
	}
}

// TestEvidenceOfLargeBags checks that few of many null instances are evidence, and that true
// effects are.
func TestEvidenceOfLargeBags(t *testing.T) {
	const k, effects = 20000, 50
	rng := (&Game{options: GameOptions{Seed: 3}}).Rand("noise")
	e := []Explanation{{Scores: make([]float64, k), StdErr: make([]float64, k)}}
	for i := range k {
		e[0].Scores[i], e[0].StdErr[i] = rng.NormFloat64(), 1
		if i < effects {
			e[0].Scores[i] += 8
		}
	}
	decide(e, 1)
	found, false0 := 0, 0
	for i, evident := range e[0].Evident {
		if evident && i < effects {
			found++
		} else if evident {
			false0++
		}
	}
	if found < effects-1 || false0 > 10 {
		t.Errorf("%d of %d effects and %d false ones; two standard errors would give about 900",
			found, effects, false0)
	}
}

func TestNeutralPoints(t *testing.T) {
	z := fourInstances{}
	report, err := Explain(context.Background(), z, Request{
		Methods: []Method{Single{}, OneRemoved{}, Combined{}, Inherent{}}, Classes: []int{0},
	})
	if err != nil {
		t.Fatal(err)
	}
	single := (.1 + .1 + .1 + .5) / 4
	units := []Unit{UnitProbability, UnitProbability, UnitProbability, UnitScore}
	for n, want := range []float64{single, 0, single / 2, .25} {
		e := report.Explanations[n]
		if e.Unit != units[n] {
			t.Errorf("%s is measured in %q", e.Method, e.Unit)
		}
		if math.Abs(e.Neutral-want) > 1e-12 {
			t.Errorf("%s: the neutral point is %v, want %v", e.Method, e.Neutral, want)
		}
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

func (fourInstances) Task() Task {
	return Task{Instances: 4, Classes: 2, Scale: ScaleProbabilities, Negative: -1}
}

func (fourInstances) Evaluate(_ context.Context, dst []float64, z *Coalitions) error {
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
		methods, err := NewMethods([]string{"single", "one_removed", "combined", "random_shap",
			"milli"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Explain(context.Background(), ev, Request{Methods: methods})
		if err != nil {
			t.Fatal(err)
		}
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

func (s sameInstances) Task() Task {
	return Task{Instances: s.k, Classes: 2, Scale: ScaleProbabilities, Negative: 0}
}

func (s sameInstances) Evaluate(_ context.Context, dst []float64, z *Coalitions) error {
	for j := range z.Len() {
		v := .7 + 5e-12*float64(z.Size(j)%7)
		dst[2*j], dst[2*j+1] = v, 1-v
	}
	return nil
}

func TestUnit(t *testing.T) {
	for _, c := range []struct {
		output     Output
		prediction []float64
		want       float64
	}{
		{OutputProbability, []float64{.2, .8}, 1}, {OutputLogit, []float64{-.5, .3}, 1},
		{OutputLogit, []float64{-40, 3}, 40}, {OutputRaw, []float64{0}, 1e-4}, {OutputRaw,
			[]float64{-1200, 7}, 1200},
	} {
		if got := (&Game{output: c.output}).unit(c.prediction); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.output, c.prediction, got, c.want)
		}
	}
}

// TestTooFewSamplesAreNoEvidence checks a sample that leaves no degree of freedom to estimate
// errors.
func TestTooFewSamplesAreNoEvidence(t *testing.T) {
	report, err := Explain(context.Background(), additive(40), Request{
		Methods: []Method{RandomSHAP{Sampling: Sampling{Samples: 30}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range report.Explanations {
		if e.Unclear() != 40 || !math.IsInf(e.StdErr[0], 1) {
			t.Errorf("class %d: %d unclear, standard error %v", e.Class, e.Unclear(), e.StdErr[0])
		}
	}
}

// TestFreedomOfSurrogates checks the degrees of freedom of a surrogate's standard errors.
func TestFreedomOfSurrogates(t *testing.T) {
	report, err := Explain(context.Background(), additive(20), Request{
		Methods: []Method{RandomSHAP{Sampling: Sampling{Samples: 30}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := report.Explanations[0]; e.Freedom != 30-20-1 {
		t.Errorf("%v degrees of freedom", e.Freedom)
	}
}

// additive is a game of k instances, each of which adds as much to class 0 as it subtracts from
// class 1.
type additive int

func (k additive) Task() Task {
	return Task{Instances: int(k), Classes: 2, Scale: ScaleRaw, Negative: -1}
}

func (k additive) Evaluate(_ context.Context, dst []float64, z *Coalitions) error {
	for j := range z.Len() {
		dst[2*j], dst[2*j+1] = float64(z.Size(j)), -float64(z.Size(j))
	}
	return nil
}
