package asm

import (
	"encoding/binary"
	"math"
)

// vectorOp is an opcode behind the vector prefix.
type vectorOp uint32

const opVector = 0xfd

const (
	v128Load        vectorOp = 0
	v128Load32Splat vectorOp = 9
	v128Load64Splat vectorOp = 10
	v128Store       vectorOp = 11
	v128Const       vectorOp = 12
	i32x4Splat      vectorOp = 17
	i8x16Shuffle    vectorOp = 13
	f32x4Ne         vectorOp = 66
	f32x4Lt         vectorOp = 67
	f32x4Gt         vectorOp = 68
	v128And         vectorOp = 78
	v128Or          vectorOp = 80
	v128Bitselect   vectorOp = 82
	v128Load32Lane  vectorOp = 86
	v128Store32Lane vectorOp = 90
	v128Load64Zero  vectorOp = 93
	f32x4Demote     vectorOp = 94
	f64x2Promote    vectorOp = 95
	i32x4Shl        vectorOp = 171
	i32x4ShrS       vectorOp = 172
	i32x4Add        vectorOp = 174
	i32x4Sub        vectorOp = 177
	f32x4Abs        vectorOp = 224
	f32x4Neg        vectorOp = 225
	f32x4Add        vectorOp = 228
	f32x4Sub        vectorOp = 229
	f32x4Mul        vectorOp = 230
	f32x4Div        vectorOp = 231
	f32x4PMin       vectorOp = 234
	f32x4PMax       vectorOp = 235
	f64x2Add        vectorOp = 240
	f64x2Sub        vectorOp = 241
	f64x2Mul        vectorOp = 242
	f32x4Madd       vectorOp = 0x105 // relaxed SIMD
)

// V128 is an expression of a vector of four float32, four int32 or two float64.
type V128 struct{ code []byte }

func (x V128) bytes() []byte { return x.code }

func (o vectorOp) bytes() []byte { return unsigned([]byte{opVector}, uint32(o)) }

func (x V128) with(y V128, op vectorOp) V128 { return V128{join(x.code, y.code, op.bytes()...)} }

func (x V128) alone(op vectorOp) V128 { return V128{join(x.code, nil, op.bytes()...)} }

// Bits is the constant with the same 32 bits in each lane.
func Bits(b uint32) V128 {
	code := v128Const.bytes()
	for range 4 {
		code = binary.LittleEndian.AppendUint32(code, b)
	}
	return V128{code}
}

// Splat is the constant with v in each lane.
func Splat(v float32) V128 { return Bits(math.Float32bits(v)) }

// SplatI32 has the word x in each lane.
func (x I32) SplatI32() V128 { return V128{join(x.code, nil, i32x4Splat.bytes()...)} }

// Load128 is the vector at address x + offset, which need not be aligned.
func (x I32) Load128(offset uint32) V128 { return V128{at(x.code, offset, 2, v128Load.bytes()...)} }

// LoadSplat32 is the word at address x + offset in each lane.
func (x I32) LoadSplat32(offset uint32) V128 {
	return V128{at(x.code, offset, 2, v128Load32Splat.bytes()...)}
}

// LoadSplat64 is the 64 bits at address x + offset in each half.
func (x I32) LoadSplat64(offset uint32) V128 {
	return V128{at(x.code, offset, 3, v128Load64Splat.bytes()...)}
}

// Load64Zero is the 64 bits at address x + offset in the low half, zero in the high one.
func (x I32) Load64Zero(offset uint32) V128 {
	return V128{at(x.code, offset, 3, v128Load64Zero.bytes()...)}
}

// LoadLane32 is v with the word at address x + offset in one lane.
func (x I32) LoadLane32(offset uint32, v V128, lane byte) V128 {
	return V128{append(at(join(x.code, v.code), offset, 2, v128Load32Lane.bytes()...), lane)}
}

// Store128 writes v to address + offset.
func (f *Func) Store128(address *I32Var, offset uint32, v V128) {
	f.code = append(f.code, at(join(address.code, v.code), offset, 2, v128Store.bytes()...)...)
}

