package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// sample is the number of instances of the first run that measures memory. The second has twice as
// many.
const sample = 32

// Needs estimates the most bytes that a bag and its binding take at a time: the values of the bag,
// what operators take for one block of instances in the prefix and for the whole bag in the suffix,
// and three times the boundary values (as they are, weighted, and laid out for pooling). It runs
// the graph on a few instances. What grows faster than their number is assumed to grow with its
// square. Errors are those of Bind.
func (m *Model) Needs(ctx context.Context, bag *core.Bag) (bytes int64, err error) {
	defer fault.Rescue(&err)
	if h := m.headFor(bag); h != nil {
		return h.Needs(ctx, bag)
	}
	f, err := m.sig.Fit(bag)
	if err != nil {
		return 0, err
	}
	bytes = 4 * int64(len(bag.Values))
	var probes [2]*memoryProbe
	for i, n := range []int{sample, 2 * sample} {
		probes[i], err = m.probeMemory(ctx, f.Part(0, min(n, bag.Len())))
		if err != nil || probes[i] == nil {
			return 2 * bytes, err // the graph does not run on few instances: the bag and a copy
		}
	}
	few, more := probes[0], probes[1]
	boundary := 0.0 // bytes of the boundary values of one instance
	for _, id := range few.Boundary() {
		p := few.Places[id]
		if n, _ := tensor.Count(p.Shape); p.Class == ops.Instance && id != m.sig.Input().ID {
			boundary += float64(n) / float64(few.Instances()) * float64(p.Type.Size())
		}
	}
	k := bag.Len()
	// Three blocks: the first, the others in turn, and a last one of another size.
	block := min(k, 3*m.encoder.Rows(f))
	a, b := few.Instances(), more.Instances()
	steps := grown(a, few.prefix, b, more.prefix, block) + grown(a, few.whole, b, more.whole, k)
	return bytes + int64(min(steps+3*boundary*float64(k), 1<<62)), nil
}

// grown returns the bytes of n instances if a of them take x bytes and b take y: in proportion to
// their number beside a fixed part, or to its square. The allocator rounds blocks of memory up by
// as much as an eighth.
func grown(a int, x float64, b int, y float64, n int) float64 {
	if n <= b {
		return y
	}
	more := float64(n-b) * (y - x) / float64(max(1, b-a))
	if y > 2.5*x { // twice the instances take 2 times the bytes if they grow in proportion, else 4
		more = y * (float64(n)/float64(b)*(float64(n)/float64(b)) - 1)
	}
	return 9. / 8 * (y + max(0, more))
}

// A memoryProbe is an analysis that measures the machine's memory that each step takes, in bytes.
type memoryProbe struct {
	*prefix.Analysis
	runner        *plan.Runner
	total         int     // bytes after the step before
	prefix, whole float64 // bytes of the steps that treat instances alone, and of the others
}

// After implements plan.Observer.
func (p *memoryProbe) After(s *plan.Step, in, out []*tensor.Tensor) {
	p.Analysis.After(s, in, out)
	// Frees of the step count too: what a step adds is what it holds more than the step before.
	before := p.total
	p.total = p.runner.Machine().Held()
	to := &p.prefix
	if slices.ContainsFunc(s.Node.Out, func(id int) bool {
		return id >= 0 && p.Places[id].Class == ops.Whole
	}) {
		to = &p.whole
	}
	*to += float64(p.total - before)
}

// probeMemory runs the graph on a few instances. The result is nil without an error if the graph
// takes no such bag.
func (m *Model) probeMemory(ctx context.Context, few signature.Fitted) (*memoryProbe, error) {
	r := m.encoder.NewRunner()
	defer r.Close()
	p := &memoryProbe{Analysis: m.encoder.NewAnalysis(few), runner: r}
	err := m.encoder.Run(ctx, r, few, p)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil
	}
	return p, nil
}
