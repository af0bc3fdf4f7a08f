package train

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Job is one training of the command line: one of the paper's repeats of a kind of network on a
// data set.
type Job struct {
	Set    *dataset.Set
	Kind   network.Kind
	Repeat int            // 0 to 9, the paper's seeds
	Preset network.Preset // "" means Reference
	// Out is a folder. The job writes the model OUT/SET/REPEAT/KIND.onnx, and beside it the Report
	// KIND.json and, during training, KIND.checkpoint.
	Out     string
	Version string // version of the program, for the model's file

	// Recipe replaces the preset's recipe; nil means the preset's, with a limit of inputs if Set
	// has outliers.
	Recipe   *network.Recipe
	Epochs   int            // see Config
	Patience int            // see Config
	Progress func(Progress) // see Config
}

// Run trains, and writes the model and its report. If ctx ends, it leaves a checkpoint from which
// the next Run continues. If model and report exist, it returns the report without training.
//
// Errors: those of Run, with *DivergedError only if every attempt diverged; a report of another
// training; a model that does not belong to its report.
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
		Version: fileVersion, Attempts: tried, Fingerprint: c.fingerprint(),
		Content: j.Set.Content, Dataset: j.Set.Name,
		Model: j.Kind, Repeat: j.Repeat, Split: split.Seen,
		Seed: best.Seed, Recipe: c.Recipe, Best: best.Best, History: best.History,
		BeatsBaseline: best.loss() < c.lossLimit(),
	}
	for _, part := range []struct {
		score *Score
		bags  []dataset.Example
	}{{&r.Train, split.Train}, {&r.Validation, split.Validation}, {&r.Test, split.Test}} {
		if *part.score, err = Evaluate(ctx, best.Network, part.bags, c.Preprocess); err != nil {
			return nil, err
		}
	}
	r.Baseline = baseline(c.Recipe.Scale, split.Train, split.Test)
	return r, j.write(r, best.Network, c.Preprocess)
}

// config returns the job's training. It creates the folder for the job's files.
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

// recipe returns the job's recipe, or the preset's for its set.
func (j Job) recipe() (network.Recipe, error) {
	if j.Recipe != nil {
		return *j.Recipe, nil
	}
	r, err := network.For(j.Kind, j.Set.Shape, len(j.Set.Classes), j.Set.Scale,
		cmp.Or(j.Preset, network.Reference))
	if j.Set.Outliers && !j.Set.AllData {
		r.Limit = outlierLimit
	}
	return r, err
}

// outlierLimit limits features to this number of deviations from their mean if a set has outliers.
// The paper needs no limit, because it measures statistics on all bags, including test bags.
// RATIONALE.md states its effect on Tiger.
const outlierLimit = 3

// augments reports whether Run rotates and mirrors training bags. Pictures in colour show tissue,
// which has no upper side; pictures in grey show digits, which have one.
func (j Job) augments() bool { return len(j.Set.Shape) == 3 && j.Set.Shape[0] > 1 }

// file returns the path of one of the job's files.
func (j Job) file(suffix string) string {
	return filepath.Join(j.Out, j.Set.Name, strconv.Itoa(j.Repeat), string(j.Kind)+suffix)
}