// StoreLane32 writes one lane of v to address + offset.
func (f *Func) StoreLane32(address *I32Var, offset uint32, v V128, lane byte) {
	code := at(join(address.code, v.code), offset, 2, v128Store32Lane.bytes()...)
	f.code = append(append(f.code, code...), lane)
}

// AddF32 is x + y by float32 lanes.
func (x V128) AddF32(y V128) V128 { return x.with(y, f32x4Add) }

// SubF32 is x - y.
func (x V128) SubF32(y V128) V128 { return x.with(y, f32x4Sub) }

// MulF32 is x · y.
func (x V128) MulF32(y V128) V128 { return x.with(y, f32x4Mul) }

// DivF32 is x / y.
func (x V128) DivF32(y V128) V128 { return x.with(y, f32x4Div) }

// MaddF32 is x·y + z of relaxed SIMD: it depends on the machine whether it is rounded once or
// twice.
func (x V128) MaddF32(y, z V128) V128 {
	return V128{join(join(x.code, y.code), z.code, f32x4Madd.bytes()...)}
}

// PMinF32 is y if y < x, else x: a NaN in x stays.
func (x V128) PMinF32(y V128) V128 { return x.with(y, f32x4PMin) }

// PMaxF32 is y if x < y, else x: a NaN in x stays.
func (x V128) PMaxF32(y V128) V128 { return x.with(y, f32x4PMax) }

// AbsF32 is |x|.
func (x V128) AbsF32() V128 { return x.alone(f32x4Abs) }

// NegF32 is -x.
func (x V128) NegF32() V128 { return x.alone(f32x4Neg) }

// NeF32 has all bits set in the lanes where x differs from y, or one is a NaN.
func (x V128) NeF32(y V128) V128 { return x.with(y, f32x4Ne) }

// LtF32 has all bits set in the lanes where x < y.
func (x V128) LtF32(y V128) V128 { return x.with(y, f32x4Lt) }

// GtF32 has all bits set in the lanes where x > y.
func (x V128) GtF32(y V128) V128 { return x.with(y, f32x4Gt) }

// And is x & y.
func (x V128) And(y V128) V128 { return x.with(y, v128And) }

// Or is x | y.
func (x V128) Or(y V128) V128 { return x.with(y, v128Or) }

// Choose is a where the bits of mask are set, else b.
func (mask V128) Choose(a, b V128) V128 {
	return V128{join(join(a.code, b.code), mask.code, v128Bitselect.bytes()...)}
}

// Shuffle32 is the vector of four words by number: 0 to 3 are those of x, 4 to 7 those of y.
func (x V128) Shuffle32(y V128, words ...byte) V128 {
	code := join(x.code, y.code, i8x16Shuffle.bytes()...)
	for _, w := range words {
		code = append(code, 4*w, 4*w+1, 4*w+2, 4*w+3)
	}
	return V128{code}
}

// AddI32 is x + y by int32 lanes.
func (x V128) AddI32(y V128) V128 { return x.with(y, i32x4Add) }

// SubI32 is x - y by int32 lanes.
func (x V128) SubI32(y V128) V128 { return x.with(y, i32x4Sub) }

// ShlI32 is x << n by int32 lanes.
func (x V128) ShlI32(n int32) V128 { return V128{join(x.code, Const(n).code, i32x4Shl.bytes()...)} }

// ShrI32 is x >> n by int32 lanes, with the sign as the new bits.
func (x V128) ShrI32(n int32) V128 {
	return V128{join(x.code, Const(n).code, i32x4ShrS.bytes()...)}
}

// AddF64 is x + y by float64 lanes.
func (x V128) AddF64(y V128) V128 { return x.with(y, f64x2Add) }

// SubF64 is x - y by float64 lanes.
func (x V128) SubF64(y V128) V128 { return x.with(y, f64x2Sub) }

// MulF64 is x · y by float64 lanes.
func (x V128) MulF64(y V128) V128 { return x.with(y, f64x2Mul) }

// Promote is the two low float32 lanes, converted to float64.
func (x V128) Promote() V128 { return x.alone(f64x2Promote) }

// Demote is the float64 lanes, rounded to the two low float32 lanes; the high ones are zero.
func (x V128) Demote() V128 { return x.alone(f32x4Demote) }
