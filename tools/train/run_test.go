package train

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// small is a training of seconds: few bags of drawn digits, a network that is small but has a layer
// of every kind.
func small(t *testing.T, kind network.Kind) Config {
	t.Helper()
	set, split := fewDigits()
	r := must.Get(network.For(kind, set.Shape, len(set.Classes), set.Scale, network.Reference))(t)
	r.Convolutions = []network.Kernel{{Maps: 4, Size: 5}, {Maps: 6, Size: 5}}
	r.Encoder, r.Rate = []int{16}, 1e-3
	if kind == network.MIGNN {
		r.Graph = []int{8, 8}
	}
	preprocess := must.Get(split.Preprocess())(t)
	return Config{Set: set, Split: &split, Recipe: r, Preprocess: preprocess, Seed: 1, Epochs: 3,
		Augment: true}
}

// fewDigits are drawn once: a split has 5,000 pictures to choose from.
var fewDigits = sync.OnceValues(func() (*dataset.Set, dataset.Split) {
	set, err := dataset.Open("digits", "", dataset.Options{Train: 12, Validation: 6, Test: 6})
	if err != nil {
		panic(err)
	}
	split, err := set.Split(0)
	if err != nil {
		panic(err)
	}
	return set, *split
})

func run(t *testing.T, c Config) *Result {
	t.Helper()
	return must.Get(Run(t.Context(), c))(t)
}

// sameResult wants equal parameters and scores, bit for bit.
func sameResult(t *testing.T, what string, got, want *Result) {
	t.Helper()
	must.Equal(t, reflect.DeepEqual(got.History, want.History), true, what, got.Best, got.History,
		want.Best, want.History)
	must.Equal(t, got.Best, want.Best, what, got.History, want.History)
	for i, p := range got.Network.Parameters {
		for j, v := range p.Values {
			if math.Float32bits(v) != math.Float32bits(want.Network.Parameters[i].Values[j]) {
				t.Fatalf("%s: value %d of %s is %v, want %v", what, j, p.Name, v,
					want.Network.Parameters[i].Values[j])
			}
		}
	}
}

// TestResumedTrainingEqualsUninterrupted interrupts trainings at several steps, again and again.
func TestResumedTrainingEqualsUninterrupted(t *testing.T) {
	for _, kind := range network.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			c := small(t, kind)
			whole := run(t, c)
			sameResult(t, "again", run(t, c), whole)
			c.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
			stops := 0
			// 12 is an epoch's last step: its validation is broken off
			for _, every := range []int{5, 12, 17} {
				os.Remove(c.Checkpoint)
				for {
					ctx, stop := context.WithCancel(t.Context())
					steps := 0
					c.Progress = func(Progress) {
						if steps++; steps == every {
							stop()
						}
					}
					r, err := Run(ctx, c)
					stop()
					if err == nil {
						sameResult(t, "in pieces", r, whole)
						break
					}
					must.Is(t, err, context.Canceled)
					if stops++; stops > 50 {
						t.Fatal("the training never ends")
					}
				}
			}
			must.Equal(t, stops >= 6, true, stops)
		})
	}
}

