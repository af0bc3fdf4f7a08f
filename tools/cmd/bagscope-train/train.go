package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// trainCommand holds the flags of train.
type trainCommand struct {
	dataset, data, out string
	models, repeats    []string
	preset             string
	options            dataset.Options
	epochs, patience   int
	workers            int
	search             int    // trials of a search, 0 to train
	recipe             string // path of a file, or ""
	form               cli.OutputFlags
}

// newTrain returns the command that trains networks or searches for their hyperparameters.
func newTrain() *cobra.Command {
	t := &trainCommand{}
	c := cli.Command("train",
		"Train the paper's networks on a data set and write them as ONNX files", t.run)
	f := c.Flags()
	// The flags follow the order of a session: data, networks, output, settings.
	f.StringVar(&t.dataset, "dataset", "", "the data set: "+strings.Join(dataset.Names(), ", "))
	f.StringVar(&t.data, "data", "",
		"folder with the files of the data set; generated sets do not need it")
	f.StringSliceVar(&t.models, "model", []string{"all"},
		"the networks, separated by commas: "+kindNames()+", or all")
	f.StringSliceVar(&t.repeats, "repeat", []string{"0"},
		"the paper's repeats, 0 to 9, separated by commas, or all")
	f.StringVar(&t.out, "out", "", "folder for the models: OUT/DATASET/REPEAT/MODEL.onnx, a "+
		".json file with its scores and, during training, a .checkpoint to resume from")
	f.StringVar(&t.preset, "preset", string(network.Reference),
		"settings if the paper and its code differ: paper, reference (the code), or summing, "+
			"which is reference with a mi-gnn that sums its instances as the code does")
	f.BoolVar(&t.options.AllData, "all-data", false, "standardise with statistics of all bags, "+
		"including test bags, and keep outliers, as the paper's code does; not for digits, whose "+
		"statistics are constants")
	f.BoolVar(&t.options.Raw, "raw", false,
		"do not scale the pixels of digits, 0 to 255, as the paper's code does")
	f.StringVar(&t.recipe, "recipe", "",
		"recipe from a search, a .json file, which replaces the preset's")
	f.IntVar(&t.search, "search", 0, "search for a recipe instead of writing a model: train this "+
		"many networks with random settings from the ranges of the paper's tuning and rank them "+
		"on validation bags")
	f.IntVar(&t.epochs, "epochs", 0, "largest number of epochs (default 100)")
	f.IntVar(&t.patience, "patience", 0,
		"stop after this many epochs without a better validation loss (default 10)")
	f.IntVar(&t.options.Train, "bags", 0,
		"number of training bags, for data sets that generate bags (default the data set's)")
	f.IntVar(&t.options.Validation, "validation-bags", 0, "number of validation bags, likewise")
	f.IntVar(&t.options.Test, "test-bags", 0, "number of test bags, likewise")
	f.IntVar(&t.workers, "workers", 1,
		"networks trained concurrently, each on one processor; the results do not depend on it")
	t.form.Register(c, "")
	return c
}

// kindNames lists the networks for help and errors.
func kindNames() string {
	return strings.Join(ask.ListOf(network.Kinds(),
		func(k network.Kind) string { return string(k) }), ", ")
}

// run trains each network on each repeat. All flags and files are validated before the first
// training, because a training can take hours.
func (t *trainCommand) run(c *cobra.Command) error {
	if err := cli.Require(c, "dataset", "out"); err != nil {
		return err
	}
	kinds, err := t.kinds()
	if err != nil {
		return err
	}
	repeats, err := t.numbers()
	if err != nil {
		return err
	}
	if err := cli.NotNegative(c, "omit it to use the default", "epochs", "patience",
		"search"); err != nil {
		return err
	}
	if t.workers < 1 {
		return cli.Usagef("--workers must be at least 1, got %d", t.workers)
	}
	set, err := dataset.Open(t.dataset, t.data, t.options)
	if err != nil {
		return err
	}
	recipe, err := t.readRecipe(c.Context(), kinds)
	if err != nil {
		return err
	}
	log := newTrainLog(c.ErrOrStderr(), t.workers)
	defer log.end()
	var jobs []train.Job
	// The order of the jobs is the order of the table.
	for _, repeat := range repeats {
		for _, kind := range kinds {
			jobs = append(jobs, train.Job{
				Set: set, Kind: kind, Repeat: repeat, Preset: network.Preset(t.preset),
				Recipe: recipe, Out: t.out, Version: cli.Version(),
				Epochs: t.epochs, Patience: t.patience,
				Progress: log.of(fmt.Sprintf("%s, repeat %d, %s", set.Name, repeat, kind)),
			})
		}
	}
	if t.search > 0 {
		return t.find(c, jobs)
	}
	// Trainings with a valid model and the same settings are not repeated.
	done, err := trainAll(c.Context(), jobs, t.workers)
	log.end()
	if err != nil {
		return cli.Resumable(err)
	}
	err = t.form.Write(c, cli.Result{JSON: trainedObjects(done),
		Text: func(to *bytes.Buffer) { printTrained(to, kinds, done) }})
	// A diverged training is printed with the others and makes the command fail.
	return errors.Join(err, failures(done))
}

