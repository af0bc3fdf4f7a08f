package onnxbackend

import (
	"context"
	"math"
)

// A Crew is helpers elsewhere, such as other Web Workers, that have the same file open under the same
// options. They do tasks by Model.Assist. A bag that is bound with a crew has the values it would have without.
type Crew struct {
	Helpers int
	// From is the least work that is shared, in multiplications; 0 shares all.
	From int
	// Ask has a helper do a task and returns its reply. It returns when ctx ends. An error means that the
	// helper is lost: it gets nothing more of what is under way. Ask is called concurrently.
	Ask func(ctx context.Context, helper int, task []byte) (reply []byte, err error)
}

// ahead is how many tasks a helper has at a time, so that it need not wait for the answer to one.
const ahead = 2

// Bounds of sharing among goroutines.
const (
	workFrom    = 1 << 24 // multiplications that are worth a second goroutine: a millisecond or two
	workOfPart  = 1 << 27 // multiplications of a task: some ten milliseconds, longer than a busy thread takes to hand out the next
	mostParts   = 256
	leastValues = 1 << 16 // of a bag, below which looking at a first block would cost more than sharing brings
	probeSize   = 5       // instances of the first block where blocks are shared: few, and as no other axis is likely to be long
	most        = math.MaxInt
	partsAPlace = 2
	encodeSpeed = 4 // times as many multiplications go by in a second when a bag is encoded as when coalitions are gathered
)

// spare reports how many helpers share a piece of work.
func (c *Crew) spare(work int) int {
	if c == nil || work < c.From {
		return 0
	}
	return c.Helpers
}

// partSize returns how many of n things a task holds when the whole is so much work and places share it. From
// 8 on it is a multiple of 8, for the sake of the kernels.
func partSize(n, work, places int) int {
	parts := min(max(work/workOfPart, partsAPlace*places), mostParts)
	size := (n + parts - 1) / parts
	if size >= 8 {
		size = (size + 7) &^ 7
	}
	return size
}

// times multiplies amounts of work, which may be beyond an int.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
