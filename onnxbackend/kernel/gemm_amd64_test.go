package kernel

import "testing"

// BenchmarkTile is the ceiling of BenchmarkGemm: one tile on operands in the first-level cache,
// which does fused products at the rate of the processor and nothing else.
func BenchmarkTile(b *testing.B) {
	best := current
	defer func() { current = best }()
	const k = 128
	for l := best; l > portable; l-- {
		b.Run(l.String(), func(b *testing.B) {
			current = l
			rows, width := tileRowsAVX2, PanelWidth()
			if l == avx512 {
				rows = tileRowsAVX512
			}
			a, panel, c := make([]float32, rows*k), make([]float32, width*k), make([]float32,
				rows*width)
			for b.Loop() {
				tile(&c[0], width, &a[0], k, &panel[0], k, rows, 2, nil, nil, 0)
			}
			b.ReportMetric(2*float64(rows*width*k)*float64(b.N)/b.Elapsed().Seconds()/1e9,
				"GFLOP/s")
		})
	}
}
