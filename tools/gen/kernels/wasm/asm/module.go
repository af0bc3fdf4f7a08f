package asm

import "slices"

// ValueType is the type of a parameter or local in the binary format.
type ValueType byte

// The value types the kernels use.
const (
	TypeI32  ValueType = 0x7f
	TypeI64  ValueType = 0x7e
	TypeV128 ValueType = 0x7b
)

// Module is a WebAssembly module under construction: functions, exports, and one imported memory.
type Module struct {
	memory  [2]string
	globals [][]byte
	funcs   []*Func
	exports []*Func
}

// NewModule returns an empty module.
func NewModule() *Module { return &Module{} }

// ImportMemory sets the names by which the module imports its memory.
func (m *Module) ImportMemory(module, field string) { m.memory = [2]string{module, field} }

// Func begins a function. Its results, if any, are what its last statements leave on the stack.
func (m *Module) Func(name string, results ...ValueType) *Func {
	f := &Func{name: name, index: uint32(len(m.funcs)), results: results}
	m.funcs = append(m.funcs, f)
	return f
}

// Export makes f callable by the host under its name.
func (m *Module) Export(f *Func) { m.exports = append(m.exports, f) }

// Splat is v in each lane, in a global of the module. Engines load a global by one instruction, and
// a constant vector by several. The global is declared mutable: engines turn immutable ones into
// constants.
func (m *Module) Splat(v float32) V128 {
	const mutable = 1
	entry := append(append([]byte{byte(TypeV128), mutable}, Splat(v).code...), opEnd)
	at := slices.IndexFunc(m.globals, func(g []byte) bool { return slices.Equal(g, entry) })
	if at < 0 {
		at = len(m.globals)
		m.globals = append(m.globals, entry)
	}
	return V128{unsigned([]byte{opGlobalGet}, uint32(at))}
}

// Sections of the binary format, in their required order.
const (
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionGlobal   = 6
	sectionExport   = 7
	sectionCode     = 10
)

// Bytes returns the module in the binary format.
func (m *Module) Bytes() []byte {
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	types, typeOf := m.types()
	out = section(out, sectionType, types)
	out = section(out, sectionImport, [][]byte{m.memoryImport()})
	var declared, code [][]byte
	for i, f := range m.funcs {
		declared = append(declared, unsigned(nil, typeOf[i]))
		code = append(code, counted(nil, f.body()))
	}
	out = section(out, sectionFunction, declared)
	out = section(out, sectionGlobal, m.globals)
	var exports [][]byte
	for _, f := range m.exports {
		const kindFunction = 0
		exports = append(exports, unsigned(append(counted(nil, []byte(f.name)), kindFunction),
			f.index))
	}
	out = section(out, sectionExport, exports)
	return section(out, sectionCode, code)
}

// types returns the distinct function types and, for each function, the number of its own.
func (m *Module) types() (types [][]byte, typeOf []uint32) {
	for _, f := range m.funcs {
		const functionType = 0x60
		t := counted(counted([]byte{functionType}, valueBytes(f.params)), valueBytes(f.results))
		at := slices.IndexFunc(types, func(u []byte) bool { return slices.Equal(t, u) })
		if at < 0 {
			at = len(types)
			types = append(types, t)
		}
		typeOf = append(typeOf, uint32(at))
	}
	return types, typeOf
}

func (m *Module) memoryImport() []byte {
	b := counted(counted(nil, []byte(m.memory[0])), []byte(m.memory[1]))
	const kindMemory, noMaximum, minimum = 2, 0, 0
	return append(b, kindMemory, noMaximum, minimum)
}

func valueBytes(types []ValueType) []byte {
	b := make([]byte, len(types))
	for i, t := range types {
		b[i] = byte(t)
	}
	return b
}

// section appends a section that is a vector of entries.
func section(to []byte, id byte, entries [][]byte) []byte {
	body := unsigned(nil, uint32(len(entries)))
	for _, e := range entries {
		body = append(body, e...)
	}
	return counted(append(to, id), body)
}
