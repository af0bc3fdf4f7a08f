package codec

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
)

// Markers of a stream of JPEG (ITU-T T.81, table B.1) or of JPEG-LS (T.87, table C.1).
const (
	extendedFrame = 0xc1 // sequential DCT, Huffman coding
	losslessFrame = 0xc3
	huffmanTables = 0xc4
	firstRestart  = 0xd0
	startOfImage  = 0xd8
	endOfImage    = 0xd9
	startOfScan   = 0xda
	quantization  = 0xdb
	restarts      = 0xdd
	hpApplication = 0xe8 // colour transforms of HP
	lsFrameStart  = 0xf7
	presets       = 0xf8
)

// segments are the bytes of a stream that are not read yet, from a marker on.
type segments []byte

// segmentsOf returns those behind the start of a stream of a format.
func segmentsOf(stream []byte, format string) (segments, error) {
	if len(stream) < 2 || stream[0] != 0xff || stream[1] != startOfImage {
		return nil, bad("it does not begin as a stream of %s", msg.Text(format))
	}
	return stream[2:], nil
}

// next returns the next segment, and moves behind it.
func (s *segments) next() (marker byte, segment []byte, err error) {
	rest := *s
	for len(rest) >= 2 && rest[0] == 0xff && rest[1] == 0xff {
		rest = rest[1:] // a fill byte
	}
	if len(rest) < 4 || rest[0] != 0xff {
		return 0, nil, bad("its segments are damaged")
	}
	n := 2 + int(binary.BigEndian.Uint16(rest[2:]))
	if n < 4 || n > len(rest) {
		return 0, nil, bad("it ends within a segment")
	}
	*s = rest[n:]
	return rest[1], rest[4:n], nil
}

// isFrame reports whether a marker begins a frame of another kind than JPEG-LS.
func isFrame(marker byte) bool {
	return marker&0xf0 == 0xc0 && marker != huffmanTables && marker != 0xc8 && marker != 0xcc
}

// readFrame reads what a frame's segment states before its channels (T.81, B.2.2; T.87, C.2.2).
func (h *Header) readFrame(b []byte) error {
	if len(b) < 6 || len(b) != 6+3*int(b[5]) {
		return bad("the size of its header does not fit its channels")
	}
	h.Bits, h.Channels = int(b[0]), int(b[5])
	h.Height, h.Width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	switch {
	case h.Bits < 2 || h.Bits > mostBits:
		return bad("its samples have %d bits; 2 to %d are decoded", h.Bits, mostBits)
	case h.Channels < 1 || h.Channels > mostChannels:
		return bad("it has %d channels; 1 to %d are decoded", h.Channels, mostChannels)
	case h.Width == 0 || h.Height == 0:
		return bad("its picture has %d x %d pixels", h.Width, h.Height)
	}
	return nil
}
