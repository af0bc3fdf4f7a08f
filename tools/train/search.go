package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/bagscope/bagscope/tools/train/network"
)

// A Search looks for a better Recipe: it trains networks with settings drawn at random from the
// ranges that the paper's tuning had, and ranks them by their validation bags. Test bags are never
// looked at, unlike in the paper's code.
//
// Finished trials are kept in OUT/SET/REPEAT/KIND.search.json, and the one under way in a
// checkpoint beside it, so that a search that is stopped goes on where it was, and one that asks
// for more trials keeps those it has. The best recipe is kept in KIND.recipe.json.
type Search struct {
	Job
	Trials int // number of all trials
}

// A Trial is a recipe and how its best epoch did.
type Trial struct {
	Number     int // from 0: with the seed of the repeat it decides on the recipe
	Recipe     network.Recipe
	Epochs     int
	Validation Score
	Failed     string // why there is no score, such as a training that diverged
}

// better orders trials: by accuracy, then by loss, failed ones last.
func better(a, b Trial) int {
	return cmp.Or(cmp.Compare(a.Failed, b.Failed),
		cmp.Compare(b.Validation.Accuracy, a.Validation.Accuracy),
		cmp.Compare(a.Validation.Loss, b.Validation.Loss), cmp.Compare(a.Number, b.Number))
}

// A record is a search's file.
type record struct {
	Fingerprint string  // of the training that its trials vary
	Content     string  `json:",omitempty"` // of its Set
	Trials      []Trial // in the order of their numbers
}

// Run makes the trials that are missing, telling of each, and returns all, the best first.
func (s Search) Run(ctx context.Context, told func(Trial)) ([]Trial, error) {
	base, err := s.config()
	if err != nil {
		return nil, err
	}
	base.Checkpoint = s.file(".search.checkpoint")
	done, err := s.load(base)
	if err != nil {
		return nil, err
	}
	for len(done.Trials) < s.Trials {
		base.Progress = s.progress(len(done.Trials))
		t, err := trial(ctx, len(done.Trials), base)
		if err != nil {
			return nil, err
		}
		done.Trials = append(done.Trials, t)
		if err := s.keep(done); err != nil {
			return nil, err
		}
		if told != nil {
			told(t)
		}
	}
	slices.SortFunc(done.Trials, better)
	return done.Trials, nil
}

// progress tells the caller of a trial's training.
func (s Search) progress(trial int) func(Progress) {
	if s.Progress == nil {
		return nil
	}
	return func(p Progress) {
		p.Trial, p.Trials = trial, s.Trials
		s.Progress(p)
	}
}

// RecipeFile is where the best recipe is kept.
func (s Search) RecipeFile() string { return s.file(".recipe.json") }

// trial trains with the recipe of a number. A recipe that cannot be trained is a failed trial, not
// an error.
func trial(ctx context.Context, number int, c Config) (Trial, error) {
	c.Recipe = drawRecipe(c.Recipe, rand.New(rand.NewPCG(c.Seed, forTrial|uint64(number))))
	t := Trial{Number: number, Recipe: c.Recipe}
	result, err := Run(ctx, c)
	var failed *DivergedError
	switch {
	case errors.As(err, &failed):
		t.Failed = err.Error()
	case err != nil:
		return t, err
	default:
		t.Epochs, t.Validation = len(result.History), result.History[result.Best].Validation
	}
	return t, os.Remove(c.Checkpoint)
}

// keep puts down the trials and the best recipe so far.
func (s Search) keep(r *record) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := WriteFile(s.file(".search.json"), append(data, '\n')); err != nil {
		return err
	}
	best, err := json.MarshalIndent(slices.MinFunc(r.Trials, better).Recipe, "", " ")
	if err != nil {
		return err
	}
	return WriteFile(s.RecipeFile(), append(best, '\n'))
}

// load returns the trials that were made before.
func (s Search) load(c Config) (*record, error) {
	r := &record{Fingerprint: c.fingerprint(), Content: c.Set.Content}
	data, err := os.ReadFile(s.file(".search.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r = &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf(
			"%s is not a valid record of a search: %w; delete it to search again",
			s.file(".search.json"), err)
	}
	if r.Fingerprint != c.fingerprint() || !c.draws(r.Content) {
		return nil, fmt.Errorf(
			"%s belongs to a search with other data or settings; delete it to search again",
			s.file(".search.json"))
	}
	return r, nil
}
