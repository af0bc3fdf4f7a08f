package hdf5

import (
	"errors"
	"math/bits"
)

// A huffman decodes a Huffman code of RFC 1951 by table: the next bits of the input are an index.
// Codes that are longer than the index continue in a second table.
//
// An entry has the number of bits that it consumes in bits 0 to 4, its kind in bits 5 to 7, a
// number of extra bits in bits 8 to 12 and a value from bit 16 on.
type huffman struct {
	table []uint32
	bits  int // of an index
}

// Kinds of entries. An entry without bits is not a code.
const (
	isLiteral = 1 << 5
	isEnd     = 1 << 6
	isTable   = 1 << 7 // the value is the place of another table, with as many bits as extra bits
)

const longestCode = 15

var errCode = errors.New("its deflate data are damaged")

// set builds the tables of the code with the given lengths. Entry returns the kind, extra bits and
// value of a symbol. A code must be complete; like zlib it may be one bit or empty.
func (h *huffman) set(lengths []byte, indexBits int, entry func(symbol int) uint32) error {
	// Codes of the same length are successive numbers (RFC 1951, section 3.2.2).
	var count, next [longestCode + 2]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	code, longest, used := 0, 0, 0
	for n := 1; n <= longestCode; n++ {
		code <<= 1
		next[n] = code
		code += count[n]
		if count[n] > 0 {
			longest = n
			used += count[n]
		}
	}
	if used > 0 && code != 1<<longestCode && !(used == 1 && longest == 1) {
		return errCode
	}
	h.bits = indexBits
	h.table = append(h.table[:0], make([]uint32, 1<<indexBits)...)
	for symbol, n := range lengths {
		if n > 0 {
			h.add(next[n], int(n), max(0, longest-indexBits), entry(symbol))
			next[n]++
		}
	}
	return nil
}

// add adds a code of n bits. Tables behind the first one have more bits.
func (h *huffman) add(code, n, more int, entry uint32) {
	// Codes come with their first bit lowest.
	reversed := int(bits.Reverse32(uint32(code)) >> (32 - n))
	table, width := h.table[:1<<h.bits], h.bits
	if n > h.bits {
		first := &h.table[reversed&(1<<h.bits-1)]
		if *first == 0 {
			*first = uint32(len(h.table))<<16 | uint32(more)<<8 | isTable | uint32(h.bits)
			h.table = append(h.table, make([]uint32, 1<<more)...)
			first = &h.table[reversed&(1<<h.bits-1)]
		}
		table, width = h.table[*first>>16:], more
		reversed >>= h.bits
		n -= h.bits
	}
	// The bits behind the code can be anything.
	for i := reversed; i < 1<<width; i += 1 << n {
		table[i] = entry | uint32(n)
	}
}

// lengthBase and lengthBits give the lengths of the symbols from 257 on (RFC 1951, section 3.2.5).
var (
	lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51,
		59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
		5, 5, 5, 5, 0}
)

// literalEntry returns the entry of a symbol for literals and lengths. Symbols 286 and 287 are not
// used.
func literalEntry(symbol int) uint32 {
	switch {
	case symbol < 256:
		return isLiteral | uint32(symbol)<<16
	case symbol == 256:
		return isEnd
	case symbol-257 < len(lengthBase):
		return uint32(lengthBase[symbol-257])<<16 | uint32(lengthBits[symbol-257])<<8
	}
	return isLiteral | isEnd
}

// distanceEntry returns the entry of a symbol for distances. Symbols 30 and 31 are not used.
func distanceEntry(symbol int) uint32 {
	switch {
	case symbol < 4:
		return uint32(symbol+1) << 16
	case symbol < 30:
		extra := symbol/2 - 1
		return uint32(1+(2+symbol&1)<<extra)<<16 | uint32(extra)<<8
	}
	return isEnd
}

// lengthEntry returns the entry of a symbol for the lengths of codes.
func lengthEntry(symbol int) uint32 { return uint32(symbol) << 16 }
