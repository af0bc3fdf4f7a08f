package codec

// golomb decodes a number (A.5.3).
func (s *lsScan) golomb(k, limit int) int {
	zeros := 0
	for s.read(1) == 0 {
		if zeros++; zeros > limit || s.failed {
			s.failed = true
			return 0
		}
	}
	if zeros < limit-s.qbpp-1 {
		return zeros<<k | s.read(uint(k))
	}
	return s.read(uint(s.qbpp)) + 1
}

// lsBits reads bits of a scan. Behind a byte of eight ones a byte has seven bits (A.1).
type lsBits struct {
	data   []byte
	at     int
	value  uint64 // the next bits, in its lower n
	n      uint
	failed bool // the data ended
}

// read returns the next n bits, at most 32.
func (b *lsBits) read(n uint) int {
	for b.n < n {
		if b.at == len(b.data) {
			b.failed = true
			return 0
		}
		width := uint(8)
		if b.at > 0 && b.data[b.at-1] == 0xff {
			width = 7
		}
		b.value = b.value<<width | uint64(b.data[b.at])
		b.n += width
		b.at++
	}
	b.n -= n
	return int(b.value >> b.n & (1<<n - 1))
}
