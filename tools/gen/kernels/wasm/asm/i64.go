package asm

// Opcodes of 64-bit integers.
const (
	opI64Load       = 0x29
	opF64Store      = 0x39
	opI64Popcnt     = 0x7b
	opI64Add        = 0x7c
	opI64And        = 0x83
	opF64ConvertI64 = 0xb9
)

// I64 is an expression of a 64-bit integer.
type I64 struct{ code []byte }

func (x I64) bytes() []byte { return x.code }

// Load64 is the little-endian word of 64 bits at address x + offset.
func (x I32) Load64(offset uint32) I64 { return I64{at(x.code, offset, 3, opI64Load)} }

// Plus is x + y.
func (x I64) Plus(y I64) I64 { return I64{join(x.code, y.code, opI64Add)} }

// And is x & y.
func (x I64) And(y I64) I64 { return I64{join(x.code, y.code, opI64And)} }

// Popcnt is the number of set bits of x.
func (x I64) Popcnt() I64 { return I64{join(x.code, nil, opI64Popcnt)} }

// StoreF64 writes x as a float64 to address + offset.
func (f *Func) StoreF64(address *I32Var, offset uint32, x I64) {
	f.code = append(f.code, at(join(address.code, x.code, opF64ConvertI64), offset, 3,
		opF64Store)...)
}

// I64Var is a local of 64 bits; as an expression it is its value.
type I64Var struct {
	I64
	f     *Func
	index int
}

// I64 declares a local of 64 bits, zero at first.
func (f *Func) I64() *I64Var {
	index := f.local(TypeI64)
	return &I64Var{I64{get(index)}, f, index}
}

// Set assigns x.
func (v *I64Var) Set(x I64) { v.f.set(v.index, x.code) }
