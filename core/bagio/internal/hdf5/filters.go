package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/bagscope/bagscope/core/internal/packed"
	"github.com/bagscope/bagscope/internal/msg"
)

// Identifiers of filters.
const (
	filterDeflate  = 1
	filterShuffle  = 2
	filterFletcher = 3
	filterScale    = 6
	filterLZF      = 32000
	filterBlosc    = 32001
	filterLZ4      = 32004
	filterBits     = 32008
	filterZstd     = 32015
)

// filterNames are filters of the library and of its registry that are named in errors.
var filterNames = map[int]string{4: "szip", 5: "nbit", 307: "bzip2",
	32013: "zfp", 32017: "sz", 32026: "blosc2"}

// A filter is a step of packing a chunk.
type filter struct {
	id      int
	element int // bytes of an entry, for shuffle and bitshuffle
	block   int // entries of a block of bitshuffle, or 0
	codec   int // packing of bitshuffle
	scale   *scaleOffset
}

// readFilters reads a filter pipeline message (section "Data Storage - Filter Pipeline Message").
func (d *Dataset) readFilters(h *header) error {
	m := h.find(msgFilters)
	if m == nil {
		return nil
	}
	c, err := d.s.body(m)
	if err != nil {
		return err
	}
	version := c.version("filter pipeline", 1, 2)
	n := int(c.u8())
	if version == 1 {
		c.bytes(6)
	}
	if c.err == nil && n > 32 {
		c.fail("chunks have %d filters", n)
	}
	for range n {
		f, name, values := d.readFilter(c, version)
		switch {
		case c.err != nil:
			return c.err
		case f.id == filterScale:
			if f.scale, err = newScaleOffset(values); err != nil {
				return damaged(m.addr, "%v", err)
			}
		case f.id == filterDeflate, f.id == filterFletcher, f.id == filterLZF,
			f.id == filterBlosc, f.id == filterLZ4, f.id == filterZstd:
		case f.id == filterBits:
			if f.element < 1 || f.element > 1<<16 || f.block < 0 || f.block > 1<<30 {
				return damaged(m.addr, "bitshuffle has entries of %d bytes in blocks of %d",
					f.element, f.block)
			}
			if bitCodecs[f.codec] == nil && f.codec != 0 {
				return unsupported("bitshuffle with codec %d", f.codec)
			}
		case f.id == filterShuffle:
			if f.element <= 0 {
				return damaged(m.addr, "shuffle has no size")
			}
		default:
			return &UnsupportedError{What: msg.Sprintf("filter %d (%s)", f.id, msg.Text(name)),
				Way: repack("h5py, hdf5plugin")}
		}
		// Each filter takes the time of all values.
		if slices.ContainsFunc(d.filters, func(before filter) bool { return before.id == f.id }) {
			return unsupported("filter %d that packs a chunk twice", f.id)
		}
		d.filters = append(d.filters, f)
	}
	return c.err
}

// scaleValues is the most parameters of scale-offset that count.
const scaleValues = 10

// readFilter reads one filter, its name and its first parameters.
func (d *Dataset) readFilter(c *cursor, version byte) (filter, string, []uint32) {
	f := filter{id: c.u16()}
	nameSize := 0
	if version == 1 || f.id >= 256 {
		nameSize = c.u16()
	}
	c.bytes(2)
	values := c.u16()
	if version == 1 {
		nameSize = aligned(nameSize)
	}
	name, _, _ := bytes.Cut(c.bytes(nameSize), []byte{0})
	var first []uint32
	for i := range values {
		value := c.u32()
		if len(first) < scaleValues {
			first = append(first, uint32(value))
		}
		switch v := int(value); {
		case i == 0 && f.id != filterBits, i == 2 && f.id == filterBits:
			f.element = v
		case i == 3:
			f.block = v
		case i == 4:
			f.codec = v
		}
	}
	if version == 1 && values%2 == 1 {
		c.bytes(4)
	}
	if known := filterNames[f.id]; known != "" {
		return f, known, first
	}
	return f, msg.Sprintf("%.40q", name), first
}

// An unpacker undoes filters. It reuses its memory.
type unpacker struct {
	buffers [2][]byte
	inflater
}