// TestConcurrentTrainingsAreIndependent trains all kinds at the same time and one after another.
func TestConcurrentTrainingsAreIndependent(t *testing.T) {
	together := make([]*Result, len(network.Kinds()))
	var wg sync.WaitGroup
	for i, kind := range network.Kinds() {
		c := small(t, kind)
		wg.Go(func() {
			var err error
			if together[i], err = Run(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, kind := range network.Kinds() {
		sameResult(t, string(kind), together[i], run(t, small(t, kind)))
	}
}

func TestForeignCheckpointsAreRejected(t *testing.T) {
	c := small(t, network.MINet)
	c.Epochs, c.Checkpoint = 1, filepath.Join(t.TempDir(), "checkpoint")
	run(t, c)
	good := must.Get(os.ReadFile(c.Checkpoint))(t)
	refused := func(what string, c Config) {
		t.Helper()
		var wrong *CheckpointError
		if _, err := Run(t.Context(), c); !errors.As(err, &wrong) {
			t.Errorf("%s: %v, want a CheckpointError", what, err)
		}
	}
	other := c
	other.Seed++
	refused("another seed", other)
	other = c
	other.Recipe.Dropout = .1
	refused("another dropout", other)
	for _, n := range []int{0, 1, len(good) / 2, len(good) - 1} {
		must.Do(t, os.WriteFile(c.Checkpoint, good[:n], 0o644))
		refused("a cut file", c)
	}
	for what, spoil := range map[string]func(*state){
		"a best epoch after the last": func(s *state) { s.BestEpoch = len(s.History) },
		"a best epoch before all":     func(s *state) { s.BestEpoch = -1 },
		"a step after the last":       func(s *state) { s.Step = len(c.Split.Train) + 1 },
		"updates below none":          func(s *state) { s.Updates = -1 },
		"a parameter too few":         func(s *state) { s.Best = s.Best[1:] },
		"a parameter too short":       func(s *state) { s.First[0] = s.First[0][1:] },
	} {
		var s state
		must.Do(t, gob.NewDecoder(bytes.NewReader(good)).Decode(&s))
		spoil(&s)
		var b bytes.Buffer
		must.Do(t, gob.NewEncoder(&b).Encode(s))
		must.Do(t, os.WriteFile(c.Checkpoint, b.Bytes(), 0o644))
		refused(what, c)
	}
	left := must.Get(filepath.Glob(filepath.Join(filepath.Dir(c.Checkpoint), "*")))(t)
	must.Equal(t, len(left), 1, left)
}

// TestPatienceRestoresBestEpoch trains until the validation loss has stopped to decrease.
func TestPatienceRestoresBestEpoch(t *testing.T) {
	c := small(t, network.MINet)
	c.Recipe.Rate, c.Epochs, c.Patience = .1, 30, 2
	r := run(t, c)
	must.Equal(t, len(r.History), r.Best+1+c.Patience, r.Best, c.Patience)
	for _, e := range r.History {
		must.Equal(t, e.Validation.Loss >= r.History[r.Best].Validation.Loss, true, r.Best,
			r.History)
	}
	s := must.Get(Evaluate(t.Context(), r.Network, c.Split.Validation, c.Preprocess))(t)
	must.Equal(t, s, r.History[r.Best].Validation)
}

func TestDivergedTrainingIsAnError(t *testing.T) {
	c := small(t, network.MINet)
	c.Recipe.Rate, c.Patience = 1e3, 2
	c.Preprocess.Mean = []float64{math.NaN()}
	var diverged *DivergedError
	must.As(t, must.Err(Run(t.Context(), c)), &diverged)
}

func TestRunRejectsInvalidConfigs(t *testing.T) {
	for what, spoil := range map[string]func(*Config){
		"no data":             func(c *Config) { c.Set = nil },
		"no bags to train on": func(c *Config) { c.Split.Train = nil },
		"no preprocessing":    func(c *Config) { c.Preprocess = dataset.Preprocess{} },
		"no epochs":           func(c *Config) { c.Epochs = -1 },
		"no rate":             func(c *Config) { c.Recipe.Rate = 0 },
		"a rate of NaN":       func(c *Config) { c.Recipe.Rate = math.NaN() },
		"a decay below 0":     func(c *Config) { c.Recipe.Decay = -1 },
		"a beta of 1":         func(c *Config) { c.Betas[1] = 1 },
		"no such network":     func(c *Config) { c.Recipe.Kind = "net" },
		"a dropout of 1":      func(c *Config) { c.Recipe.Dropout = 1 },
		"another scale":       func(c *Config) { c.Recipe.Scale = core.ScaleRaw },
		"other classes":       func(c *Config) { c.Recipe.Classes = 3 },
		"another shape":       func(c *Config) { c.Recipe.Shape = []int{1, 30, 30} },
	} {
		c := small(t, network.MINet)
		spoil(&c)
		must.Equal(t, must.Err(Run(t.Context(), c)) != nil, true, what)
	}
}
