package asm

// Opcodes of control, locals and 32-bit integers.
const (
	blockEmpty = 0x40

	opLoop      = 0x03
	opIf        = 0x04
	opElse      = 0x05
	opEnd       = 0x0b
	opBrIf      = 0x0d
	opCall      = 0x10
	opLocalGet  = 0x20
	opLocalSet  = 0x21
	opGlobalGet = 0x23
	opI32Load   = 0x28
	opI32Const  = 0x41
	opI32Eq     = 0x46
	opI32GtS    = 0x4a
	opI32GeS    = 0x4e
	opI32Ctz    = 0x68
	opI32Add    = 0x6a
	opI32Sub    = 0x6b
	opI32Mul    = 0x6c
	opI32DivU   = 0x6e
	opI32And    = 0x71
	opI32Or     = 0x72
	opI32Shl    = 0x74
	opI32ShrU   = 0x76
)

// I32 is an expression of a 32-bit integer: an address, a count or a condition.
type I32 struct{ code []byte }

func (x I32) bytes() []byte { return x.code }

// Const returns the constant n.
func Const(n int32) I32 { return I32{signed([]byte{opI32Const}, n)} }

func (x I32) with(y I32, op byte) I32 { return I32{join(x.code, y.code, op)} }

// Plus is x + y.
func (x I32) Plus(y I32) I32 { return x.with(y, opI32Add) }

// Minus is x - y.
func (x I32) Minus(y I32) I32 { return x.with(y, opI32Sub) }

// Times is x · y.
func (x I32) Times(y I32) I32 { return x.with(y, opI32Mul) }

// Over is x / y rounded down; both must not be negative.
func (x I32) Over(y I32) I32 { return x.with(y, opI32DivU) }

// And is x & y.
func (x I32) And(y I32) I32 { return x.with(y, opI32And) }

// Or is x | y.
func (x I32) Or(y I32) I32 { return x.with(y, opI32Or) }

// Shl is x << n.
func (x I32) Shl(n int32) I32 { return x.with(Const(n), opI32Shl) }

// Shr is x >> n with zeros as the new bits.
func (x I32) Shr(n int32) I32 { return x.with(Const(n), opI32ShrU) }

// Eq is 1 if x = y, else 0.
func (x I32) Eq(y I32) I32 { return x.with(y, opI32Eq) }

// Gt is 1 if x > y as signed integers, else 0.
func (x I32) Gt(y I32) I32 { return x.with(y, opI32GtS) }

// Ge is 1 if x >= y as signed integers, else 0.
func (x I32) Ge(y I32) I32 { return x.with(y, opI32GeS) }

// Ctz is the number of zeros below the lowest set bit of x.
func (x I32) Ctz() I32 { return I32{join(x.code, nil, opI32Ctz)} }

// Load is the little-endian word at address x + offset.
func (x I32) Load(offset uint32) I32 { return I32{at(x.code, offset, 2, opI32Load)} }

// join returns the codes of two operands and an operator.
func join(x, y []byte, op ...byte) []byte {
	out := make([]byte, 0, len(x)+len(y)+len(op))
	return append(append(append(out, x...), y...), op...)
}

// at returns a memory instruction: address, operator, alignment as a power of two, offset.
func at(address []byte, offset uint32, align byte, op ...byte) []byte {
	return unsigned(append(join(address, nil, op...), align), offset)
}