// unpack undoes the filters of a chunk of size bytes, except those whose bit in mask is set. The
// result shares memory with data or with the unpacker.
func (u *unpacker) unpack(data []byte, filters []filter, mask uint32, size int) ([]byte, error) {
	next := 0 // the buffer that does not hold data
	for i := len(filters) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		out := &u.buffers[next]
		var err error
		switch f := filters[i]; f.id {
		case filterFletcher:
			data, err = checkFletcher(data)
			if err != nil {
				return nil, err
			}
			continue
		case filterShuffle:
			*out = resized(*out, len(data))
			packed.Unshuffle(*out, data, f.element)
		case filterDeflate:
			*out = resized(*out, packedLimit(size))
			var n int
			n, err = u.inflate(*out, data)
			*out = (*out)[:n]
		case filterLZF:
			*out, err = unpackLZF(*out, data, packedLimit(size))
		default:
			*out, err = f.unpack(*out, data, packedLimit(size))
		}
		if err != nil {
			return nil, err
		}
		data, next = *out, 1-next
	}
	if len(data) != size {
		return nil, fmt.Errorf("it unpacks to %d bytes instead of %d", len(data), size)
	}
	return data, nil
}

// bitCodecs unpack the blocks of bitshuffle.
var bitCodecs = map[int]func(dst, src []byte) error{2: packed.LZ4, 3: packed.Zstd}

// unpack undoes a filter of the registry, to at most limit bytes. What is unpacked states its size.
func (f filter) unpack(out, data []byte, limit int) ([]byte, error) {
	if f.id == filterZstd {
		out = resized(out, limit)
		n, err := packed.ZstdWithin(out, data)
		return out[:n], err
	}
	n := len(data)
	var err error
	switch {
	case f.id == filterScale:
		n = min(f.scale.entries, limit+1) * f.scale.size
	case f.id == filterBlosc:
		n, err = packed.BloscSize(data)
	case f.id == filterLZ4 || f.codec != 0:
		if len(data) < 8 {
			return nil, fmt.Errorf("its size is missing")
		}
		n = int(min(binary.BigEndian.Uint64(data), 1<<31-1))
	}
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errTooLong
	}
	out = resized(out, n)
	switch f.id {
	case filterScale:
		err = f.scale.unpack(out, data)
	case filterBlosc:
		err = packed.Blosc(out, data)
	case filterLZ4:
		err = packed.LZ4Blocks(out, data)
	case filterBits:
		err = packed.Bitshuffled(out, data, f.element, f.block, bitCodecs[f.codec])
	}
	return out, err
}

// packedLimit returns the most bytes that a chunk of size bytes has between two filters: a
// checksum, or what packing adds to bytes that do not compress.
func packedLimit(size int) int { return size + size/64 + 1024 }

// checkFletcher removes a checksum of four bytes from the end of data.
func checkFletcher(data []byte) ([]byte, error) {
	n := len(data) - 4
	if n < 0 {
		return nil, fmt.Errorf("its checksum is missing")
	}
	got, want := fletcher32(data[:n]), binary.LittleEndian.Uint32(data[n:])
	// HDF5 1.6.2 stored the bytes of each half in the other order, and later versions accept it.
	old := bits.ReverseBytes32(bits.RotateLeft32(got, 16))
	if got != want && old != want {
		return nil, fmt.Errorf("its checksum does not match; the file is damaged")
	}
	return data[:n], nil
}

// resized returns a slice of n bytes, which shares the memory of b if it is large enough.
func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// unpackLZF decompresses LZF data to at most limit bytes. A byte below 32 is one less than the
// number of bytes that follow; another one begins a copy of bytes unpacked before: its length minus
// 2 in the upper three bits, 7 of which are a reason to add the next byte, and the distance minus 1
// in the other bits and a byte.
func unpackLZF(dst, data []byte, limit int) ([]byte, error) {
	dst = resized(dst, limit)[:0]
	short := fmt.Errorf("its LZF data are damaged")
	for i := 0; i < len(data); {
		head := int(data[i])
		i++
		if head < 32 {
			n := head + 1
			if n > len(data)-i || n > limit-len(dst) {
				return nil, short
			}
			dst = append(dst, data[i:i+n]...)
			i += n
			continue
		}
		n := head>>5 + 2
		if n == 9 && i < len(data) {
			n += int(data[i])
			i++
		}
		if i >= len(data) {
			return nil, short
		}
		from := len(dst) - (head&31)<<8 - int(data[i]) - 1
		i++
		if from < 0 || n > limit-len(dst) {
			return nil, short
		}
		// A copy may read what it has written.
		for range n {
			dst = append(dst, dst[from])
			from++
		}
	}
	return dst, nil
}
