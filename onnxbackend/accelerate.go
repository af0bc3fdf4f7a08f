package onnxbackend

import (
	"strconv"
	"sync/atomic"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An accelerator is a model's use of a device.
type accelerator struct {
	device.Loaded
	device Device
	always bool
	lost   atomic.Pointer[string] // why it is used no more, nil while it is
}

func newAccelerator(o Options) *accelerator {
	if o.Device == nil {
		return nil
	}
	return &accelerator{Loaded: o.Device.Load(), device: o.Device, always: o.DeviceAlways}
}

// What is taken for granted of machines before anything is measured on the one at hand: multiplications a second of one
// thread's kernels, how much faster a device is, bytes a second to and from it, and seconds that a wait for it takes. The
// first is what the kernels reach on a processor of today; the others are of modest devices, so that what pays by these
// numbers pays by more on others.
const (
	threadSpeed   = 30e9
	deviceGain    = 10
	crossingSpeed = 4e9
	waitSeconds   = 1e-3
)

// pays reports whether a device computes a run sooner than so many threads do.
func pays(c device.Cost, threads int) bool {
	alone := float64(c.Work) / (threadSpeed * float64(threads))
	return alone > alone/deviceGain+float64(c.Up+c.Down)/crossingSpeed+float64(c.Waits)*waitSeconds
}

// try returns what a run of a program on a bag placed at would cost the device.
func (a *accelerator) try(m *Model, p *plan.Program, at signature.Layout) device.Cost {
	input := &tensor.Tensor{Type: m.sig.Input().Type.Runtime(), Shape: at.Shape}
	return p.Try(a.Session(true), machine.Limits{Elements: m.limits.Elements, Bytes: m.limits.RunBytes}, map[int]*tensor.Tensor{m.sig.Input().ID: input})
}

// uses reports whether the device computes a program's run on a bag placed at.
func (a *accelerator) uses(m *Model, p *plan.Program, at signature.Layout) bool {
	if a == nil || a.lost.Load() != nil {
		return false
	}
	return a.always || !a.device.Software() && pays(a.try(m, p, at), m.workers)
}

// takes is uses for the whole graph and a block of a bag.
func (a *accelerator) takes(m *Model, block signature.Fitted) bool {
	return a.uses(m, m.forward, block.Layout)
}

// fits returns how many of rows instances go to the device at a time, so that it holds the largest value of a layer; all, where
// that does not grow with their number.
func (a *accelerator) fits(m *Model, bag signature.Fitted, rows int) int {
	few := bag.Part(0, min(probeSize, bag.Len()))
	if a == nil || a.lost.Load() != nil || !a.always && a.device.Software() {
		return rows
	}
	largest := a.try(m, m.forward, few.Layout).Largest / few.Len()
	if largest == 0 {
		return rows
	}
	return max(1, min(rows, a.device.LargestTensor()/2/largest)) // a bag of less than two blocks goes at once
}

// begin has a runner compute what the device can of its next run.
func (a *accelerator) begin(m *Model, r *plan.Runner, at signature.Layout) {
	var s device.Session
	if a.uses(m, r.Program(), at) {
		s = a.Session(false)
	}
	r.Use(s)
}

// end closes what begin has opened. It reports whether a run that ended with err has to begin again on the CPU.
func (a *accelerator) end(r *plan.Runner, err error) bool {
	r.Unuse()
	if !a.retreats(err) {
		return false
	}
	r.Use(nil)
	return true
}

// lose ends the use of the device.
func (a *accelerator) lose(why string) { a.lost.CompareAndSwap(nil, &why) }

func (a *accelerator) lostNote() string {
	return a.device.Name() + " was lost (" + *a.lost.Load() + "): the CPU computed what it had not."
}

// encoded reports whether the device computed some of a bag.
func (a *accelerator) encoded(f *forward) bool { return f.whole().runner.Cost().Nodes > 0 }

// notes says who encoded a bag, when there was a choice.
func (a *accelerator) notes(f *forward) []string {
	if a == nil {
		return nil
	}
	name, cost := a.device.Name(), f.whole().runner.Cost()
	if a.lost.Load() != nil {
		return []string{a.lostNote()}
	}
	if cost.Nodes == 0 {
		return []string{"The CPU encoded the bag: " + name + " was there and would not have paid, or could not compute it."}
	}
	return []string{name + " encoded the bag: it computed " + strconv.Itoa(cost.Nodes) + " of " + strconv.Itoa(len(f.whole().runner.Program().Steps())) + " steps."}
}
