package workshare

import (
	"context"
	"math"
)

// Helpers is a pool of workers elsewhere, such as other Web Workers, that have the same file open
// under the same options. They do tasks by Model.RunTask. Sharing changes no result. A nil pool has
// no helper.
type Helpers struct {
	Count int
	// MinWork is the least work that is shared, in multiplications; 0 shares all.
	MinWork int
	// Send has a helper do a task and returns its reply. It returns when ctx ends. An error means
	// that the helper is lost: it gets no more tasks of the work under way. Send is called
	// concurrently.
	Send func(ctx context.Context, helper int, task []byte) (reply []byte, err error)
}

// For returns how many helpers share a piece of work, which is counted in multiplications.
func (h *Helpers) For(work int) int {
	if h == nil || work < h.MinWork {
		return 0
	}
	return h.Count
}

// Sizes of tasks.
const (
	workOfTask = 1 << 27 // multiplications: some 10 ms, in which a busy thread hands out the next
	maxTasks   = 256
	minTasks   = 2 // tasks for each worker
)

// TaskSize returns how many of n items a task holds if all of them are so much work and places
// share them. From 8 on it is a multiple of 8, because kernels compute 8 rows at a time.
func TaskSize(n, work, places int) int {
	tasks := min(max(work/workOfTask, minTasks*places), maxTasks)
	size := (n + tasks - 1) / tasks
	if size >= 8 {
		size = (size + 7) &^ 7
	}
	return size
}

// Times multiplies amounts of work. A product that overflows is math.MaxInt.
func Times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
