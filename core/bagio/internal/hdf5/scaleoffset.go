package hdf5

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A scaleOffset undoes the filter that stores the entries of a chunk as differences from the least
// one, in as few bits as these need (H5Zscaleoffset.c of HDF5). Floats have been rounded to some
// decimal digits before.
type scaleOffset struct {
	entries int
	size    int // bytes of an entry
	float   bool
	digits  int    // decimal digits that floats were rounded to
	big     bool   // entries are big-endian
	filled  bool   // the largest difference stands for fill
	fill    uint64 // the bits of an entry
}

// newScaleOffset reads the client data of the filter: the kind of scaling, its factor, the number
// of entries, their class, size, sign and order, and the fill value.
func newScaleOffset(values []uint32) (*scaleOffset, error) {
	if len(values) < 8 {
		return nil, fmt.Errorf("scale-offset has %d parameters", len(values))
	}
	s := &scaleOffset{entries: int(values[2]), size: int(values[4]), float: values[3] == 1,
		digits: int(int32(values[1])), big: values[6] == 1, filled: values[7] == 1}
	kinds := map[bool]uint32{false: 2, true: 0}
	integer := slices.Contains([]int{1, 2, 4, 8}, s.size) && values[3] == 0
	if values[0] != kinds[s.float] || !integer && !(s.float && (s.size == 4 || s.size == 8)) {
		return nil, fmt.Errorf("scale-offset of kind %d has entries of class %d in %d bytes",
			values[0], values[3], values[4])
	}
	for i, v := range values[8:] {
		if i < 2 && 4*i < s.size {
			s.fill |= uint64(v) << (32 * i)
		}
	}
	return s, nil
}

// scaleHead is the number of bytes before the differences: their bits, the size of the least entry,
// this entry, and five bytes without meaning.
const scaleHead = 21

// unpack undoes the filter into out, which must have the bytes of all entries.
func (s *scaleOffset) unpack(out, data []byte) error {
	if len(data) < scaleHead || data[4] != 8 {
		return fmt.Errorf("its scale-offset head is damaged")
	}
	bits, least := uint64(binary.LittleEndian.Uint32(data)), binary.LittleEndian.Uint64(data[5:])
	data = data[scaleHead:]
	if bits > uint64(8*s.size) || bits*uint64(s.entries) > 8*uint64(len(data)) {
		return fmt.Errorf("%d entries of %d bits do not fit in %d bytes", s.entries, bits,
			len(data))
	}
	whole := bits == uint64(8*s.size) // entries are stored as they are
	for i := range s.entries {
		var v uint64
		if whole {
			v = littleUint(data[i*s.size:], s.size)
		} else {
			v = s.value(bitsAt(data, uint64(i)*bits, bits), bits, least)
		}
		entry := out[i*s.size:][:s.size]
		for n := range entry {
			entry[n] = byte(v >> (8 * n))
		}
		if s.big {
			slices.Reverse(entry)
		}
	}
	return nil
}

// value returns the bits of an entry whose difference from the least one is v.
func (s *scaleOffset) value(v, bits, least uint64) uint64 {
	switch {
	case s.filled && v == 1<<bits-1:
		return s.fill
	case !s.float:
		return v + least
	case s.size == 4:
		scale := float32(math.Pow10(s.digits))
		x := float32(float32(int32(v))/scale) + math.Float32frombits(uint32(least))
		return uint64(math.Float32bits(x))
	}
	x := float64(float64(int64(v))/math.Pow10(s.digits)) + math.Float64frombits(least)
	return math.Float64bits(x)
}

// bitsAt returns n bits from a place on, the first of which is the highest.
func bitsAt(data []byte, at, n uint64) (v uint64) {
	for n > 0 {
		free := 8 - at%8
		take := min(free, n)
		part := uint64(data[at/8]) >> (free - take) & (1<<take - 1)
		v, at, n = v<<take|part, at+take, n-take
	}
	return v
}

// littleUint returns an integer of some bytes.
func littleUint(data []byte, size int) (v uint64) {
	for n := range size {
		v |= uint64(data[n]) << (8 * n)
	}
	return v
}
