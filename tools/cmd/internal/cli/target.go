package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TargetFlags say what the vector that a model returns for a bag is compared with.
type TargetFlags struct {
	file, bag, likeness string
	index               int                 // of the bag in the file of --target-bag
	read                *onnxbackend.Target // the target, once it is known
	other               *ask.Input          // the bag of --target-bag
}

// register adds the flags to a command.
func (f *TargetFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "target", "", "what the vector that the model returns for a bag "+
		"is compared with: a file with a vector, with prototypes of classes by name, or with the "+
		"weight and bias of a probe (.npy, .npz, .pt or .safetensors)")
	c.Flags().StringVar(&f.bag, "target-bag", "", "another bag, whose vector under the model is "+
		"the target: what makes these two alike")
	c.Flags().IntVar(&f.index, "target-index", 0, "index of that bag in a set of bags, from 0")
	c.Flags().StringVar(&f.likeness, "likeness", "", "how vectors are compared: cosine or dot "+
		"(default: what the model card's key likeness states, or cosine)")
}

// given reports whether a flag was given.
func (f *TargetFlags) given() bool { return f.file != "" || f.bag != "" || f.likeness != "" }

// toward returns the model toward the target, or the model itself without one.
func (f *TargetFlags) toward(
	ctx context.Context, m *onnxbackend.Model,
) (*onnxbackend.Model, error) {
	switch {
	case f.file != "" && f.bag != "":
		return nil, Usagef("--target and --target-bag are two targets; omit one")
	case f.likeness != "" && f.file == "" && f.bag == "":
		return nil, Usagef("--likeness compares with a target; add --target or --target-bag")
	case f.file != "" && f.read == nil:
		data, err := ReadFile(ctx, f.file)
		if err != nil {
			return nil, err
		}
		t, err := ask.Target(f.file, data, f.likeness, bagio.LimitsIn(quota.MemoryOf(ctx)))
		if err != nil {
			return nil, err
		}
		f.read = &t
	}
	if f.read == nil {
		return m, nil
	}
	return m.Toward(*f.read)
}

// towardBag returns the model toward the vector of the bag of --target-bag, or the engine itself
// without one.
func (f *ModelFlags) towardBag(c *cobra.Command, bags *BagFlags, e ask.Engine) (ask.Engine, error) {
	m, ok := e.(*onnxbackend.Model)
	if f.target.bag == "" || !ok {
		return e, nil
	}
	set, err := bags.ReadFeatures(c.Context(), f.target.bag, f, m)
	if err != nil {
		return nil, err
	}
	in, err := ask.NewInput(c.Context(), m, set, f.target.index)
	var index *core.SettingError
	if errors.As(err, &index) {
		return nil, &core.SettingError{Setting: "target index", Reason: index.Reason}
	}
	if err != nil {
		return nil, err
	}
	t, err := ask.TargetBag(c.Context(), m, in.Bag, f.target.likeness)
	if err != nil {
		return nil, err
	}
	f.target.read, f.target.other = &t, in
	return m.Toward(t)
}

// Other returns the bag of --target-bag under the model toward the vector of in, or nil: the other
// way round.
func (f *ModelFlags) Other(ctx context.Context, in *ask.Input) (*ask.Input, error) {
	other := f.target.other
	if other == nil {
		return nil, nil
	}
	m := other.Engine.(*onnxbackend.Model)
	t, err := ask.TargetBag(ctx, m, in.Bag, f.target.likeness)
	if err != nil {
		return nil, err
	}
	out := *other
	out.Engine, err = m.Toward(t)
	return &out, err
}
