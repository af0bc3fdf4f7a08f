/*
Package offload decides which work of a model goes to a device, such as a graphics processor.

A device encodes bags, pools coalitions and multiplies the matrices of surrogates if an estimate
says that it is faster than the CPU. If it fails, the CPU begins again, and a lost device is not
used any more. All methods of a nil *Model are those of a CPU without a device.
*/
package offload

import (
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Model is a model's use of a device. It is safe for concurrent use.
type Model struct {
	device.Loaded
	device  device.Device
	always  bool
	threads int // CPU threads
	limits  machine.Limits
	lost    atomic.Pointer[string] // the reason why the device is lost, nil while it is not
	trial   trial
}

// New returns the use of a device, nil if there is none. With always the device does whatever it
// has a kernel for. threads is how many threads the CPU would use.
func New(d device.Device, always bool, threads int, limits machine.Limits) *Model {
	if d == nil {
		return nil
	}
	return &Model{Loaded: d.Load(), device: d, always: always, threads: threads, limits: limits}
}

// Assumptions about machines before anything is measured. The first is what the kernels reach on a
// current processor. The others are those of modest devices, so that work which pays by these
// numbers pays more on others.
const (
	threadSpeed   = 30e9 // multiplications a second of one thread
	deviceGain    = 10   // how much faster the device is
	crossingSpeed = 4e9  // bytes a second to and from it
	waitSeconds   = 1e-3 // seconds of one wait
)

// pays reports whether the device computes a run sooner than a number of threads.
func pays(c device.Cost, threads int) bool {
	alone := float64(c.Work) / (threadSpeed * float64(threads))
	crossing := float64(c.Up+c.Down) / crossingSpeed
	return alone > alone/deviceGain+crossing+float64(c.Waits)*waitSeconds
}

// Ready reports whether there is a device that computes.
func (m *Model) Ready() bool { return m != nil && m.lost.Load() == nil }

// paysEver reports whether the device may compute anything: it is ready and no program on the CPU.
func (m *Model) paysEver() bool { return m.Ready() && (m.always || !m.device.Software()) }

// An Input gives a value's type and shape to a run that is only estimated.
type Input struct {
	ID     int
	Tensor tensor.Tensor // no elements
}

// try returns what a run of a program would cost the device.
func (m *Model) try(p *plan.Program, in Input) device.Cost {
	limits := machine.Limits{Elements: m.limits.Elements, Bytes: m.limits.Bytes}
	return p.Try(m.Session(true), limits, map[int]*tensor.Tensor{in.ID: &in.Tensor})
}

// Takes reports whether the device computes a run of a program.
func (m *Model) Takes(p *plan.Program, in Input) bool {
	if !m.paysEver() {
		return false
	}
	return m.always || pays(m.try(p, in), m.threads)
}

// unknownBlocks is how many times larger than the CPU's blocks those of a device are if it is not
// known how large the values are.
const unknownBlocks = 4

// BlockOf returns how many of k instances go to the device at a time: as many as it can hold the
// largest value of, and all values in half of its memory. The other half has weights, results and
// the next block. in is an input of n instances. few is the size of the CPU's blocks, which bounds
// the result if shapes of values are unknown. The result is 0 if the device computes nothing.
func (m *Model) BlockOf(p *plan.Program, in Input, n, k, few int) int {
	if !m.paysEver() {
		return 0
	}
	c := m.try(p, in)
	rows := func(limit, bytes int) int {
		each := bytes / n
		if each == 0 { // no value grows with the number of instances
			return k
		}
		return max(1, min(k, limit/each))
	}
	most := min(rows(m.device.LargestTensor(), c.Largest), rows(m.device.Memory()/2, c.Peak))
	if c.Unknown > 0 {
		return min(most, unknownBlocks*few)
	}
	return most
}

// Begin has a runner use the device for its next run.
func (m *Model) Begin(r *plan.Runner) { r.Use(m.Session(false)) }

// End closes what Begin has opened. It reports whether a run that ended with err must begin again
// on the CPU.
func (m *Model) End(r *plan.Runner, err error) bool {
	r.Unuse()
	if !m.Retreats(err) {
		return false
	}
	r.Use(nil)
	return true
}

// Retreats reports whether an error is the device's. A lost device is not used any more.
func (m *Model) Retreats(err error) bool {
	var back *device.Retreat
	if !errors.As(err, &back) {
		return false
	}
	if back.Lost {
		m.Lose(back.Reason)
	}
	return true
}

// Lose ends the use of the device.
func (m *Model) Lose(why string) { m.lost.CompareAndSwap(nil, &why) }

// LostNote says that the device was lost, "" if it was not.
func (m *Model) LostNote() string {
	if m == nil || m.Ready() {
		return ""
	}
	return m.device.Name() + " was lost (" + *m.lost.Load() + "): the CPU computed what it had not."
}

// Encoded reports whether the device computed a part of a runner's last run.
func Encoded(r *plan.Runner) bool { return r.Cost().Nodes > 0 }

// Notes says what computed a runner's last run, in sentences, if there is a device. what names the
// input: the bag, or the pictures of an encoder.
func (m *Model) Notes(r *plan.Runner, what string) []string {
	if m == nil {
		return nil
	}
	if lost := m.LostNote(); lost != "" {
		return []string{lost}
	}
	name := m.device.Name()
	notes := []string{"The CPU encoded the " + what + ": " + name +
		" was there and would not have paid, or could not compute it."}
	if Encoded(r) {
		notes[0] = name + " encoded the " + what + ": it computed " + strconv.Itoa(r.Cost().Nodes) +
			" of " + strconv.Itoa(len(r.Program().Steps())) + " steps."
	}
	if rates := m.ratesNote(); rates != "" {
		notes = append(notes, rates)
	}
	return notes
}
