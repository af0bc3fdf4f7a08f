// Package webpframe bounds the memory of decoding WebP files by golang.org/x/image/webp, and gives
// lossy pictures their colours.
package webpframe

import "encoding/binary"

// A lossless frame has up to mostGroups groups of five tables of codes. The decoder allocates for a
// table 128 entries of four bytes, the head of a list, and 16 bytes for each symbol; the tables of
// a group have up to 3136 symbols.
const (
	mostGroups = 2600
	groupBytes = 5*(128*4+24) + 16*3136
	// tableBytes is what the decoder allocates for a byte of the file. Codes of equal length take
	// no bits: the table with most memory for its bits has 2^11 symbols in 66 bits.
	tableBytes = (128*4+24+16<<11)*8/66 + 1
)

// Bytes returns the most bytes that decoding a file takes for each pixel, and once.
func Bytes(data []byte) (perPixel, once int64) {
	for at := uint64(12); at+8 <= uint64(len(data)); {
		id, size := string(data[at:][:4]), uint64(binary.LittleEndian.Uint32(data[at+4:]))
		// The opacity of a lossy frame (ALPH) can be a lossless picture.
		if id == "VP8L" || id == "ALPH" {
			return 16, min(mostGroups*groupBytes, tableBytes*int64(len(data)))
		}
		at += 8 + size + size%2
	}
	return 6 + 4, 0 // and its colours
}
