//go:build gpu

package gpu

import (
	"fmt"
	"testing"
)

// BenchmarkProducts reports the speed of products in 10^12 operations a second: a multiplication
// and an addition are two.
func BenchmarkProducts(b *testing.B) {
	p := processorFor(b)
	for _, size := range [][3]int{{100_864, 1536, 384}, {100_864, 384, 1536}, {768, 1536, 384},
		{4096, 4096, 4096}} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchmarkProduct(b, p, size) })
	}
}

func benchmarkProduct(b *testing.B, p *processor, size [3]int) {
	m, n, k := size[0], size[1], size[2]
	var buffers [3]*buffer
	for i, length := range []int{m * n, m * k, k * n} {
		var err error
		if buffers[i], err = p.memory.alloc(4 * length); err != nil {
			b.Fatal(err)
		}
		defer p.memory.put(buffers[i])
	}
	q := product{m: m, n: n, k: k, batch: 1, aRow: k, aCol: 1, bRow: n, bCol: 1, alpha: 1}
	with := q.params(function{}, nil)
	with.ints(18, k, 1)
	name, workgroups := q.kernel()
	r := &record{}
	run := func(times int) {
		for range times {
			if err := p.dispatch(r, name, with, workgroups, 1, buffers[0], buffers[1],
				buffers[2]); err != nil {
				b.Fatal(err)
			}
		}
		if err := p.submit(r); err != nil {
			b.Fatal(err)
		}
		if err := p.await(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	run(1) // compiles the kernel
	b.ResetTimer()
	const times = 10
	for range b.N {
		run(times)
	}
	operations := 2 * float64(m) * float64(n) * float64(k) * times * float64(b.N)
	b.ReportMetric(operations/b.Elapsed().Seconds()/1e12, "T/s")
}
