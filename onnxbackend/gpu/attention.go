//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Attention is the product of Softmax(alpha a·b) and values, for a batch of heads. One kernel
// computes it, and never writes the scores alpha a·b, which have a row and a column for each place.
// Nodes arrive one by one, so that a product of two values on the device is postponed. What reads
// it decides: a factor and a Softmax are postponed with it, a product with values is the attention,
// and anything else needs the scores, which are then computed.

// scores are a value that is postponed: alpha a·b, or the Softmax of its rows.
type scores struct {
	call    call // records the product
	product product
	a, b    *tensor.Tensor // the factors under other names, which keep their buffers
	soft    bool
}

// widestHead is the largest number of values of a place that attention.wgsl supports.
const widestHead = 64

// postpone postpones a product of two values on the device. It reports false for other products.
func (c *call) postpone(p product, shape []int) (bool, error) {
	n, ok := tensor.Count(shape)
	rounds := (p.n/64 + 1) * (p.k + 128) // rounds of the loops in attention.wgsl
	if !ok || n == 0 || 4*n > c.p.binding || rounds > longestLoop || len(c.in) != 2 ||
		c.n.Activation != nil || p.k == 0 || c.at[c.in[0]] == nil || c.at[c.in[1]] == nil {
		return false, nil
	}
	for _, t := range c.in {
		if err := c.settle(t); err != nil {
			return false, err
		}
	}
	c.cost.Largest = max(c.cost.Largest, 4*n) // blocks must be so small that they can be computed
	c.later(scores{call: *c, product: p, a: c.in[0], b: c.in[1]}, shape)
	return true, nil
}

// later makes the output a postponed value.
func (c *call) later(s scores, shape []int) {
	for _, t := range []**tensor.Tensor{&s.a, &s.b} {
		v, other := c.at[*t], &tensor.Tensor{Type: (*t).Type, Shape: slices.Clone((*t).Shape)}
		v.refs++
		c.keep(other, value{buffer: v.buffer, onCPU: true}) // nobody fetches it
		*t = other
	}
	c.out.Type, c.out.Block, c.out.Words = tensor.Float32, nil, nil
	c.out.Shape = append(c.out.Shape[:0], shape...)
	c.keep(c.out, value{scores: &s})
}

// postponed returns the scores of a value, or nil if it is not postponed or soft is not as wanted.
func (c *call) postponed(t *tensor.Tensor, soft bool) *scores {
	if v := c.at[t]; v != nil && v.scores != nil && v.scores.soft == soft {
		return v.scores
	}
	return nil
}

// scale postpones a product or quotient of scores and a number. It reports false for others.
func (c *call) scale() bool {
	x, by := c.in[0], c.in[1]
	kind := deviceOf(c.n)
	if kind == "mul" && c.postponed(by, false) != nil {
		x, by = by, x
	}
	s := c.postponed(x, false)
	if s == nil || kind != "mul" && kind != "div" || by.Rank() > x.Rank() {
		return false
	}
	v, ok := one(by)
	if kind == "div" {
		v = 1 / v
	}
	if !ok || v-v != 0 {
		return false
	}
	scaled := *s
	scaled.product.alpha *= v
	c.later(scaled, x.Shape)
	return true
}

// soften postpones the Softmax of the rows of scores. It reports false for other lines.
func (c *call) soften(l line) bool {
	s := c.postponed(c.in[0], false)
	if s == nil || l.inner != 1 || l.n != s.product.n {
		return false
	}
	soft := *s
	soft.soft = true
	c.later(soft, c.in[0].Shape)
	return true
}

// attend records the attention if p, with a result of a shape, multiplies the Softmax of scores by
// values. It reports false for other products.
func (c *call) attend(p product, shape []int) (bool, error) {
	s := c.postponed(c.in[0], true)
	if s == nil || p.n > widestHead || len(c.in) != 2 || c.n.Activation != nil ||
		p.batch != s.product.batch || p.m != s.product.m || p.k != s.product.n {
		return false, nil
	}
	q := &s.product
	with := q.params(function{}, nil)
	with.ints(19, 1, p.n, p.bEach)
	groups := q.batch * ((q.m + 63) / 64)
	work := q.batch * q.m * q.n * (q.k + p.n)
	return c.result("attention", with, groups, work, shape, s.a, s.b, c.in[1])
}

// settle computes a value that is postponed, since something other than attention reads it. If
// memory is full it returns a *device.Retreat, because the CPU does not have the value either.
func (s *session) settle(t *tensor.Tensor) error {
	v := s.at[t]
	if v == nil || v.scores == nil {
		return nil
	}
	delete(s.at, t)
	defer s.drop(v.scores.a)
	defer s.drop(v.scores.b)
	c, q := v.scores.call, v.scores.product
	made := t
	if v.scores.soft {
		made = &tensor.Tensor{}
		defer s.drop(made)
	}
	c.in, c.out = []*tensor.Tensor{v.scores.a, v.scores.b}, made
	shape := slices.Clone(t.Shape)
	done, err := c.product(q, shape, c.in[0], c.in[1], nil)
	if v.scores.soft && done && err == nil {
		c.out = t
		rows := elements(shape) / q.n
		done, err = c.along(line{kind: kindSoftmax, outer: rows, n: q.n, inner: 1}, shape, made)
	}
	if err == errFull || err == nil && !done {
		err = s.p.retreat(errFull.Error())
	}
	return err
}

// settleAll settles values that the CPU reads.
func (s *session) settleAll(values []*tensor.Tensor) error {
	return s.p.use(func() error {
		for _, t := range values {
			if err := s.settle(t); err != nil {
				return err
			}
		}
		return nil
	})
}
