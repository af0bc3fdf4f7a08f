package train

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Config describes one training. Set, Split, Recipe and Preprocess are required. The zero values
// of the other fields mean the paper's choice.
type Config struct {
	Set        *dataset.Set
	Split      *dataset.Split
	Recipe     network.Recipe
	Preprocess dataset.Preprocess // Split.Preprocess

	Seed     uint64     // seed of parameters, order of bags, dropout and augmentation
	Epochs   int        // maximum; 0 means 100
	Patience int        // epochs without a smaller validation loss before the end; 0 means 10
	Betas    [2]float64 // decay rates of Adam's moments; zeros mean .9 and .99
	Augment  bool       // rotates and mirrors the pictures of training bags

	Checkpoint string         // file that saves the state of the training; "" saves nothing
	Progress   func(Progress) // called after each step and epoch, never concurrently; or nil
}

// withDefaults replaces zeros by defaults. It returns an error for settings that are invalid, or
// that contradict each other.
func (c Config) withDefaults() (Config, error) {
	c.Epochs, c.Patience = cmp.Or(c.Epochs, 100), cmp.Or(c.Patience, 10)
	c.Betas[0], c.Betas[1] = cmp.Or(c.Betas[0], .9), cmp.Or(c.Betas[1], .99)
	r := c.Recipe
	switch {
	case c.Set == nil || c.Split == nil:
		return c, fmt.Errorf("the training needs a data set and a split")
	case !slices.Equal(c.Set.Shape, r.Shape) || len(c.Set.Classes) != r.Classes ||
		c.Set.Scale != r.Scale:
		return c, fmt.Errorf(
			"the recipe is for instances of shape %v and %d classes (%s), "+
				"and %s has %v and %d (%s)",
			r.Shape, r.Classes, r.Scale, c.Set.Title, c.Set.Shape, len(c.Set.Classes), c.Set.Scale)
	case len(c.Split.Train) == 0 || len(c.Split.Validation) == 0:
		return c, fmt.Errorf(
			"%s has %d training bags and %d validation bags; both must be at least 1", c.Set.Title,
			len(c.Split.Train), len(c.Split.Validation))
	case len(c.Preprocess.Mean) != c.Set.Shape[0] || len(c.Preprocess.Std) != c.Set.Shape[0]:
		return c, fmt.Errorf(
			"%s has instances of shape %v, and the preprocessing is for %d features or colours",
			c.Set.Title, c.Set.Shape, len(c.Preprocess.Mean))
	case !targeted(r.Classes, c.Split.Train, c.Split.Validation, c.Split.Test):
		return c, fmt.Errorf("every bag of %s must have %d targets, one for each class",
			c.Set.Title, r.Classes)
	case c.Epochs < 1 || c.Patience < 1:
		return c, fmt.Errorf(
			"the number of epochs and the patience must be at least 1, got %d and %d", c.Epochs,
			c.Patience)
	case !(r.Rate > 0) || !(r.Decay >= 0) || r.Rate > 1e3 || r.Decay > 1e3:
		return c, fmt.Errorf(
			"the rate must be above 0 and the decay at least 0, both at most 1000, got %v and %v",
			r.Rate, r.Decay)
	case !(c.Betas[0] > 0 && c.Betas[0] < 1 && c.Betas[1] > 0 && c.Betas[1] < 1):
		return c, fmt.Errorf("the betas must be between 0 and 1, got %v", c.Betas)
	case c.Augment && len(c.Set.Shape) != 3:
		return c, fmt.Errorf("%s has no pictures to augment; turn augmentation off", c.Set.Title)
	}
	return c, r.Check()
}

// targeted reports whether all bags have the given number of targets.
func targeted(classes int, parts ...[]dataset.Example) bool {
	return !slices.ContainsFunc(slices.Concat(parts...),
		func(e dataset.Example) bool { return len(e.Target) != classes })
}

// hasContent reports whether content is the Content of the set. It accepts "", which reports and
// checkpoints of earlier versions have.
func (c Config) hasContent(content string) bool { return content == "" || content == c.Set.Content }

// fingerprint identifies a training by a hash of all that determines its result. The statistics of
// Preprocess, or the set's Content, represent the values of the bags.
func (c Config) fingerprint() string {
	// The names and targets of all bags identify the split.
	h := sha256.New()
	fmt.Fprintf(h, "%s %+v %d %d %d %v %v %+v", c.Set.Name, c.Recipe, c.Seed, c.Epochs, c.Patience,
		c.Betas, c.Augment, c.Preprocess)
	for _, part := range [][]dataset.Example{c.Split.Train, c.Split.Validation, c.Split.Test} {
		fmt.Fprintln(h, len(part))
		for _, e := range part {
			fmt.Fprintln(h, e.Name, e.Size, e.Target)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
