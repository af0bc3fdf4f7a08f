//go:build !js

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimdAddWord holds the sums of the module to those in Go, bit for bit.
func TestSimdAddWord(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{1, 2, 7, 100} {
		for _, stride := range []int{lanes32, lanes32 + 5} {
			words := coalitions(r, n, 64, 1, 0.5)
			words[0] = 0
			rows := random(r, 63*stride+lanes32)
			want := random(r, n*lanes32)
			h.reset()
			sums := h.put(want)
			h.call("addWord32", uint64(sums), uint64(h.put64(words)), u(n), uint64(h.put(rows)),
				u(4*stride), uint64(h.place(tableLen*lanes32*4)))
			table := make([]float32, tableLen*lanes32)
			buildTables(table, rows, stride)
			lookUp(want, words, table)
			sameBits(t, "addWord32", h.floats(sums, len(want)), want)
		}
	}
}

func TestSimdAddWord64(t *testing.T) {
	h := newHost(t)
	r := rand.New(rand.NewPCG(43, 44))
	doubleBits := func(n int) (x []float64, bits []uint64) {
		for range n {
			x = append(x, r.NormFloat64())
			bits = append(bits, math.Float64bits(x[len(x)-1]))
		}
		return x, bits
	}
	for _, n := range []int{1, 3, 100} {
		const stride = lanes64 + 3
		words := coalitions(r, n, 64, 1, 0.5)
		rows, rowBits := doubleBits(63*stride + lanes64)
		want, wantBits := doubleBits(n * lanes64)
		h.reset()
		sums := h.put64(wantBits)
		h.call("addWord64", uint64(sums), uint64(h.put64(words)), u(n), uint64(h.put64(rowBits)),
			u(8*stride), uint64(h.place(tableLen*lanes64*8)))
		table := make([]float64, tableLen*lanes64)
		buildTables(table, rows, stride)
		lookUp(want, words, table)
		for i, v := range want {
			if got, _ := h.memory().ReadFloat64Le(sums + 8*uint32(i)); got != v {
				t.Fatalf("addWord64 of %d: element %d is %v, want %v", n, i, got, v)
			}
		}
	}
}
