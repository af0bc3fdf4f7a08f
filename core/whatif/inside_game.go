package whatif

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/msg"
)

// changedInstances is an Evaluator of the bags in which some cells of some instances are hidden,
// the same ones in each. Its instances are the cells: a coalition holds those that are visible. It
// has one class: the mean of f over contexts.
type changedInstances struct {
	g         *core.Game // the bag as it is
	model     core.Model
	bag       *core.Bag
	shown     shownPictures
	instances []int
	class     int
	contexts  [][]uint64 // members among the other instances
	cells     int
	cellOf    []int                            // (value) cell
	hide      func(values []float32) []float32 // what values are if all cells are hidden
	binds     bool                             // each changed bag is bound
	empty     float64                          // v if all cells are hidden
	encoded   func(n int)                      // gets numbers of pictures that were encoded
}

// variantBytes bounds the memory of changed instances that are encoded together.
const variantBytes = 32 << 20

// sameScore is the relative difference of scores that rounding explains.
const sameScore = 1e-4

// begin sets Without, Whole and the notes of a map. It also scores the unchanged instances
// at the end of the bag: if that changes the score, or if the bag takes no more instances, each
// changed bag is bound.
func (c *changedInstances) begin(ctx context.Context, m *InsideMap) error {
	g, classes := c.g, c.g.Classes()
	all := make([]uint64, len(c.contexts[0]))
	rows.Fill(all, g.Instances())
	c.toggle(all)
	whole := core.NewCoalitions(g.Instances(), 1)
	whole.AppendWithout()
	want := make([]float64, classes)
	if err := g.Evaluator().Evaluate(ctx, want, whole); err != nil {
		return err
	}
	both := core.NewCoalitions(c.cells, 2)
	both.AppendWithout()
	both.AppendEmpty()
	variants, err := c.render(ctx, both, 0, 2)
	if err != nil {
		return err
	}
	scores, err := c.scores(ctx, variants, [][]uint64{all})
	if err != nil && !errors.As(err, new(*core.BagError)) {
		return err
	}
	_, extends := g.Evaluator().(core.Extender)
	if c.binds = !extends || err != nil || !sameScores(scores[0][:classes], want); c.binds {
		m.Notes = append(m.Notes, "the whole bag was encoded again for each set of visible cells, "+
			"because this model cannot exchange one instance, or reads their order or relations")
		if scores, err = c.scores(ctx, variants, [][]uint64{all}); err != nil {
			return err
		}
	}
	m.Without = scores[0][classes:]
	g.Convert(m.Without)
	if stats.NonFinite(m.Without) >= 0 {
		return c.unanswered(msg.Sprintf("the score of class %d is not finite if", c.class))
	}
	f, err := c.answered(ctx, variants, m)
	if err != nil {
		return err
	}
	m.Whole, c.empty = f[0]-f[1], f[1]
	return nil
}

// answered leaves out the contexts in which the variants have no answer, and returns the mean of f
// over the others with each variant.
func (c *changedInstances) answered(
	ctx context.Context, variants *core.Bag, m *InsideMap,
) ([]float64, error) {
	scores, err := c.scores(ctx, variants, c.contexts)
	if err != nil {
		return nil, err
	}
	f, kept := c.odds(scores, variants.Len()/len(c.instances)), 0
	u := core.Unanswered{Of: len(f), What: "contexts of the other instances"}
	for t, row := range f {
		if stats.NonFinite(row) >= 0 {
			u.Missing++
			continue
		}
		f[kept], c.contexts[kept] = row, c.contexts[t]
		kept++
	}
	if u.Most() {
		return nil, c.unanswered(u.String() + " where")
	}
	m.Notes = append(m.Notes, u.Notes()...)
	c.contexts = c.contexts[:kept]
	return means(f[:kept]), nil
}

// unanswered returns the error of an instance whose hidden parts leave no answer.
func (c *changedInstances) unanswered(what string) error {
	return &core.BagError{Bag: c.bag.Name, Reason: msg.Sprintf("%s parts of instance %d are "+
		"hidden; hide them in another way", msg.Text(what), c.instances[0])}
}

// sameScores reports whether scores differ by rounding only.
func sameScores(a, b []float64) bool {
	scale := 1.
	for _, v := range b {
		scale = max(scale, math.Abs(v))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= sameScore*scale) {
			return false
		}
	}
	return true
}