// find searches for a recipe and prints the trials, best first.
func (t *trainCommand) find(c *cobra.Command, jobs []train.Job) error {
	// A search trains many networks, so that it is limited to one job.
	if len(jobs) != 1 {
		return cli.Usagef("--search needs exactly one --model and one --repeat")
	}
	// The search ranks trials on validation bags; test bags are not used.
	search := train.Search{Job: jobs[0], Trials: t.search}
	trials, err := search.Run(c.Context(), nil)
	if err != nil {
		return cli.Resumable(err)
	}
	file := search.RecipeFile()
	return t.form.Write(c, cli.Result{JSON: searchObject(trials, file),
		Text: func(to *bytes.Buffer) {
			printTrials(to, trials)
			fmt.Fprintf(to, "\n  the best recipe is in %s; use --recipe to train with it\n", file)
		}})
}

// readRecipe reads the file of --recipe, which must be for the one kind of network in kinds.
func (t *trainCommand) readRecipe(
	ctx context.Context, kinds []network.Kind,
) (*network.Recipe, error) {
	if t.recipe == "" {
		return nil, nil
	}
	data, err := cli.ReadFile(ctx, t.recipe)
	if err != nil {
		return nil, err
	}
	r := &network.Recipe{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is not a valid recipe: %w", t.recipe, err)
	}
	if !slices.Contains(network.Kinds(), r.Kind) {
		return nil, fmt.Errorf(
			"%s is not a valid recipe: the network %q is unknown; the networks are %s", t.recipe,
			r.Kind, kindNames())
	}
	// A recipe describes one kind of network.
	if len(kinds) != 1 || kinds[0] != r.Kind {
		return nil, cli.Usagef("--recipe %s needs --model %s", t.recipe, r.Kind)
	}
	return r, nil
}

// kinds parses --model. Each kind appears once, in the order of the flag.
func (t *trainCommand) kinds() ([]network.Kind, error) {
	return selection(t.models, network.Kinds(), "--model is empty; use one of "+kindNames(),
		func(name string) (network.Kind, error) {
			k := network.Kind(name)
			if !slices.Contains(network.Kinds(), k) {
				return k, cli.Usagef("--model: the network %q is unknown; use one of %s", name,
					kindNames())
			}
			return k, nil
		})
}

// numbers parses --repeat. Each number appears once, in the order of the flag.
func (t *trainCommand) numbers() ([]int, error) {
	// The repeats are numbered from 0.
	all := make([]int, len(dataset.Seeds))
	for i := range all {
		all[i] = i
	}
	empty := fmt.Sprintf("--repeat is empty; there are %d repeats, numbered from 0", len(all))
	return selection(t.repeats, all, empty, func(word string) (int, error) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n >= len(all) {
			return 0, cli.Usagef(
				"--repeat: %q is not one of the %d repeats, which are numbered from 0", word,
				len(all))
		}
		return n, nil
	})
}

// selection returns the values that the words of a flag name, each once and in the order of the
// words. The word all names every value. An empty selection is a usage error with the text empty.
func selection[T comparable](
	words []string, all []T, empty string, parse func(word string) (T, error),
) ([]T, error) {
	var out []T
	for _, word := range words {
		named := all
		if word = strings.TrimSpace(word); word != "all" {
			value, err := parse(word)
			if err != nil {
				return nil, err
			}
			named = []T{value}
		}
		for _, value := range named {
			if !slices.Contains(out, value) {
				out = append(out, value)
			}
		}
	}
	if len(out) == 0 {
		return nil, cli.Usagef("%s", empty)
	}
	return out, nil
}
