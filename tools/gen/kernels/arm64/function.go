package main

import (
	"fmt"
	"strings"
)

// A gp is a general register of the processor.
type gp int

func (r gp) String() string { return fmt.Sprintf("R%d", int(r)) }

// generalRegisters are those that a function may use: the linker, the runtime and the system keep
// the others.
var generalRegisters = []gp{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22,
	23, 24, 25}

// A vec is a vector register before one of the processor is assigned.
type vec int

// A line is one line of assembly.
type line struct {
	text  string // with the verb %d for each register of vecs
	vecs  []vec
	op    *op    // writes the line instead of text
	label string // of this line, or of the one that it jumps to
	jumps bool
}

// A function is one that is being written. It has one result of type int, or none.
type function struct {
	name, signature string
	doc             []string
	params          map[string]string // the address of each
	size            int               // bytes of parameters and result
	lines           []line
	used            int // general registers
	vecs            int
}

// begin begins a function with its signature in Go, in which each parameter has its type, and its
// doc comment.
func begin(name, signature string, doc ...string) *function {
	f := &function{name: name, signature: signature, doc: doc, params: map[string]string{}}
	list, result, _ := strings.Cut(strings.TrimPrefix(signature, "("), ")")
	for _, p := range strings.Split(list, ", ") {
		name, kind, _ := strings.Cut(p, " ")
		f.place(name, map[string]int{"float32": 4, "bool": 1}[kind])
	}
	if result != "" {
		f.place("ret", 0)
	}
	return f
}

// place gives a parameter its address behind the others. Size 0 stands for 8 bytes.
func (f *function) place(name string, size int) {
	if size == 0 {
		size = 8
	}
	f.size = (f.size + size - 1) / size * size
	f.params[name] = fmt.Sprintf("%s+%d(FP)", name, f.size)
	f.size += size
}

// ins writes an instruction in the syntax of Go's assembler.
func (f *function) ins(format string, args ...any) {
	f.lines = append(f.lines, line{text: fmt.Sprintf(format, args...)})
}

// with writes an instruction that uses vector registers; text has the verb %d for each.
func (f *function) with(text string, vecs ...vec) {
	f.lines = append(f.lines, line{text: text, vecs: vecs})
}

// into writes an op with a destination that exists.
func (f *function) into(o op, registers ...vec) {
	f.lines = append(f.lines, line{op: &o, vecs: registers})
}

// op writes an op with a new destination, which it returns.
func (f *function) op(o op, sources ...vec) vec {
	v := f.vec()
	f.into(o, append([]vec{v}, sources...)...)
	return v
}

// label marks the next instruction.
func (f *function) label(name string) { f.lines = append(f.lines, line{label: name}) }

// jump writes a branch: its mnemonic with all operands but the label.
func (f *function) jump(branch, label string) {
	f.lines = append(f.lines, line{text: branch, label: label, jumps: true})
}

// repeat ends a loop of counter rounds that begins at a label.
func (f *function) repeat(counter gp, label string) {
	f.ins("SUBS $1, %v", counter)
	f.jump("BNE", label)
}

// param loads a parameter of 8 bytes into a register of its own.
func (f *function) param(name string) gp {
	r := f.gp()
	f.ins("MOVD %s, %v", f.params[name], r)
	return r
}

// gp returns a general register that nothing else uses.
func (f *function) gp() gp {
	if f.used == len(generalRegisters) {
		panic(f.name + " needs more general registers than there are")
	}
	f.used++
	return generalRegisters[f.used-1]
}

// copyOf returns a register with the value of r.
func (f *function) copyOf(r gp) gp {
	c := f.gp()
	f.ins("MOVD %v, %v", r, c)
	return c
}

// scoped writes a part of the function and frees its general registers.
func (f *function) scoped(part func()) {
	used := f.used
	part()
	f.used = used
}

// vec returns a new vector register.
func (f *function) vec() vec {
	f.vecs++
	return vec(f.vecs - 1)
}

// zeros returns n vectors of zeros.
func (f *function) zeros(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = f.op(zero)
	}
	return v
}
