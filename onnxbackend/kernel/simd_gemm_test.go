//go:build !js

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

const simdWidth = 8

// packed lays out a dense (k, n) matrix in panels of simdWidth columns.
func packed(b []float32, k, n int) []float32 {
	p := make([]float32, (n+simdWidth-1)/simdWidth*simdWidth*k)
	for i := range k {
		for j := range n {
			p[j/simdWidth*simdWidth*k+i*simdWidth+j%simdWidth] = b[i*n+j]
		}
	}
	return p
}

// chain is the product of a dense (m, k) and (k, n) matrix, each sum one chain that is rounded at
// every step, with rows of the result ldc apart and guards between them.
func chain(a, b []float32, m, n, k, ldc int, ep Epilogue) []float32 {
	c := make([]float32, m*ldc)
	for i := range c {
		c[i] = guard
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		for j := range n {
			var s float32
			for p := range k {
				s += float32(a[i*k+p] * b[p*n+j])
			}
			row[j] = s
		}
	}
	finish(c, ldc, m, n, ep)
	return c
}

// checkSimdGemm holds gemm and gemv of the module to chain, bit for bit.
func checkSimdGemm(t testing.TB, h *host, r *rand.Rand, m, n, k int, ep Epilogue) {
	t.Helper()
	h.reset()
	a, b := random(r, m*k), random(r, k*n)
	ldc := n + 1 + r.IntN(4)
	want := chain(a, b, m, n, k, ldc, ep)
	c := h.place(4 * (m*ldc - (ldc - n)))
	bias, rowBias, relu := uint64(0), uint64(0), 0
	if ep.Bias != nil {
		bias = uint64(h.put(ep.Bias))
	}
	if ep.RowBias != nil {
		rowBias = uint64(h.put(ep.RowBias))
	}
	if ep.Act == ActRelu {
		relu = 1
	}
	at, dense := uint64(h.put(a)), uint64(h.put(b))
	h.call("gemm", uint64(c), u(ldc), at, u(k), uint64(h.put(packed(b, k, n))), u(m), u(n), u(k),
		bias, rowBias, u(relu))
	sameBits(t, fmt.Sprintf("gemm (%d, %d, %d)", m, n, k), h.floats(c, m*ldc-(ldc-n)),
		want[:m*ldc-(ldc-n)])

	row := h.place(4 * n)
	h.call("gemv", uint64(row), at, dense, u(n), u(k), u(n))
	sameBits(t, fmt.Sprintf("gemv (%d, %d)", n, k), h.floats(row, n),
		chain(a, b, 1, n, k, n, Epilogue{}))
}

func TestSimdGemm(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(11, 12))
	for m := 1; m <= 9; m++ {
		for n := 1; n <= 18; n++ {
			for _, k := range []int{0, 1, 2, 3, 4, 5, 9, 16} {
				ep := Epilogue{Act: Activation(r.IntN(2))}
				if r.IntN(2) > 0 {
					ep.Bias = random(r, n)
				}
				if r.IntN(2) > 0 {
					ep.RowBias = random(r, m)
				}
				checkSimdGemm(t, h, r, m, n, k, ep)
			}
		}
	}
	for _, s := range [][3]int{{64, 64, 64}, {131, 70, 33}, {30, 64, 800}, {96, 500, 56}} {
		checkSimdGemm(t, h, r, s[0], s[1], s[2],
			Epilogue{Bias: random(r, s[1]), RowBias: random(r, s[0])})
	}
}

func FuzzSimdGemm(f *testing.F) {
	f.Add(uint8(5), uint8(7), uint8(9), true, false, true, uint64(1))
	f.Add(uint8(0), uint8(33), uint8(0), false, true, true, uint64(2))
	h := newHost(f)
	f.Fuzz(func(t *testing.T, m, n, k uint8, bias, rowBias, relu bool, seed uint64) {
		h.t = t
		rows, columns := 1+seldomLarge(m, 255), 1+seldomLarge(n, 255)
		r := rand.New(rand.NewPCG(seed, 13))
		var ep Epilogue
		if bias {
			ep.Bias = random(r, columns)
		}
		if rowBias {
			ep.RowBias = random(r, rows)
		}
		if relu {
			ep.Act = ActRelu
		}
		checkSimdGemm(t, h, r, rows, columns, seldomLarge(k, 255), ep)
	})
}

// TestSimdReluKeepsNaN holds the cut at zero to Activate where it is delicate.
func TestSimdReluKeepsNaN(t *testing.T) {
	h := newHost(t)
	h.reset()
	infinite := float32(math.Inf(1))
	b := []float32{1, -1, 0, float32(math.Copysign(0, -1)), float32(math.NaN()), infinite,
		-infinite, -1e-45}
	want := append([]float32{}, b...)
	Activate(want, ActRelu)
	n := len(b)
	c := h.place(4 * n)
	h.call("gemm", uint64(c), u(n), uint64(h.put([]float32{1})), u(1),
		uint64(h.put(packed(b, 1, n))), u(1), u(n), u(1), 0, 0, 1)
	for j, v := range h.floats(c, n) {
		if v != want[j] && !(v != v && want[j] != want[j]) {
			t.Errorf("relu(%v) = %v, want %v", b[j], v, want[j])
		}
	}
}
