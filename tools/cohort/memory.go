package cohort

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/bagscope/bagscope/core/quota"
)

// programBytes is what the program, Beam and its engine take beside the memory that is bounded.
const programBytes = 100 << 20

// maxMemory is the largest limit, in MB: it must not overflow as bytes.
const maxMemory = 1 << 30

// memories holds the memory of this process by its limit in MB, an int.
var memories sync.Map

// memory returns the memory that all lines of this process share, or nil for no limit.
func (c *config) memory() *quota.Memory {
	if c.Memory == 0 {
		return nil
	}
	m := quota.NewMemory(int64(c.Memory) * 1e6)
	shared, known := memories.LoadOrStore(c.Memory, m)
	if !known {
		debug.SetMemoryLimit(m.Limit() + programBytes)
	}
	return shared.(*quota.Memory)
}

// bounded calls work for a line in a part of the memory of this process, which it releases. It
// returns a *quota.MemoryBusyError if the line found the memory held by other lines.
func (c *config) bounded(
	ctx context.Context, l *Line,
	work func(ctx context.Context, l *Line) (key string, r *record, err error),
) (key string, r *record, err error) {
	m := c.memory()
	if m == nil {
		return work(ctx, l)
	}
	part := m.Part(m.Limit())
	defer part.Close()
	key, r, err = work(quota.WithMemory(ctx, part), l)
	if busy := part.Busy(); busy != nil {
		return "", nil, busy
	}
	return key, r, err
}

// isBusy reports whether a line must be tried again alone.
func isBusy(err error) bool { return errors.As(err, new(*quota.MemoryBusyError)) }
