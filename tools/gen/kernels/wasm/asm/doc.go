// Package asm writes WebAssembly modules. A function's body is built from expressions that carry
// their type in Go, so that adding a float vector to an address does not compile, and from a few
// statements of structured control:
//
//	m := asm.NewModule()
//	m.ImportMemory("env", "memory")
//	f := m.Func("double")
//	p, n := f.Param(), f.Param()
//	f.While(n.Gt(asm.Const(0)), func() {
//		v := f.V128()
//		v.Set(p.Load128(0))
//		f.Store128(p, 0, v.AddF32(v.V128))
//		p.Add(16)
//		n.Add(-4)
//	})
//	m.Export(f)
//	bytes := m.Bytes()
//
// The package has only what the kernels need: 32-bit addresses and counters, 128-bit vectors, one
// imported memory. The encoding is that of the WebAssembly core specification 2.0, chapter 5, and
// of the relaxed SIMD proposal.
package asm
