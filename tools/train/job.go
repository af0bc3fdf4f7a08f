package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bagscope/bagscope/tools/dataset"
	"github.com/bagscope/bagscope/tools/train/export"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Job is one training as the command line has it: one of the paper's repeats of a kind of network on a data set.
type Job struct {
	Set     *dataset.Set
	Kind    network.Kind
	Repeat  int            // 0 to 9: the paper's seeds
	Preset  network.Preset // "" means Reference
	Out     string         // folder; the model goes to OUT/SET/REPEAT/KIND.onnx, its Report beside it to KIND.json
	Version string         // of the program, for the model's file

	Recipe   *network.Recipe // instead of the preset's, or nil
	Epochs   int             // as in Config
	Patience int             // as in Config
	Progress func(Progress)  // as in Config
}

// A Report says what came of a Job.
type Report struct {
	Fingerprint string // of data and settings
	Dataset     string
	Model       network.Kind
	Repeat      int
	Split       string // what the network has seen, as dataset.Split.Seen
	Seed        uint64
	Recipe      network.Recipe
	Attempts    int // how often it was begun: again where a network learnt nothing
	Best        int // epoch, from 0
	History     []Epoch
	// The scores of the best epoch's parameters, without dropout.
	Train, Validation, Test Score
	// Blind is the score on the test bags of one who says the mean target of the training bags of every bag.
	Blind Score
}

// Run trains, and writes model and report. A job that ctx ends leaves a checkpoint, from which the next goes on; one whose report
// is there is not trained again. A report of another training is an error.
func (j Job) Run(ctx context.Context) (*Report, error) {
	c, err := j.config()
	if err != nil {
		return nil, err
	}
	if done, err := j.read(c.fingerprint()); done != nil || err != nil {
		return done, err
	}
	result, tried, err := attempt(ctx, c)
	if err != nil {
		return nil, err
	}
	split := c.Split
	r := &Report{Attempts: tried, Fingerprint: c.fingerprint(), Dataset: j.Set.Name, Model: j.Kind, Repeat: j.Repeat, Split: split.Seen, Seed: c.Seed, Recipe: c.Recipe, Best: result.Best, History: result.History}
	for _, part := range []struct {
		score *Score
		bags  []dataset.Example
	}{{&r.Train, split.Train}, {&r.Validation, split.Validation}, {&r.Test, split.Test}} {
		if *part.score, err = Evaluate(ctx, result.Network, part.bags, c.Preprocess); err != nil {
			return nil, err
		}
	}
	r.Blind = blindScore(c.Recipe.Scale, split.Train, split.Test)
	return r, j.write(r, result.Network, c.Preprocess)
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
		Set: j.Set, Split: split, Recipe: recipe, Preprocess: preprocess, Seed: dataset.Seeds[j.Repeat],
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
	return network.For(j.Kind, j.Set.Shape, len(j.Set.Classes), j.Set.Scale, preset)
}

// augments reports whether training bags are turned and mirrored: pictures of several colours are, since tissue has
// no upper side, and digits are not.
func (j Job) augments() bool { return len(j.Set.Shape) == 3 && j.Set.Shape[0] > 1 }

// write leaves model and report, in this order, and takes the checkpoint away.
func (j Job) write(r *Report, net *network.Network, p dataset.Preprocess) error {
	model, err := export.Model(net, j.Set, p, j.Version)
	if err != nil {
		return err
	}
	report, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := WriteFile(j.file(".onnx"), model); err != nil {
		return err
	}
	if err := WriteFile(j.file(".json"), append(report, '\n')); err != nil {
		return err
	}
	for n := range r.Attempts {
		if err := os.Remove(nth(j.file(".checkpoint"), n)); err != nil {
			return err
		}
	}
	return nil
}

// read returns the report of a job that was done before, or nil.
func (j Job) read(fingerprint string) (*Report, error) {
	data, err := os.ReadFile(j.file(".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is no report of a training: %w; delete it to train anew", j.file(".json"), err)
	}
	if r.Fingerprint != fingerprint {
		return nil, fmt.Errorf("%s is of a training with other data or settings; delete it to train anew", j.file(".json"))
	}
	return r, nil
}

// file is where the job leaves something.
func (j Job) file(suffix string) string {
	return filepath.Join(j.Out, j.Set.Name, strconv.Itoa(j.Repeat), string(j.Kind)+suffix)
}
