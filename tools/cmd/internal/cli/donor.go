package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// DonorFlags select a bag whose instances are added to another one.
type DonorFlags struct {
	path  string
	index int
}

// Register adds the flags to a command.
func (f *DonorFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.path, "donor", "", "file of the bag whose instances may be added "+
		"(default that of --bag, if --donor-index is given)")
	c.Flags().IntVar(&f.index, "donor-index", 0, "index of that bag in a set of bags, from 0")
}

// Given reports whether there is such a bag.
func (f *DonorFlags) Given(c *cobra.Command) bool {
	return c.Flags().Changed("donor") || c.Flags().Changed("donor-index")
}

// Bag reads the bag, in the layout of the model of an input.
func (f *DonorFlags) Bag(
	c *cobra.Command, in *ask.Input, model *ModelFlags, like *BagFlags,
) (*core.Bag, error) {
	set := in.Set
	if f.path != "" {
		other := *like
		other.Path = f.path
		var err error
		if set, err = other.Read(c, model, in.Engine); err != nil {
			return nil, err
		}
	}
	bag, err := set.BagIn(c.Context(), f.index)
	var index *core.SettingError
	if errors.As(err, &index) {
		return nil, &core.SettingError{Setting: "donor index", Reason: index.Reason}
	}
	return bag, err
}
