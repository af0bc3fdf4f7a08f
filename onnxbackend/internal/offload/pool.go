package offload

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
)

// The cost of pooling on the CPU, in the multiplications that threadSpeed counts. Sums over members
// go through tables of subsets, 16 columns at a time, at a quarter of a product's cost. The first
// members in an order are looked up one by one.
const (
	sumShare = 4
	lineOf   = 16
	walkWork = 16
	// full batches over which the upload of a bag is spread: a few thousand coalitions
	batchesDue = 4
	walkMost   = 64 // steps along an order on average; beyond, the CPU reads the members instead
)

// poolCost returns what pooling n coalitions costs.
func poolCost(what []device.Pooled, k, n int) device.Cost {
	c := device.Cost{Up: n * (k + 63) / 64 * 8, Waits: 1}
	for i := range what {
		p := &what[i]
		c.Down += 4 * n * p.Width()
		if p.Take == 0 {
			c.Work += n * ((p.Columns + lineOf - 1) / lineOf * lineOf) * k / sumShare
		} else {
			c.Work += n * p.Width() * walkWork
		}
	}
	return c
}

// A Pool is the device's part in pooling the coalitions of one bag. A nil Pool is the CPU's alone.
type Pool struct {
	m         *Model
	what      []device.Pooled
	k         int
	walks     bool // some of it follows an order
	verifying bool // whether it pays does not count
	dropped   bool // verification failed on the device
}

// Hold uploads what a plan pools of a bag of k instances, if that pays for full batches of
// coalitions. It returns nil if it does not, or if the device cannot hold it.
func (m *Model) Hold(p *masked.Plan, k, batch int) *Pool {
	if !m.paysEver() {
		return nil
	}
	pool := &Pool{m: m, what: p.Pooled(), k: k}
	if len(pool.what) == 0 {
		return nil
	}
	upload := 0
	for _, w := range pool.what {
		upload += 4 * (len(w.Values) + 2*len(w.Order))
		pool.walks = pool.walks || w.Take > 0
	}
	c := poolCost(pool.what, k, batch)
	c.Up += upload / batchesDue
	if !m.always && !pays(c, m.threads) {
		return nil
	}
	held, err := m.device.Hold(k, pool.what)
	m.Retreats(err)
	if err != nil || held == nil {
		return nil
	}
	p.SetPooler(held)
	return pool
}

// Used reports whether the device holds what is pooled.
func (p *Pool) Used() bool { return p != nil && !p.dropped }

// Verify says whether the device's results are being compared with the CPU's: it computes then
// whether that pays or not.
func (p *Pool) Verify(on bool) {
	if p != nil {
		p.verifying = on
	}
}

// Ask decides whether the device pools a runner's next set.
func (p *Pool) Ask(r *masked.Runner, set masked.Set) {
	asks := p.Used() && set.Z != nil && p.m.Ready()
	if asks && !p.m.always && !p.verifying {
		cost := poolCost(p.what, p.k, set.Len())
		asks = pays(cost, p.m.threads) && !r.Grows(set) && !(p.walks && sparse(&set))
	}
	r.UseDevice(asks)
}

// sparse reports whether coalitions have so few members that most steps along an order meet none.
func sparse(z *masked.Set) bool {
	steps := 0
	for j := range z.Len() {
		steps += z.Z.Instances() / max(z.Size(j), 1)
	}
	return steps > walkMost*z.Len()
}

// Refused reports whether a run of a runner must begin again on the CPU. A device that fails while
// it is verified is not used again for the bag.
func (p *Pool) Refused(r *masked.Runner, err error) bool {
	if p == nil || !p.m.Retreats(err) {
		return false
	}
	r.UseDevice(false)
	p.dropped = p.dropped || p.verifying
	return true
}

// Note says that the device pools, "" if it does not.
func (p *Pool) Note() string {
	switch {
	case !p.Used() || !p.m.Ready():
		return ""
	case p.m.always:
		return p.m.device.Name() + " pools coalitions."
	}
	return p.m.device.Name() + " pools coalitions where that pays."
}
