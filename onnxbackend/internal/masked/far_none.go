//go:build js && !gpu

package masked

// far and farRun are nothing in the small program for browsers, in which the CPU pools.
type (
	far    = struct{}
	farRun = struct{}
)

func (*Runner) fetch() error { return nil }

func (*Runner) pooled(any) []float32 { return nil }

func met(_, _ []float32, _ int) bool { return false }
