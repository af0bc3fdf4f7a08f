package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// drawn returns n coalitions that hold each of k instances by a fair coin.
func drawn(n, k int) *core.Coalitions {
	r, z := rand.New(rand.NewPCG(3, 3)), core.NewCoalitions(k, n)
	for range n {
		row := z.AppendEmpty()
		for i := range row {
			row[i] = r.Uint64()
		}
		if k%64 > 0 {
			row[len(row)-1] &= 1<<(k%64) - 1
		}
		row[0] |= 1 // none is empty
	}
	return z
}

// bound binds a bag of a case on the CPU and on the device.
func (c benchCase) bound(k int, device onnxbackend.Device) (alone, far core.Evaluator, err error) {
	cpu, gpu, err := c.models(device)
	if err != nil {
		return nil, nil, err
	}
	bag := c.bag(k)
	if alone, err = cpu.Bind(context.Background(), bag); err != nil {
		return nil, nil, err
	}
	far, err = gpu.Bind(context.Background(), bag)
	return alone, far, err
}

// measurePool scores a batch of coalitions of a large bag. The CPU's is that of one thread, as each
// worker of an explanation has a batch.
func measurePool(device onnxbackend.Device, o options) (r row, err error) {
	const n = 1024
	r = row{name: "pool", instances: max(1, int(100_000*o.scale)),
		how: fmt.Sprintf("; %d coalitions of a bound bag, one thread", n)}
	r.part = r.instances
	alone, far, err := benchCase{shape: []int{1024}, layers: headed}.bound(r.instances, device)
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
	return r, r.compare(o, score(alone), score(far))
}

// measureGram makes the Gram matrix of a surrogate with weights of several magnitudes.
func measureGram(device onnxbackend.Device, o options) (r row, err error) {
	k := max(1, int(4000*o.scale))
	r = row{name: "gram", instances: k, part: k,
		how: fmt.Sprintf("; %d coalitions, one thread", 2*k)}
	alone, far, err := benchCase{shape: []int{1024}, layers: headed}.bound(3, device)
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
			if at, ok := by.(core.GramAtOnce); ok {
				if done, err := at.GramAtOnce(context.Background(), g, z, w); done || err != nil {
					return g, err
				}
			}
			by.Gram(g, z, w)
			return g, nil
		}
	}
	return r, r.compare(o, gram(alone), gram(far))
}
