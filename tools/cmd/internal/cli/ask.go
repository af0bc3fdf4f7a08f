package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// AskFlags hold what all what-ifs have in common: the model, the bag, the class and the limits.
type AskFlags struct {
	Model   ModelFlags
	Bags    BagFlags
	Index   int
	memory  MemoryFlag
	class   string
	output  string
	seed    uint64
	budget  int
	workers int
}

// Register adds the flags to a command, with those of the options of its question.
func (f *AskFlags) Register(c *cobra.Command, options []ask.OptionField) {
	f.Model.Register(c)
	f.Bags.Register(c, "bag", BagUsage)
	IndexFlag(c, &f.Index)
	s := c.Flags()
	s.StringVar(&f.class, "class", "", "class, by name or number (default the predicted one)")
	for _, field := range options {
		addOption(c, field.Option.Name, field)
	}
	s.StringVar(&f.output, "output", "prob", "the output: prob or logit")
	s.Uint64Var(&f.seed, "seed", 0, "seed of the random numbers")
	f.memory.Register(c)
	s.IntVar(&f.budget, "budget", 0, "most model evaluations (default no limit)")
	s.IntVar(&f.workers, "workers", 0,
		"threads (default one per processor); the results do not depend on it")
}

// Open bounds the memory of the command, opens the model and the bag, and writes the other flags to
// q.
func (f *AskFlags) Open(c *cobra.Command, q *ask.Ask) (*ask.Input, error) {
	if err := f.memory.Bound(c); err != nil {
		return nil, err
	}
	f.Model.Workers = f.workers
	*q = ask.Ask{Class: Given(c, "class", &f.class), Output: Given(c, "output", &f.output),
		Seed: f.seed, Budget: f.budget, Workers: f.workers}
	return OpenBag(c, &f.Model, &f.Bags, f.Index)
}

// Evaluations returns a function that shows the number of evaluations and, if it is known, their
// total, and one that removes the line.
func Evaluations(c *cobra.Command) (update func(done, total int), end func()) {
	bar := NewProgress(c.ErrOrStderr(), "evaluations")
	return func(done, total int) {
		if total > 0 {
			bar.Update(done, total)
		} else if bar.Due() {
			bar.Show(fmt.Sprintf("%d evaluations", done))
		}
	}, bar.End
}
