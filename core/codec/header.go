package codec

import (
	"encoding/binary"
	"math"
)

// A Header is what a code stream of JPEG 2000 states about its picture (ISO/IEC 15444-1, A.5.1).
type Header struct {
	Width, Height int
	Channels      int // 1 to 4
	Bits          int // bits of a sample, 1 to 16
	Signed        bool
}

// Bounds of a header.
const (
	mostSide     = 1<<31 - 1
	mostChannels = 4
	mostBits     = 16
	// largestStep bounds the pixels between two samples of a channel. Formats use 1, 2 and 4.
	largestStep = 4
)

// ReadHeader reads the header of a raw code stream of JPEG 2000. It allocates nothing. A stream
// that is damaged, or whose channels differ in their bits, is a *[FormatError].
func ReadHeader(stream []byte) (Header, error) {
	const start, size, fixed = 0xff4f, 0xff51, 42
	b, order := stream, binary.BigEndian
	if len(b) < fixed || order.Uint16(b) != start || order.Uint16(b[2:]) != size {
		return Header{}, bad("it does not begin as a code stream of JPEG 2000")
	}
	right, low := int64(order.Uint32(b[8:])), int64(order.Uint32(b[12:]))
	left, top := int64(order.Uint32(b[16:])), int64(order.Uint32(b[20:]))
	channels := int(order.Uint16(b[40:]))
	switch {
	case channels < 1 || channels > mostChannels:
		return Header{}, bad("it has %d channels; 1 to %d are decoded", channels, mostChannels)
	case int(order.Uint16(b[4:])) != fixed-4+3*channels || len(b) < fixed+3*channels:
		return Header{}, bad("the size of its header does not fit %d channels", channels)
	case left >= right || top >= low || right > mostSide || low > mostSide:
		return Header{}, bad("its picture from (%d, %d) to (%d, %d) has no pixels, or too many",
			left, top, right, low)
	}
	h := Header{Width: int(right - left), Height: int(low - top), Channels: channels,
		Bits: int(b[fixed]&0x7f) + 1, Signed: b[fixed]>>7 == 1}
	if h.Bits > mostBits {
		return Header{}, bad("its samples have %d bits; at most %d are decoded", h.Bits, mostBits)
	}
	for c := range channels {
		about := b[fixed+3*c:]
		if about[0] != b[fixed] {
			return Header{}, bad("its channels differ in the bits of their samples")
		}
		if x, y := about[1], about[2]; x < 1 || y < 1 || x > largestStep || y > largestStep {
			return Header{}, bad("a channel has a sample each %d x %d pixels; steps of 1 to %d "+
				"are decoded", x, y, largestStep)
		}
	}
	return h, nil
}

// Memory bounds the bytes that decoding takes: the decoder's memory, and the samples that it
// returns. streamBytes is the size of the stream. The decoder holds a sample in four bytes, twice
// if the picture has tiles, and describes blocks of 16 samples at least; streams of encoders take
// less than half of this.
func (h Header) Memory(streamBytes int) int64 {
	return h.decoderBytes(streamBytes) + h.sampleBytes()
}

const (
	pageBytes = 1 << 16 // a page of WebAssembly
	// ownBytes are those of the module without a picture: its stack, its tables and small buffers.
	ownBytes = 8 << 20
)

// decoderBytes bounds the memory of an instance, in whole pages.
func (h Header) decoderBytes(streamBytes int) int64 {
	samples := int64(h.Width) * int64(h.Height) * int64(h.Channels)
	if samples > 1<<40 {
		samples = 1 << 40 // above every limit
	}
	n := ownBytes + 16*samples + h.sampleBytes() + 4*int64(streamBytes)
	return (n + pageBytes - 1) / pageBytes * pageBytes
}

// sampleBytes returns the bytes of the decoded samples.
func (h Header) sampleBytes() int64 {
	bytes := int64(1)
	if h.Bits > 8 {
		bytes = 2
	}
	most := int64(1) << 42 / (int64(h.Channels) * bytes)
	return min(int64(h.Width)*int64(h.Height), most) * int64(h.Channels) * bytes
}

// steps bounds the steps of reading packets, see shim.c. Each packet takes a byte at least, and
// each block of each packet a bit or a node of a tree.
func (h Header) steps(streamBytes int) uint32 {
	samples := min(int64(h.Width)*int64(h.Height), 1<<32) * int64(h.Channels)
	return uint32(min(1<<20+32*(samples+int64(streamBytes)), math.MaxUint32))
}
