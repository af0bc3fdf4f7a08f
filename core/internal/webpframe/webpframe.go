// Package webpframe checks WebP files before golang.org/x/image/webp decodes them, and gives lossy
// pictures their colours.
package webpframe

import (
	"encoding/binary"
	"errors"
)

// errSizes is the error of a WebP file whose pixels have another size than it states.
var errSizes = errors.New("webp: its canvas and its frame differ in size")

// Check returns an error if the frame of a WebP file has another size than the canvas that its
// VP8X chunk states. The decoder returns the canvas as the size of the picture, but allocates the
// frame, and reads beyond the transparency, which is as large as the canvas (RFC 9649).
func Check(data []byte) error {
	var canvas [2]uint32
	for at := 12; at+8 <= len(data); {
		size := int(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		body = body[:min(len(body), size)]
		frame := canvas
		switch id := string(data[at:][:4]); {
		case id == "VP8X" && len(body) >= 10:
			canvas = [2]uint32{uint24(body[4:]) + 1, uint24(body[7:]) + 1}
			frame = canvas
		case id == "VP8 " && len(body) >= 10: // a frame's tag, its start code, width and height
			frame = [2]uint32{uint32(binary.LittleEndian.Uint16(body[6:]) & 0x3fff),
				uint32(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)}
		case id == "VP8L" && len(body) >= 5: // a signature and twice 14 bits
			bits := binary.LittleEndian.Uint32(body[1:])
			frame = [2]uint32{bits&0x3fff + 1, bits>>14&0x3fff + 1}
		}
		if canvas != [2]uint32{} && frame != canvas {
			return errSizes
		}
		at += 8 + size + size%2
	}
	return nil
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// groupBytes is what the decoder allocates for the tables of codes of a lossless frame: 2^16 groups
// of five, each with 128 entries of four bytes and the head of a list. A few bytes can make it
// allocate all of them.
const groupBytes = 1 << 16 * 5 * (128*4 + 24)

// Bytes returns the most bytes that decoding a file takes for each pixel, and once.
func Bytes(data []byte) (perPixel, once int64) {
	for at := 12; at+8 <= len(data); {
		id, size := string(data[at:][:4]), int(binary.LittleEndian.Uint32(data[at+4:]))
		// The opacity of a lossy frame (ALPH) can be a lossless picture.
		if id == "VP8L" || id == "ALPH" {
			return 16, groupBytes
		}
		at += 8 + size + size%2
	}
	return 6 + 4, 0 // and its colours
}
