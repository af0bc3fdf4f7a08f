package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/study"
)

// splitFlags name bags by data set, repeat and part of the split, for commands that else read
// them from a file.
type splitFlags struct {
	dataset string
	data    string
	repeat  int
	part    string
}

func (f *splitFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.dataset, "dataset", "", "in place of --bags, bags of a data set, with its settings: "+strings.Join(dataset.Names(), ", "))
	s.StringVar(&f.data, "data", "", "folder of the data set's files, or of the folders that hold them; sets that are drawn need none")
	s.IntVar(&f.repeat, "repeat", 0, "which of the paper's ten repeats the bags are of, from 0: that which the model was trained for")
	s.StringVar(&f.part, "part", "validation", "which bags of the repeat: "+strings.Join(dataset.PartNames, ", "))
}

// check wants bags of one origin, and no flag that is for those of the other.
func (f *splitFlags) check(c *cobra.Command) error {
	file, set := c.Flags().Lookup("bags"), c.Flags().Lookup("dataset")
	switch {
	case file.Value.String() == "" && f.dataset == "":
		return cli.Usagef("--bags or --dataset is missing: %s; %s", file.Usage, set.Usage)
	case file.Value.String() != "" && f.dataset != "":
		return cli.Usagef("--bags and --dataset both name bags, and only one of them can be tried")
	case f.dataset == "":
		return none(c, "goes with --dataset", "data", "repeat", "part")
	case !slices.Contains(dataset.PartNames, f.part):
		return cli.Usagef("--part %q is none of %s", f.part, strings.Join(dataset.PartNames, ", "))
	}
	return none(c, "goes with --bags: a data set's pictures are cut as it has them", "patch-size", "stride", "background")
}

// none refuses flags that mean nothing.
func none(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return cli.Usagef("--%s %s", name, why)
		}
	}
	return nil
}

// read returns those bags of the part that are large enough to explain, and how many are not. A
// model is not to have been trained on the bags of another split: some of them may be among
// these.
func (f *splitFlags) read(set *dataset.Set, path string, m query.Engine) (bags []dataset.Example, small int, err error) {
	if err := study.Fits(m, set); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	split, err := set.Split(f.repeat)
	if err != nil {
		return nil, 0, cli.FlagError(err)
	}
	all, err := split.Part(f.part)
	if err != nil {
		return nil, 0, cli.FlagError(err)
	}
	if f.part != "train" {
		if err := train.CheckUnseen(path, set, split, f.part); err != nil {
			return nil, 0, err
		}
	}
	bags, small = dataset.Sizeable(all, 0)
	if len(bags) == 0 {
		return nil, 0, &core.BagError{Reason: fmt.Sprintf("no %s bag of %s has %d instances or more", f.part, set.Title, dataset.SmallestBag)}
	}
	return bags, small, nil
}
