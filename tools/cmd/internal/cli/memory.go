package cli

import (
	"math"
	"runtime/debug"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/spf13/cobra"
)

// programBytes is what the runtime may take beside the memory that is bounded: stacks, small
// objects and free space between objects. The program's code takes some 20 MB more.
const programBytes = 40 << 20

// BoundProcess makes the garbage collector keep the process within limit bytes and what the program
// itself takes, together about 64 MB more than limit.
func BoundProcess(limit int64) { debug.SetMemoryLimit(limit + programBytes) }

// A MemoryFlag holds the memory limit of a command.
type MemoryFlag struct {
	Memory int // MB, 0 for no limit
}

// Register adds the flag to a command.
func (f *MemoryFlag) Register(c *cobra.Command) {
	c.Flags().IntVar(&f.Memory, "memory", 0, "memory limit in MB for all that the command holds: "+
		"files, the model, bags and results (default no limit)")
}

// Bound makes --memory the bound of the whole command: files, models, bags, and all that is
// computed in the command's context. The memory of data sets that bagscope-train downloads is not
// bounded.
func (f *MemoryFlag) Bound(c *cobra.Command) error {
	if f.Memory < 0 || int64(f.Memory) > math.MaxInt64/1_000_000 {
		return Usagef("--memory must be a number of MB, 0 or more; omit it for no limit")
	}
	if f.Memory == 0 {
		return nil
	}
	m := quota.NewMemory(int64(f.Memory) * 1e6)
	BoundProcess(m.Limit())
	c.SetContext(quota.WithMemory(c.Context(), m))
	return nil
}
