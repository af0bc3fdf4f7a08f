package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// drawn returns n coalitions of k instances. Each instance is a member with probability one half.
func drawn(n, k int) *core.Coalitions {
	r, z := rand.New(rand.NewPCG(3, 3)), core.NewCoalitions(k, n)
	for range n {
		row := z.AppendEmpty()
		for i := range row {
			row[i] = r.Uint64()
		}
		// Bits beyond the last instance must be 0.
		if k%64 > 0 {
			row[len(row)-1] &= 1<<(k%64) - 1
		}
		row[0] |= 1 // no coalition may be empty
	}
	return z
}

// bind returns evaluators of a bag of k instances on the CPU and on the device.
func (c benchCase) bind(k int, device onnxbackend.Device) (cpu, gpu core.Evaluator, err error) {
	onCPU, onDevice, err := c.models(device)
	if err != nil {
		return nil, nil, err
	}
	bag := c.bag(k)
	cpu, cpuErr := onCPU.Bind(context.Background(), bag)
	gpu, gpuErr := onDevice.Bind(context.Background(), bag)
	return cpu, gpu, cmp.Or(cpuErr, gpuErr)
}

// measurePool evaluates a batch of coalitions of a large bag. The CPU uses one thread, because each
// worker of an explanation has its own batch.
func measurePool(device onnxbackend.Device, o options) (r row, err error) {
	const n = 1024
	r = row{name: "pool", instances: max(1, int(100_000*o.scale)),
		how: fmt.Sprintf("; %d coalitions of a bound bag, one thread", n)}
	r.part = r.instances
	cpu, gpu, err := benchCase{shape: []int{1024}, layers: headed}.bind(r.instances, device)
	if err != nil {
		return r, err
	}
	z := drawn(n, r.instances)
	score := func(ev core.Evaluator) func() ([]float64, error) {
		return func() ([]float64, error) {
			y := make([]float64, n*ev.Task().Classes)
			return y, ev.Evaluate(context.Background(), y, z)
		}
	}
	return r, r.compare(o, score(cpu), score(gpu))
}

// measureGram computes the Gram matrix of a surrogate with weights of several magnitudes.
func measureGram(device onnxbackend.Device, o options) (r row, err error) {
	k := max(1, int(4000*o.scale))
	r = row{name: "gram", instances: k, part: k,
		how: fmt.Sprintf("; %d coalitions, one thread", 2*k)}
	cpu, gpu, err := benchCase{shape: []int{1024}, layers: headed}.bind(3, device)
	if err != nil {
		return r, err
	}
	z, w, random := drawn(2*k, k), make([]float64, 2*k), rand.New(rand.NewPCG(4, 4))
	for i := range w {
		w[i] = random.ExpFloat64()
	}
	gram := func(ev core.Evaluator) func() ([]float64, error) {
		by := ev.(core.Calculator).Arithmetic()
		return func() ([]float64, error) {
			g := make([]float64, k*k)
			// A device computes the matrix in one call if it has memory for all operands.
			if at, ok := by.(core.GramAtOnce); ok {
				if done, err := at.GramAtOnce(context.Background(), g, z, w); done || err != nil {
					return g, err
				}
			}
			by.Gram(g, z, w)
			return g, nil
		}
	}
	return r, r.compare(o, gram(cpu), gram(gpu))
}
