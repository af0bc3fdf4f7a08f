package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/study"
)

// splitFlags select bags by data set, repeat and part of the split, for commands that can also read
// bags from a file.
type splitFlags struct {
	dataset string // name of a data set, or ""
	data    string // folder of its files
	repeat  int    // 0 to 9
	part    string // one of dataset.PartNames
}

// register adds the flags to a command.
func (f *splitFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.dataset, "dataset", "",
		"instead of --bags: use bags of a data set and its settings: "+strings.Join(dataset.Names(),
			", "))
	s.StringVar(&f.data, "data", "", "folder of the data set's files, or of one folder for each "+
		"set; generated sets do not need it")
	s.IntVar(&f.repeat, "repeat", 0,
		"repeat of the bags, 0 to 9: the one that the model was trained on")
	s.StringVar(&f.part, "part", "validation",
		"part of the repeat's bags: "+strings.Join(dataset.PartNames, ", "))
}

// check returns a usage error unless the bags come from exactly one of --bags and --dataset, and
// all other flags apply to it.
func (f *splitFlags) check(c *cobra.Command) error {
	// Their help describes both ways to select bags.
	file, set := c.Flags().Lookup("bags"), c.Flags().Lookup("dataset")
	switch {
	case file.Value.String() == "" && f.dataset == "":
		return cli.Usagef("--bags or --dataset is missing: %s; %s", file.Usage, set.Usage)
	case file.Value.String() != "" && f.dataset != "":
		return cli.Usagef("--bags and --dataset both select bags; use only one of them")
	// Flags without an effect are errors, because the user expects an effect.
	case f.dataset == "":
		return none(c, "needs --dataset", "data", "repeat", "part")
	case !slices.Contains(dataset.PartNames, f.part):
		return cli.Usagef("--part %q is unknown; use one of %s", f.part,
			strings.Join(dataset.PartNames, ", "))
	}
	return none(c, "needs --bags: a data set defines how its pictures are cut", "array",
		"patch-size", "stride", "background")
}

// none returns a usage error if one of the named flags was given, with the reason why.
func none(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return cli.Usagef("--%s %s", name, why)
		}
	}
	return nil
}

// read returns the bags of the part that are large enough to explain, and the number of smaller
// bags. It rejects a model that was trained on another split, whose training bags may be among
// these bags.
func (f *splitFlags) read(
	set *dataset.Set, path string, m ask.Engine,
) (bags []dataset.Example, small int, err error) {
	// A model of another data set would give meaningless numbers without an error.
	if err := study.Fits(m, set); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	split, err := set.Split(f.repeat)
	if err != nil {
		return nil, 0, err
	}
	// The split is that of the repeat, as in training.
	all, err := split.Part(f.part)
	if err != nil {
		return nil, 0, err
	}
	// Training bags may be selected deliberately, to see how well a model fits them.
	if f.part != "train" {
		if err := train.CheckUnseen(path, set, split, f.part); err != nil {
			return nil, 0, err
		}
	}
	// Bags of one or two instances have nothing to explain.
	bags, small = dataset.Sizeable(all, 0)
	if len(bags) == 0 {
		return nil, 0, &core.BagError{Reason: fmt.Sprintf(
			"no %s bag of %s has at least %d instances", f.part, set.Title, dataset.SmallestBag)}
	}
	return bags, small, nil
}
