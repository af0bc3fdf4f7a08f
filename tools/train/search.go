package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/bagscope/bagscope/tools/train/network"
)

// A Search is a random search for a better Recipe. It draws settings from the ranges of the paper's
// tuning, trains a network for each, and ranks them on validation bags. Unlike the paper's code, it
// never evaluates test bags.
//
// OUT/SET/REPEAT/KIND.search.json holds finished trials, and a checkpoint beside it holds the
// current one. So a search continues after an interruption, and a search for more trials reuses the
// finished ones. KIND.recipe.json holds the best recipe.
type Search struct {
	Job
	Trials int // number of trials, including those of earlier runs
}

// A Trial is a recipe and the score of its best epoch.
type Trial struct {
	Number     int // counted from 0; it determines the recipe together with the seed of the repeat
	Recipe     network.Recipe
	Epochs     int
	Validation Score
	Failed     string // reason why there is no score, such as a training that diverged; or ""
}

// better compares trials by accuracy, then by loss. Failed trials come last.
func better(a, b Trial) int {
	return cmp.Or(cmp.Compare(a.Failed, b.Failed),
		cmp.Compare(b.Validation.Accuracy, a.Validation.Accuracy),
		cmp.Compare(a.Validation.Loss, b.Validation.Loss), cmp.Compare(a.Number, b.Number))
}

// A record is the content of KIND.search.json.
type record struct {
	Version     int     // fileVersion; 0 in records of earlier programs, which is read as 1
	Fingerprint string  // identifies the training whose recipe the trials vary
	Content     string  `json:",omitempty"` // dataset.Set.Content
	Trials      []Trial // sorted by their numbers
}

// Run runs the missing trials and returns all trials, the best first. It calls finished, which may
// be nil, after each.
//
// Errors: those of Job.Run, and a record that is invalid or belongs to another search.
func (s Search) Run(ctx context.Context, finished func(Trial)) ([]Trial, error) {
	base, err := s.config()
	if err != nil {
		return nil, err
	}
	// A search has its own checkpoint, so that it does not overwrite that of the job.
	base.Checkpoint = s.file(".search.checkpoint")
	r, err := s.load(base)
	if err != nil {
		return nil, err
	}
	for len(r.Trials) < s.Trials {
		base.Progress = s.progress(len(r.Trials))
		t, err := trial(ctx, len(r.Trials), base)
		if err != nil {
			return nil, err
		}
		r.Trials = append(r.Trials, t)
		if err := s.save(r); err != nil {
			return nil, err
		}
		if finished != nil {
			finished(t)
		}
	}
	slices.SortFunc(r.Trials, better)
	return r.Trials, nil
}

// progress returns a function that adds the trial to a Progress, or nil if nobody reads it.
func (s Search) progress(trial int) func(Progress) {
	if s.Progress == nil {
		return nil
	}
	return func(p Progress) {
		p.Trial, p.Trials = trial, s.Trials
		s.Progress(p)
	}
}

// RecipeFile returns the path of the best recipe.
func (s Search) RecipeFile() string { return s.file(".recipe.json") }

// trial trains the recipe of a number. A training that diverges is a failed trial, not an error.
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

// save writes the trials and the best recipe so far.
func (s Search) save(r *record) error {
	if err := writeJSON(s.file(".search.json"), r); err != nil {
		return err
	}
	return writeJSON(s.RecipeFile(), slices.MinFunc(r.Trials, better).Recipe)
}

// load returns the record of earlier runs, or one without trials.
func (s Search) load(c Config) (*record, error) {
	data, err := readIfExists(s.file(".search.json"))
	if data == nil || err != nil {
		return &record{Version: fileVersion, Fingerprint: c.fingerprint(),
			Content: c.Set.Content}, err
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf(
			"%s is not a valid record of a search: %w; delete it to search again",
			s.file(".search.json"), err)
	}
	if err := checkVersion(r.Version); err != nil {
		return nil, fmt.Errorf("%s %w; delete it to search again", s.file(".search.json"), err)
	}
	if r.Fingerprint != c.fingerprint() || !c.hasContent(r.Content) {
		return nil, fmt.Errorf(
			"%s belongs to a search with other data or settings; delete it to search again",
			s.file(".search.json"))
	}
	return r, nil
}
