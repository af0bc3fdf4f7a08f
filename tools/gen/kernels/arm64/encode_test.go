package main

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// all returns each op, and those with a number for all of its values.
func all() []op {
	ops := []op{fadd, fsub, fmul, fdiv, fmax, fmin, fcmeq, fcmgt, fadd2, fsub2, add4, sub4, add16,
		addp2, and, bic, orr, orn, bsl, bit, zip1, zip2, zip1d, zip2d, fabs, fcmlt0, cnt, pairs8,
		pairs16, addPairs, zero}
	for n := range uint32(32) {
		ops = append(ops, shl(n), sshr(n+1))
	}
	for lane := range uint32(4) {
		ops = append(ops, dup(lane), fmla(lane), fmul2(lane%2))
	}
	return ops
}

// TestEncodings compares each word with what an independent disassembler reads in it. The registers
// differ in all bits, and an orr of one register twice would be a mov.
func TestEncodings(t *testing.T) {
	for _, o := range all() {
		for _, registers := range [][]uint32{{1, 10, 20}, {30, 21, 11}, {31, 0, 16}} {
			registers = registers[:strings.Count(o.text, "%d")]
			word, text := o.word(registers...)
			var code [4]byte
			binary.LittleEndian.PutUint32(code[:], word)
			decoded, err := arm64asm.Decode(code[:])
			if err != nil {
				t.Errorf("%#08x, %s: %v", word, text, err)
				continue
			}
			if got := arm64asm.GNUSyntax(decoded); got != text {
				t.Errorf("%#08x is %s, want %s", word, got, text)
			}
		}
	}
}
