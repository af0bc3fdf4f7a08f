package asm

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/bagscope/bagscope/internal/must"
)

// The examples of the DWARF standard, section 7.6, and the ends of the ranges.
func TestLEB128(t *testing.T) {
	for v, want := range map[uint32][]byte{
		0: {0}, 2: {2}, 127: {127}, 128: {0x80, 1}, 129: {0x81, 1}, 12857: {0xb9, 0x64},
		math.MaxUint32: {0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		if got := unsigned(nil, v); !bytes.Equal(got, want) {
			t.Errorf("unsigned %d: % x, want % x", v, got, want)
		}
	}
	for v, want := range map[int32][]byte{
		2: {2}, -2: {0x7e}, 63: {63}, 64: {0xc0, 0}, 127: {0xff, 0}, -127: {0x81, 0x7f}, 128: {0x80,
			1}, -128: {0x80, 0x7f},
		math.MaxInt32: {0xff, 0xff, 0xff, 0xff, 0x07}, math.MinInt32: {0x80, 0x80, 0x80, 0x80,
			0x78},
	} {
		if got := signed(nil, v); !bytes.Equal(got, want) {
			t.Errorf("signed %d: % x, want % x", v, got, want)
		}
	}
}

// run executes a module's function on a memory of one page that begins with the given words.
func run(t *testing.T, m *Module, name string, words []uint32, args ...uint64) api.Memory {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { runtime.Close(ctx) })
	env := []byte("\x00asm\x01\x00\x00\x00" + "\x05\x03\x01\x00\x01" +
		"\x07\x0a\x01\x06memory\x02\x00")
	must.Get(runtime.InstantiateWithConfig(ctx, env, wazero.NewModuleConfig().WithName("env")))(t)
	module := must.Get(runtime.Instantiate(ctx, m.Bytes()))(t)
	for i, w := range words {
		module.Memory().WriteUint32Le(4*uint32(i), w)
	}
	must.Get(module.ExportedFunction(name).Call(ctx, args...))(t)
	return module.Memory()
}

// TestControl runs loops, branches and a call: how often 3n+1 takes n to 1 is 111 for n = 27.
func TestControl(t *testing.T) {
	m := NewModule()
	m.ImportMemory("env", "memory")
	odd := m.Func("odd")
	n := odd.Param()
	n.Set(n.Times(Const(3)).Plus(Const(1)))
	store(odd, 0, n.I32)

	f := m.Func("steps")
	value, count := f.I32(), f.I32()
	value.Set(Const(0).Load(0))
	f.While(value.Gt(Const(1)), func() {
		f.If(value.And(Const(1)), func() {
			f.Call(odd, value)
			value.Set(Const(0).Load(0))
		}, func() { value.Set(value.Shr(1)) })
		count.Add(1)
	})
	store(f, 4, count.I32)
	m.Export(f)
	memory := run(t, m, "steps", []uint32{27})
	if got, _ := memory.ReadUint32Le(4); got != 111 {
		t.Errorf("27 takes %d steps, want 111", got)
	}
}

// store writes an integer, which no kernel does.
func store(f *Func, address int32, x I32) {
	const opI32Store = 0x36
	f.code = append(f.code, at(join(Const(address).code, x.code), 0, 2, opI32Store)...)
}

// TestLanes holds each operator on float32 lanes to Go's.
func TestLanes(t *testing.T) {
	x, y := float32(1.25), float32(-3.5)
	type operation struct {
		name string
		of   func(x, y V128) V128
		want float32
	}
	for _, o := range []operation{
		{"add", V128.AddF32, x + y},
		{"sub", V128.SubF32, x - y},
		{"mul", V128.MulF32, x * y},
		{"div", V128.DivF32, x / y},
		{"pmin", V128.PMinF32, y},
		{"pmax", V128.PMaxF32, x},
		{"abs", func(_, y V128) V128 { return y.AbsF32() }, 3.5},
		{"neg", func(x, _ V128) V128 { return x.NegF32() }, -1.25},
		{"less", func(x, y V128) V128 { return x.LtF32(y).Choose(Splat(1), Splat(2)) }, 2},
		{"greater", func(x, y V128) V128 { return x.GtF32(y).Choose(Splat(1), Splat(2)) }, 1},
		{"differs", func(x, y V128) V128 { return x.NeF32(y).Choose(Splat(1), Splat(2)) }, 1},
		{"differs not", func(x, _ V128) V128 { return x.NeF32(x).Choose(Splat(1), Splat(2)) }, 2},
		{"shuffle", func(x, y V128) V128 { return x.Shuffle32(y, 4, 5, 6, 7) }, y},
		{"integers", func(x, _ V128) V128 {
			return x.AddI32(Bits(1)).ShrI32(23).SubI32(Bits(7)).ShlI32(23)
		}, 0x1p-7},
		{"bits", func(x, y V128) V128 { return x.Or(y.And(Bits(1 << 31))) }, -x},
	} {
		m := NewModule()
		m.ImportMemory("env", "memory")
		f := m.Func("f")
		at := f.Param()
		f.Store128(at, 16, o.of(Const(0).LoadSplat32(0), Const(0).LoadSplat32(4)))
		m.Export(f)
		memory := run(t, m, "f", []uint32{math.Float32bits(x), math.Float32bits(y)}, 0)
		lanes, _ := memory.Read(16, 16)
		for lane := range 4 {
			must.Equal(t, math.Float32frombits(binary.LittleEndian.Uint32(lanes[4*lane:])), o.want,
				o.name, lane)
		}
	}
}