// Task implements Evaluator.
func (c *changedInstances) Task() core.Task {
	return core.Task{Instances: c.cells, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

// EmptyValue implements EmptyEvaluator: the value if all cells are hidden.
func (c *changedInstances) EmptyValue() []float64 { return []float64{c.empty} }

// Batch implements Batcher.
func (c *changedInstances) Batch() int { return core.BatchUnit }

// toggle adds the changed instances to members of the bag, or removes them.
func (c *changedInstances) toggle(members []uint64) {
	for _, i := range c.instances {
		rows.Toggle(members, i)
	}
}

// Evaluate implements Evaluator.
func (c *changedInstances) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	n := c.chunk()
	for lo := 0; lo < z.Len(); lo += n {
		hi := min(lo+n, z.Len())
		variants, err := c.render(ctx, z, lo, hi)
		if err != nil {
			return err
		}
		scores, err := c.scores(ctx, variants, c.contexts)
		if err != nil {
			return err
		}
		copy(dst[lo:hi], means(c.odds(scores, hi-lo)))
	}
	return nil
}

// chunk returns how many variants of an instance are encoded together: a power of two, so that the
// parts of a batch, and with them the rounding of scores, do not depend on the number of workers.
func (c *changedInstances) chunk() int {
	n, largest := core.BatchUnit, max(len(c.cellOf), len(c.instances)*c.bag.Stride())
	for n > 1 && 4*n*largest > variantBytes {
		n /= 2
	}
	return n
}

// render returns each instance as coalitions lo up to hi show it: (instance, coalition).
func (c *changedInstances) render(
	ctx context.Context, z *core.Coalitions, lo, hi int,
) (*core.Bag, error) {
	out := &core.Bag{Name: c.bag.Name, Shape: c.bag.Shape, Raw: c.bag.Raw}
	for _, i := range c.instances {
		original, err := c.shown.values(ctx, i)
		if err != nil {
			return nil, err
		}
		hidden, values := c.hide(original), make([]float32, 0, (hi-lo)*len(original))
		for j := lo; j < hi; j++ {
			row := z.Row(j)
			for at, cell := range c.cellOf {
				v := hidden[at]
				if rows.Has(row, cell) {
					v = original[at]
				}
				values = append(values, v)
			}
		}
		if values, err = c.shown.encode(ctx, i, values); err != nil {
			return nil, err
		}
		out.Values = append(out.Values, values...)
		if c.encoded != nil {
			c.encoded(hi - lo)
		}
	}
	return out, nil
}

// odds returns f, shaped (context, variant), of scores of n variants. It is NaN for a variant
// without an answer in a context.
func (c *changedInstances) odds(scores [][]float64, n int) [][]float64 {
	f := linear.NewMatrix(len(scores), n)
	for t, rows := range scores {
		c.g.Odds(f[t:t+1], rows, []int{c.class})
	}
	return f
}

// means returns the means over the rows of f. A mean is NaN if one of its values is.
func means(f [][]float64) []float64 {
	out := make([]float64, len(f[0]))
	for _, row := range f {
		for j, v := range row {
			out[j] += v / float64(len(f))
		}
	}
	return out
}

// scores returns the scores of contexts with each variant of the instances, on the task's scale:
// (context) of (variant, class).
func (c *changedInstances) scores(
	ctx context.Context, variants *core.Bag, contexts [][]uint64,
) ([][]float64, error) {
	ev, ok := c.g.Evaluator().(core.Extender)
	if !ok || c.binds {
		return c.bound(ctx, variants, contexts)
	}
	extended, err := ev.Extend(ctx, variants)
	if err != nil {
		return nil, err
	}
	k, each, classes := c.bag.Len(), len(c.instances), c.g.Classes()
	n := variants.Len() / each
	by, _ := extended.(core.NeighbourEvaluator)
	var out [][]float64
	for _, context := range contexts {
		others := core.NewCoalitions(k+each*n, 1)
		copy(others.AppendEmpty(), context)
		// A neighbour adds one variant.
		if each == 1 && by != nil && by.HasNeighbours() {
			values := make([]float64, (k+n+1)*classes)
			if err := by.EvaluateNeighbours(ctx, values, others.Row(0)); err != nil {
				return nil, err
			}
			out = append(out, values[k*classes:(k+n)*classes])
			continue
		}
		z := core.NewCoalitions(k+each*n, n)
		for j := range n {
			z.Append(others.Row(0))
			for at := range each {
				rows.Toggle(z.Row(j), k+at*n+j)
			}
		}
		values := make([]float64, n*classes)
		if err := extended.Evaluate(ctx, values, z); err != nil {
			return nil, err
		}
		out = append(out, values)
	}
	return out, nil
}

// bound is scores by way of binding each changed bag: its slow twin.
func (c *changedInstances) bound(
	ctx context.Context, variants *core.Bag, contexts [][]uint64,
) ([][]float64, error) {
	changed := *c.bag
	changed.Values = slices.Clone(c.bag.Values)
	z := core.NewCoalitions(c.bag.Len(), len(contexts))
	for t, context := range contexts {
		z.Append(context)
		c.toggle(z.Row(t))
	}
	out, values := make([][]float64, len(contexts)), make([]float64, len(contexts)*c.g.Classes())
	n := variants.Len() / len(c.instances)
	for j := range n {
		for at, i := range c.instances {
			copy(changed.Instance(i), variants.Instance(at*n+j))
		}
		ev, err := c.model.Bind(ctx, &changed)
		if err != nil {
			return nil, err
		}
		if err := core.CheckEvaluator(ev); err != nil {
			return nil, err
		}
		if err := ev.Evaluate(ctx, values, z); err != nil {
			return nil, err
		}
		for t := range out {
			out[t] = append(out[t], values[t*c.g.Classes():(t+1)*c.g.Classes()]...)
		}
	}
	return out, nil
}
