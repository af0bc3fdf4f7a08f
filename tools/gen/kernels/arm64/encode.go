package main

import "fmt"

// Go's assembler has no mnemonics for most vector instructions on floats. So each instruction that
// only names vector registers is written as a word; this file is the only place that computes such
// words. The comment beside a word is the instruction in the syntax of the GNU assembler, and a
// test compares both with a disassembler.

// An op is a vector instruction: its bits without registers, and its text with a place for each
// register, in the order destination, first source, second source.
type op struct {
	bits uint32
	text string
}

// The instructions of three registers.
var (
	fadd  = op{0x4e20d400, "fadd v%d.4s, v%d.4s, v%d.4s"}
	fsub  = op{0x4ea0d400, "fsub v%d.4s, v%d.4s, v%d.4s"}
	fmul  = op{0x6e20dc00, "fmul v%d.4s, v%d.4s, v%d.4s"}
	fdiv  = op{0x6e20fc00, "fdiv v%d.4s, v%d.4s, v%d.4s"}
	fmax  = op{0x4e20f400, "fmax v%d.4s, v%d.4s, v%d.4s"} // a NaN if one of them is
	fmin  = op{0x4ea0f400, "fmin v%d.4s, v%d.4s, v%d.4s"} // a NaN if one of them is
	fcmeq = op{0x4e20e400, "fcmeq v%d.4s, v%d.4s, v%d.4s"}
	fcmgt = op{0x6ea0e400, "fcmgt v%d.4s, v%d.4s, v%d.4s"} // false if one of them is a NaN
	fadd2 = op{0x4e60d400, "fadd v%d.2d, v%d.2d, v%d.2d"}
	fsub2 = op{0x4ee0d400, "fsub v%d.2d, v%d.2d, v%d.2d"}
	add4  = op{0x4ea08400, "add v%d.4s, v%d.4s, v%d.4s"}
	sub4  = op{0x6ea08400, "sub v%d.4s, v%d.4s, v%d.4s"}
	add16 = op{0x4e208400, "add v%d.16b, v%d.16b, v%d.16b"}
	addp2 = op{0x4ee0bc00, "addp v%d.2d, v%d.2d, v%d.2d"} // sums of neighbours
	and   = op{0x4e201c00, "and v%d.16b, v%d.16b, v%d.16b"}
	bic   = op{0x4e601c00, "bic v%d.16b, v%d.16b, v%d.16b"} // first and not second
	orr   = op{0x4ea01c00, "orr v%d.16b, v%d.16b, v%d.16b"}
	orn   = op{0x4ee01c00, "orn v%d.16b, v%d.16b, v%d.16b"} // first or not second
	bsl   = op{0x6e601c00, "bsl v%d.16b, v%d.16b, v%d.16b"} // destination ? first : second
	bit   = op{0x6ea01c00, "bit v%d.16b, v%d.16b, v%d.16b"} // second ? first : destination
	zip1  = op{0x4e803800, "zip1 v%d.4s, v%d.4s, v%d.4s"}
	zip2  = op{0x4e807800, "zip2 v%d.4s, v%d.4s, v%d.4s"}
	zip1d = op{0x4ec03800, "zip1 v%d.2d, v%d.2d, v%d.2d"}
	zip2d = op{0x4ec07800, "zip2 v%d.2d, v%d.2d, v%d.2d"}
)

// The instructions of one source.
var (
	fabs   = op{0x4ea0f800, "fabs v%d.4s, v%d.4s"}
	fcmlt0 = op{0x4ea0e800, "fcmlt v%d.4s, v%d.4s, #0"}
	cnt    = op{0x4e205800, "cnt v%d.16b, v%d.16b"}
	// sums of neighbours, each twice as wide; the last also adds them to the destination
	pairs8   = op{0x6e202800, "uaddlp v%d.8h, v%d.16b"}
	pairs16  = op{0x6e602800, "uaddlp v%d.4s, v%d.8h"}
	addPairs = op{0x6ea06800, "uadalp v%d.2d, v%d.4s"}
)

// zero clears a register.
var zero = op{0x6f00e400, "movi v%d.2d, #0x0"}

// shl returns a shift of 32-bit integers to the left.
func shl(n uint32) op {
	return op{0x4f005400 | (32+n)<<16, fmt.Sprintf("shl v%%d.4s, v%%d.4s, #%d", n)}
}

// sshr returns a shift of signed 32-bit integers to the right.
func sshr(n uint32) op {
	return op{0x4f000400 | (64-n)<<16, fmt.Sprintf("sshr v%%d.4s, v%%d.4s, #%d", n)}
}

// dup returns the copy of one float32 of a register to all four of the destination.
func dup(lane uint32) op {
	return op{0x4e000400 | (lane<<3|4)<<16, fmt.Sprintf("dup v%%d.4s, v%%d.s[%d]", lane)}
}

// fmla returns destination += first · one float32 of the second, rounded once.
func fmla(lane uint32) op {
	return op{0x4f801000 | lane&1<<21 | lane>>1<<11,
		fmt.Sprintf("fmla v%%d.4s, v%%d.4s, v%%d.s[%d]", lane)}
}

// fmul2 returns first · one float64 of the second.
func fmul2(lane uint32) op {
	return op{0x4fc09000 | lane<<11, fmt.Sprintf("fmul v%%d.2d, v%%d.2d, v%%d.d[%d]", lane)}
}

// word returns the instruction with its registers, and its text.
func (o op) word(registers ...uint32) (uint32, string) {
	word, args := o.bits, make([]any, len(registers))
	for i, r := range registers {
		word |= r << [...]uint32{0, 5, 16}[i]
		args[i] = r
	}
	return word, fmt.Sprintf(o.text, args...)
}
