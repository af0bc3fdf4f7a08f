package onnxbackend

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
)

// What pooling and surrogates take the CPU, in the multiplications that threadSpeed counts: sums over members go through tables
// of subsets, a line of 16 columns at a time, which is a quarter of a product's work; the first members in an order are looked up one by
// one; a Gram matrix of 1000 rows and columns takes 12 ms.
const (
	sumShare   = 4
	lineOf     = 16
	walkWork   = 16
	gramShare  = 3
	batchesDue = 4  // over how many full batches of coalitions the upload of a bag is spread: a few thousand coalitions
	walkMost   = 64 // places that an order is walked down on average, beyond which the CPU reads members instead
)

// poolCost is what pooling n coalitions takes.
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

// A deviceBound is what a Bound knows of the device.
type deviceBound struct{ hadDevice bool } // there was one when the bag was bound

// A devicePart is the device's part in a maskedWay.
type devicePart struct {
	onDevice bool // it holds what the plan pools
	walks    bool // some of it in an order
	proving  bool // it is asked whether that pays or not
	cost     func(n int) device.Cost
}

// prove says whether the way is being compared with the CPU's.
func (w *maskedWay) prove(is bool) { w.proving = is }

func (b *Bound) meetDevice() { b.hadDevice = b.m.device.ready() }

// holdOnDevice has the device hold what a plan pools, if full batches of coalitions pay for that.
func (b *Bound) holdOnDevice(w *maskedWay) {
	a, k := b.m.device, b.task.Instances
	if !a.ready() || a.device.Software() && !a.always {
		return
	}
	what := w.plan.Pooled()
	if len(what) == 0 {
		return
	}
	upload := 0
	for _, p := range what {
		upload += 4 * (len(p.Values) + 2*len(p.Order))
		w.walks = w.walks || p.Take > 0
	}
	c := poolCost(what, k, maskedBatch)
	c.Up += upload / batchesDue
	if !a.always && !pays(c, b.m.workers) {
		return
	}
	pooler, err := a.device.Hold(k, what)
	a.retreats(err)
	if err != nil || pooler == nil {
		return
	}
	w.plan.Hold(pooler)
	w.onDevice = true
	w.cost = func(n int) device.Cost { return poolCost(what, k, n) }
}

// askDevice says whether the device pools a runner's next set.
func (b *Bound) askDevice(w *maskedWay, r *masked.Runner, set masked.Set) {
	a := b.m.device
	asks := w.onDevice && set.Z != nil && a.ready()
	if asks && !a.always && !w.proving {
		asks = pays(w.cost(set.Len()), b.m.workers) && !r.Grows(set) && !(w.walks && sparse(&set))
	}
	r.Ask(asks)
}

// sparse reports whether coalitions have so few members that an order is walked far to meet one.
func sparse(z *masked.Set) bool {
	places := 0
	for j := range z.Len() {
		places += z.Z.Instances() / max(z.Size(j), 1)
	}
	return places > walkMost*z.Len()
}

// refusedByDevice reports whether a run of a runner has to begin again on the CPU. A device that could not be proved is not asked again for the
// bag.
func (b *Bound) refusedByDevice(w *maskedWay, r *masked.Runner, err error) bool {
	if !b.m.device.retreats(err) {
		return false
	}
	r.Ask(false)
	w.onDevice = w.onDevice && !w.proving
	return true
}

// retreats reports whether an error is the device's, which is used no more if it says so.
func (a *accelerator) retreats(err error) bool {
	var back *device.Retreat
	if !errors.As(err, &back) {
		return false
	}
	if back.Lost {
		a.lose(back.Reason)
	}
	return true
}

// usedDevice reports whether the device has a part in what a way computes.
func (b *Bound) usedDevice(w way) bool {
	m, ok := w.(*maskedWay)
	return b.onDevice || ok && m.onDevice
}

// notePool says that the device pools.
func (b *Bound) notePool(w *maskedWay) {
	a := b.m.device
	switch {
	case !w.onDevice || !a.ready():
	case a.always:
		b.notes = append(b.notes, a.device.Name()+" pools coalitions.")
	default:
		b.notes = append(b.notes, a.device.Name()+" pools coalitions where that pays.")
	}
}

// told returns the notes, with what has become of the device since the bag was bound.
func (b *Bound) told() []string {
	notes := slices.Clone(b.notes)
	if b.hadDevice && !b.m.device.ready() {
		notes = append(notes, b.m.device.lostNote())
	}
	return notes
}

// ready reports whether there is a device that computes.
func (a *accelerator) ready() bool { return a != nil && a.lost.Load() == nil }

// products returns the products of surrogates, of which the device computes those that pay.
func (b *Bound) products() core.Arithmetic {
	a := b.m.device
	if !a.ready() || a.device.Software() && !a.always {
		return arithmetic{}
	}
	return deviceArithmetic{on: a}
}

type deviceArithmetic struct {
	arithmetic
	on *accelerator
}

// GramAtOnce implements core.GramAtOnce.
func (x deviceArithmetic) GramAtOnce(ctx context.Context, dst []float64, z *core.Coalitions, w []float64) (done bool, err error) {
	n, k := z.Len(), z.Instances()
	c := device.Cost{Work: n * k / gramShare * k, Up: 8 * (len(z.Words()) + n), Down: 4 * k * k, Waits: 1}
	if !x.on.ready() || n == 0 || !x.on.always && !pays(c, 1) {
		return false, nil
	}
	done, err = x.on.device.Gram(ctx, dst, z.Words(), rowWords(z), n, k, w)
	if x.on.retreats(err) {
		clear(dst)
		return false, nil
	}
	return done, err
}
