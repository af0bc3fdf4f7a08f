//go:build !js

package kernel

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/bagscope/bagscope/internal/must"
)

// The module for browsers, tried here without one. Its twin with fused products needs relaxed SIMD,
// which wazero lacks: wasm/simd tries that one in Node and in Chromium.
//
//go:embed simd.wasm
var simdModule []byte

// memoryModule exports 128 pages of memory under the name "memory".
var memoryModule = []byte("\x00asm\x01\x00\x00\x00" + "\x05\x04\x01\x00\x80\x01" +
	"\x07\x0a\x01\x06memory\x02\x00")

// A host runs the module. Slices are copied into its memory one behind the other, guards between.
type host struct {
	t      testing.TB
	module api.Module
	next   uint32
	begun  []uint32 // where guards stand
}

const guardBytes = 64

func newHost(t testing.TB) *host {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { runtime.Close(ctx) })
	must.Get(runtime.InstantiateWithConfig(ctx, memoryModule,
		wazero.NewModuleConfig().WithName("env")))(t)
	module := must.Get(runtime.Instantiate(ctx, simdModule))(t)
	return &host{t: t, module: module}
}

// reset forgets all that lies in memory and fills it with guards.
func (h *host) reset() {
	h.next, h.begun = 0, nil
	all, _ := h.memory().Read(0, h.memory().Size())
	for i := 0; i < len(all); i += 4 {
		binary.LittleEndian.PutUint32(all[i:], math.Float32bits(guard))
	}
	h.place(0)
}

func (h *host) memory() api.Memory { return h.module.Memory() }

// place returns the address of so many bytes between guards.
func (h *host) place(bytes int) uint32 {
	at := h.next
	h.next += uint32(bytes+3) &^ 3
	h.begun = append(h.begun, h.next)
	h.next += guardBytes
	if h.next > h.memory().Size() {
		h.t.Fatalf("the test needs %d bytes of memory", h.next)
	}
	return at
}

func (h *host) put(x []float32) uint32 {
	at := h.place(4 * len(x))
	for i, v := range x {
		h.memory().WriteFloat32Le(at+4*uint32(i), v)
	}
	return at
}

func (h *host) put64(x []uint64) uint32 {
	at := h.place(8 * len(x))
	for i, v := range x {
		h.memory().WriteUint64Le(at+8*uint32(i), v)
	}
	return at
}

func (h *host) putDoubles(x []float64) uint32 {
	words := make([]uint64, len(x))
	for i, v := range x {
		words[i] = math.Float64bits(v)
	}
	return h.put64(words)
}

func (h *host) putPairs(x [][2]float64) uint32 {
	var all []float64
	for _, pair := range x {
		all = append(all, pair[:]...)
	}
	return h.putDoubles(all)
}

func (h *host) doubles(at uint32, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i], _ = h.memory().ReadFloat64Le(at + 8*uint32(i))
	}
	return x
}

func (h *host) floats(at uint32, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i], _ = h.memory().ReadFloat32Le(at + 4*uint32(i))
	}
	return x
}

// call runs a function of the module and then looks whether every guard still stands.
func (h *host) call(name string, args ...uint64) {
	h.t.Helper()
	must.Get(h.module.ExportedFunction(name).Call(context.Background(), args...))(h.t)
	for _, at := range h.begun {
		for i := uint32(0); i < guardBytes; i += 4 {
			if v, _ := h.memory().ReadFloat32Le(at + i); v != guard {
				h.t.Fatalf("%s wrote %v at %d, outside of what it was given", name, v, at+i)
			}
		}
	}
}

func u(n int) uint64 { return uint64(uint32(n)) }
