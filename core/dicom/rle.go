package dicom

import "encoding/binary"

// Sizes of the header of a frame in RLE (PS3.5, annex G): the number of segments, and their places.
const (
	rleHead     = 64
	rleSegments = 15
)

// unRLE unpacks a frame in RLE into samples in little endian, pixel by pixel. Each segment holds a
// byte of all samples of a colour, the high byte first.
func (f *File) unRLE(packed []byte) ([]byte, error) {
	bytes, samples := f.format.bytes(), f.format.samples
	pixels := f.Width * f.Height
	if len(packed) < rleHead {
		return nil, bad(f.name, "a frame in RLE is shorter than its header")
	}
	n := int(binary.LittleEndian.Uint32(packed))
	if n != bytes*samples || n > rleSegments {
		return nil, bad(f.name, "a frame in RLE has %d segments, but its pixels have %d bytes", n,
			bytes*samples)
	}
	// Two bytes stand for 128 at most.
	if int64(pixels)*int64(n) > 64*int64(len(packed)) {
		return nil, bad(f.name, "a frame of %d x %d pixels cannot be in %d bytes of RLE", f.Width,
			f.Height, len(packed))
	}
	out := make([]byte, pixels*n)
	for s := range n {
		from := int64(binary.LittleEndian.Uint32(packed[4+4*s:]))
		to := int64(len(packed))
		if s+1 < n {
			to = int64(binary.LittleEndian.Uint32(packed[8+4*s:]))
		}
		if from < rleHead || from > to || to > int64(len(packed)) {
			return nil, bad(f.name, "a segment of a frame in RLE lies outside of it")
		}
		colour, high := s/bytes, s%bytes
		at := colour*bytes + bytes - 1 - high
		if !unpackBits(out[at:], n, pixels, packed[from:to]) {
			return nil, bad(f.name, "a segment of a frame in RLE is cut off")
		}
	}
	return out, nil
}

// unpackBits writes count bytes to dst, at each step-th place, and reports whether packed holds
// them.
func unpackBits(dst []byte, step, count int, packed []byte) bool {
	done := 0
	for done < count && len(packed) > 1 {
		head := packed[0]
		packed = packed[1:]
		switch {
		case head < 128:
			n := int(head) + 1
			if n > len(packed) {
				return false
			}
			for _, v := range packed[:min(n, count-done)] {
				dst[done*step] = v
				done++
			}
			packed = packed[n:]
		case head > 128:
			for range min(257-int(head), count-done) {
				dst[done*step] = packed[0]
				done++
			}
			packed = packed[1:]
		}
	}
	return done == count
}
