package codec

// fastBits are the bits of the codes that a table finds at once.
const fastBits = 9

// A huffman is a table of codes (ITU-T T.81, annex C).
type huffman struct {
	fast   [1 << fastBits]uint16 // length << 8 | value of the code that begins so, or 0
	end    [17]uint32            // the first code, left in 16 bits, that is longer than the index
	first  [17]int32             // place in values of code 0 of a length
	values []byte
}

// readHuffman reads tables of codes (B.2.4.2).
func (f *jpegFrame) readHuffman(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 {
			return bad("its tables of codes are damaged")
		}
		class, to, n := b[0]>>4, b[0]&15, 0
		for _, count := range b[1:17] {
			n += int(count)
		}
		if class > 1 || to > 3 || n > 256 || len(b) < 17+n {
			return bad("its tables of codes are damaged")
		}
		h := &huffman{values: b[17 : 17+n]}
		if !h.number([16]byte(b[1:17])) {
			return bad("it has more codes of a length than there can be")
		}
		f.tables[class][to], b = h, b[17+n:]
	}
	return nil
}

// number gives values their codes, of which counts[i] have i+1 bits (C.2). It returns false for
// more than can be.
func (h *huffman) number(counts [16]byte) bool {
	code, at := uint32(0), 0
	for i, count := range counts {
		length := i + 1
		h.first[length] = int32(at) - int32(code)
		for range count {
			if code >= 1<<length {
				return false
			}
			if length <= fastBits {
				from := code << (fastBits - length)
				for j := range uint32(1) << (fastBits - length) {
					h.fast[from+j] = uint16(length)<<8 | uint16(h.values[at])
				}
			}
			code++
			at++
		}
		h.end[length] = code << (16 - length)
		code <<= 1
	}
	return true
}

// jpegBits reads bits of a scan, up to a marker. Behind a byte of eight ones stands one of zeros.
type jpegBits struct {
	data   []byte
	at     int
	value  uint64 // the next bits, in its lower n
	n      uint
	failed bool // the data ended, or have a code that no table has
}

// fill reads bytes while there is room for them.
func (b *jpegBits) fill() {
	for b.n <= 48 && b.at < len(b.data) {
		v := b.data[b.at]
		if v == 0xff {
			if b.at+1 == len(b.data) || b.data[b.at+1] != 0 {
				return
			}
			b.at++
		}
		b.at++
		b.value = b.value<<8 | uint64(v)
		b.n += 8
	}
}

// symbol decodes a value.
func (b *jpegBits) symbol(h *huffman) byte {
	if b.n < 16 {
		b.fill()
	}
	// Zeros stand for bits behind the end; a code that takes some of them fails.
	next := uint32(b.value<<16>>b.n) & 0xffff
	if b.n > 16 {
		next = uint32(b.value>>(b.n-16)) & 0xffff
	}
	length, value := uint(0), byte(0)
	if fast := h.fast[next>>(16-fastBits)]; fast != 0 {
		length, value = uint(fast>>8), byte(fast)
	} else {
		for length = 1; length <= 16 && next >= h.end[length]; length++ {
		}
		if length > 16 {
			b.failed = true
			return 0
		}
		value = h.values[h.first[length]+int32(next>>(16-length))]
	}
	if length > b.n {
		b.failed = true
		return 0
	}
	b.n -= length
	return value
}

// number reads a number of a size in bits, at most 16 (F.2.2.1).
func (b *jpegBits) number(size uint) int32 {
	if size == 0 {
		return 0
	}
	if b.n < size {
		if b.fill(); b.n < size {
			b.failed = true
			return 0
		}
	}
	b.n -= size
	v := int32(b.value >> b.n & (1<<size - 1))
	if v < 1<<(size-1) {
		v -= 1<<size - 1
	}
	return v
}

// resume moves behind the next marker of a restart, whose number is that of the interval.
func (b *jpegBits) resume(i int) {
	b.value, b.n = 0, 0
	if b.at+1 >= len(b.data) || b.data[b.at] != 0xff ||
		b.data[b.at+1] != firstRestart+byte(i%8) {
		b.failed = true
		return
	}
	b.at += 2
}
