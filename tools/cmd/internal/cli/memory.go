package cli

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
)

// programBytes is what the program takes beside the memory that is bounded: its code, stacks and
// small objects.
const programBytes = 64 << 20

// BoundProcess makes the garbage collector keep the process within limit bytes and what the program
// itself takes.
func BoundProcess(limit int64) { debug.SetMemoryLimit(limit + programBytes) }

// Bound makes --memory the bound of the whole command: opening the model, reading the bags, and all
// that is computed in the command's context.
func (f *MethodFlags) Bound(c *cobra.Command) {
	if f.Memory <= 0 {
		return
	}
	m := core.NewMemory(int64(f.Memory) * 1e6)
	BoundProcess(m.Limit())
	c.SetContext(core.WithMemory(c.Context(), m))
}

// Part returns a context for one bag, whose memory end releases.
func Part(ctx context.Context) (part context.Context, end func()) {
	m := core.MemoryOf(ctx)
	if m == nil {
		return ctx, func() {}
	}
	p := m.Part(m.Limit())
	return core.WithMemory(ctx, p), p.Close
}

// readWithin is readUntil into memory that it reserves. The size of a pipe is not known before it is
// read; the limit most bounds it.
func readWithin(
	ctx context.Context, m *core.Memory, name string, most int64,
) ([]byte, error) {
	if info, err := os.Stat(name); err == nil {
		if err := m.Reserve(info.Size(), "reading "+name); err != nil {
			return nil, err
		}
	}
	return readUntil(ctx, name, most)
}
