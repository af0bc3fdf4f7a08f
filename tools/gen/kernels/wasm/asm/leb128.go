package asm

// unsigned appends v in LEB128.
func unsigned(to []byte, v uint32) []byte {
	for v >= 0x80 {
		to = append(to, byte(v)|0x80)
		v >>= 7
	}
	return append(to, byte(v))
}

// signed appends v in signed LEB128.
func signed(to []byte, v int32) []byte {
	for v < -64 || v > 63 {
		to = append(to, byte(v)&0x7f|0x80)
		v >>= 7
	}
	return append(to, byte(v)&0x7f)
}

// counted appends the length of b and b.
func counted(to, b []byte) []byte {
	return append(unsigned(to, uint32(len(b))), b...)
}
