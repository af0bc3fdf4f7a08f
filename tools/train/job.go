package train

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Job is one training as the command line has it: one of the paper's repeats of a kind of network
// on a data set.
type Job struct {
	Set    *dataset.Set
	Kind   network.Kind
	Repeat int            // 0 to 9: the paper's seeds
	Preset network.Preset // "" means Reference
	// folder; the model goes to OUT/SET/REPEAT/KIND.onnx, its Report beside it to KIND.json
	Out     string
	Version string // version of the program, for the model's file

	// instead of the preset's, or nil; the preset's cuts off outliers where Set has them
	Recipe   *network.Recipe
	Epochs   int            // see Config
	Patience int            // see Config
	Progress func(Progress) // see Config
}

// Run trains, and writes model and report. A job that ctx ends leaves a checkpoint, from which the
// next goes on; one whose model and report are there is not trained again.
//
// Errors: those of Run, a *DivergedError only where every attempt diverged; a report of another
// training, and a model that is not the one that the report is of.
func (j Job) Run(ctx context.Context) (*Report, error) {
	c, err := j.config()
	if err != nil {
		return nil, err
	}
	if done, err := j.read(c); done != nil || err != nil {
		return done, err
	}
	best, tried, err := attempt(ctx, c)
	if err != nil {
		return nil, err
	}
	split := c.Split
	r := &Report{
		Attempts: tried, Fingerprint: c.fingerprint(), Content: j.Set.Content, Dataset: j.Set.Name,
		Model: j.Kind, Repeat: j.Repeat, Split: split.Seen,
		Seed: best.Seed, Recipe: c.Recipe, Best: best.Best, History: best.History,
		Learnt: best.loss() < c.enough(),
	}
	for _, part := range []struct {
		score *Score
		bags  []dataset.Example
	}{{&r.Train, split.Train}, {&r.Validation, split.Validation}, {&r.Test, split.Test}} {
		if *part.score, err = Evaluate(ctx, best.Network, part.bags, c.Preprocess); err != nil {
			return nil, err
		}
	}
	r.Blind = blindScore(c.Recipe.Scale, split.Train, split.Test)
	return r, j.write(r, best.Network, c.Preprocess)
}

// config is the training of the job, and makes the folder for its files.
func (j Job) config() (Config, error) {
	split, err := j.Set.Split(j.Repeat)
	if err != nil {
		return Config{}, err
	}
	preprocess, err := split.Preprocess()
	if err != nil {
		return Config{}, err
	}
	recipe, err := j.recipe()
	if err != nil {
		return Config{}, err
	}
	if err := os.MkdirAll(filepath.Dir(j.file("")), 0o777); err != nil {
		return Config{}, err
	}
	return Config{
		Set: j.Set, Split: split, Recipe: recipe, Preprocess: preprocess,
		Seed:   dataset.Seeds[j.Repeat],
		Epochs: j.Epochs, Patience: j.Patience, Augment: j.augments(),
		Checkpoint: j.file(".checkpoint"), Progress: j.Progress,
	}.withDefaults()
}

func (j Job) recipe() (network.Recipe, error) {
	if j.Recipe != nil {
		return *j.Recipe, nil
	}
	preset := j.Preset
	if preset == "" {
		preset = network.Reference
	}
	r, err := network.For(j.Kind, j.Set.Shape, len(j.Set.Classes), j.Set.Scale, preset)
	if j.Set.Outliers && !j.Set.AllData {
		r.Limit = outlierLimit
	}
	return r, err
}

// outlierLimit is how many deviations from its mean a feature counts where there are outliers. The
// paper has no such limit, and with its statistics of all bags, test bags too, none lie that far
// off. With those of the training bags alone it lifts the validation accuracy of mi-net on Tiger
// from .77 to .85, where the paper's statistics reach .82.
const outlierLimit = 3

// augments reports whether training bags are turned and mirrored: pictures of several colours are,
// since tissue has no upper side, and digits are not.
func (j Job) augments() bool { return len(j.Set.Shape) == 3 && j.Set.Shape[0] > 1 }

// file is where the job leaves something.
func (j Job) file(suffix string) string {
	return filepath.Join(j.Out, j.Set.Name, strconv.Itoa(j.Repeat), string(j.Kind)+suffix)
}