// TestShuffle32 gives each word a number.
func TestShuffle32(t *testing.T) {
	m := NewModule()
	m.ImportMemory("env", "memory")
	f := m.Func("f")
	at := f.Param()
	f.Store128(at, 32, Const(0).Load128(0).Shuffle32(Const(0).Load128(16), 0, 5, 2, 7))
	m.Export(f)
	memory := run(t, m, "f", []uint32{10, 11, 12, 13, 14, 15, 16, 17}, 0)
	for i, want := range []uint32{10, 15, 12, 17} {
		if got, _ := memory.ReadUint32Le(32 + 4*uint32(i)); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}

// TestOver divides without the rest.
func TestOver(t *testing.T) {
	m := NewModule()
	m.ImportMemory("env", "memory")
	f := m.Func("f")
	at := f.Param()
	store(f, 0, at.Over(Const(4)))
	m.Export(f)
	memory := run(t, m, "f", nil, 23)
	if got, _ := memory.ReadUint32Le(0); got != 5 {
		t.Errorf("23 over 4 is %d, want 5", got)
	}
}

// TestCtz counts the zeros at the end of a number.
func TestCtz(t *testing.T) {
	m := NewModule()
	m.ImportMemory("env", "memory")
	f := m.Func("f")
	at := f.Param()
	store(f, 0, at.Ctz())
	m.Export(f)
	memory := run(t, m, "f", nil, 40)
	if got, _ := memory.ReadUint32Le(0); got != 3 {
		t.Errorf("40 ends in %d zeros, want 3", got)
	}
}

// TestDoubles holds each operator on float64 lanes and on 64-bit integers to Go's.
func TestDoubles(t *testing.T) {
	x, y := 1.25, -3.5
	const bits = 0xf0f0_0000_1234_5678
	m := NewModule()
	m.ImportMemory("env", "memory")
	f := m.Func("f")
	from, word := f.Param(), f.I64()
	a, b := from.LoadSplat64(0), from.LoadSplat64(8)
	f.Store128(from, 32, a.AddF64(b))
	f.Store128(from, 48, a.SubF64(b))
	f.Store128(from, 64, a.MulF64(b))
	word.Set(from.Load64(16))
	f.StoreF64(from, 80, word.Popcnt())
	f.StoreF64(from, 88, word.And(from.Load64(24)).Plus(from.Load64(24)))
	m.Export(f)
	var words []uint32
	for _, v := range []uint64{math.Float64bits(x), math.Float64bits(y), bits, 0xffff} {
		words = append(words, uint32(v), uint32(v>>32))
	}
	memory := run(t, m, "f", words, 0)
	for i, want := range []float64{x + y, x + y, x - y, x - y, x * y, x * y, 21, 0x5678 + 0xffff} {
		if got, _ := memory.ReadFloat64Le(32 + 8*uint32(i)); got != want {
			t.Errorf("result %d: %v, want %v", i, got, want)
		}
	}
}

// TestWidths holds the conversions between float32 and float64 lanes to Go's.
func TestWidths(t *testing.T) {
	x, y := float32(1.25), float32(-3.5)
	m := NewModule()
	m.ImportMemory("env", "memory")
	f := m.Func("f")
	from := f.Param()
	third := from.LoadSplat64(16)
	f.Store128(from, 32, from.Load64Zero(0))
	f.Store128(from, 48, from.Load128(0).Promote())
	f.Store128(from, 64, from.Load128(0).Promote().MulF64(third).Demote())
	m.Export(f)
	words := []uint32{math.Float32bits(x), math.Float32bits(y), 7, 7}
	bits := math.Float64bits(1. / 3)
	memory := run(t, m, "f", append(words, uint32(bits), uint32(bits>>32)), 0)
	for i, want := range []uint64{
		uint64(words[1])<<32 | uint64(words[0]), 0,
		math.Float64bits(float64(x)), math.Float64bits(float64(y)),
		uint64(math.Float32bits(float32(float64(y)/3)))<<32 | uint64(
			math.Float32bits(float32(float64(x)/3))), 0,
	} {
		if got, _ := memory.ReadUint64Le(32 + 8*uint32(i)); got != want {
			t.Errorf("half %d: %#x, want %#x", i, got, want)
		}
	}
}

// TestCallChecksArguments checks that a call with the wrong number of arguments panics.
func TestCallChecksArguments(t *testing.T) {
	m := NewModule()
	g := m.Func("g")
	g.Param()
	defer func() {
		if recover() == nil {
			t.Error("a call without the argument did not panic")
		}
	}()
	m.Func("f").Call(g)
}
