package train

import (
	"context"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/network"
)

// TestResumedSearchEqualsUninterrupted interrupts a search in the middle of a trial.
func TestResumedSearchEqualsUninterrupted(t *testing.T) {
	c := small(t, network.MINet)
	s := Search{Job: Job{Set: c.Set, Kind: network.MINet, Repeat: 0, Out: t.TempDir(), Epochs: 1,
		Recipe: &c.Recipe}, Trials: 3}
	var finished []int
	whole := must.Get(s.Run(t.Context(), func(tr Trial) {
		finished = append(finished, tr.Number)
	}))(t)
	must.EqualSlices(t, finished, []int{0, 1, 2}, whole)
	must.Equal(t, len(whole), 3, finished, whole)
	must.Equal(t, slices.IsSortedFunc(whole, better), true, finished, whole)
	must.Get(os.Stat(s.file(".recipe.json")))(t)
	s.Out = t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	s.Progress = func(p Progress) {
		if p.Trial != steps/13 || p.Trials != 3 { // a trial has 12 steps and the end of its epoch
			t.Errorf("step %d is of trial %d of %d", steps, p.Trial, p.Trials)
		}
		if steps++; steps == 17 {
			stop()
		}
	}
	must.Is(t, must.Err(s.Run(ctx, nil)), context.Canceled)
	pieces, err := s.Run(t.Context(), nil)
	must.Do(t, err, pieces, whole)
	must.Equal(t, reflect.DeepEqual(pieces, whole), true, pieces, whole)
	config := must.Get(s.config())(t)
	stored := must.Get(s.load(config))(t)
	must.Equal(t, stored.Version, fileVersion, stored)
	stored.Version = 2
	must.Do(t, s.save(stored))
	if _, err := s.Run(t.Context(), nil); err == nil || !strings.HasSuffix(err.Error(),
		"has version 2, but this program needs version 1; delete it to search again") {
		t.Errorf("a record of a later version: %v", err)
	}
	stored.Version = fileVersion
	must.Do(t, s.save(stored))
	s.Epochs = 2
	must.Fail(t, must.Err(s.Run(t.Context(), nil)))
}

func TestDrawnRecipesAreValidAndVary(t *testing.T) {
	for _, kind := range network.Kinds() {
		base := small(t, kind).Recipe
		rates, dropouts, layers := map[float64]bool{}, map[float64]bool{}, map[int]bool{}
		for i := range 100 {
			r := drawRecipe(base, rand.New(rand.NewPCG(1, uint64(i))))
			must.Do(t, r.Check())
			rates[r.Rate], dropouts[r.Dropout], layers[len(r.Encoder)] = true, true, true
		}
		must.Equal(t, len(rates) >= 5, true, kind, rates, dropouts, layers)
		must.Equal(t, len(dropouts) >= 8, true, kind, rates, dropouts, layers)
		must.Equal(t, len(layers), 3, kind, rates, dropouts, layers)
	}
}
