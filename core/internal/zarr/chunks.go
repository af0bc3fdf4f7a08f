package zarr

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"path"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/internal/packed"
	"github.com/bagscope/bagscope/internal/msg"
)

// IsNumber reports whether entries are numbers or booleans.
func (a *Array) IsNumber() bool { return a.Kind != 0 && a.Kind != 'T' && a.Kind != 'U' }

// Supported returns why the array cannot be read, or nil.
func (a *Array) Supported() error { return a.wrong }

// entries returns the product of a shape.
func entries(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Numbers returns all entries, row-major, in the type and byte order of the store.
func (a *Array) Numbers() ([]byte, error) {
	if a.wrong != nil {
		return nil, a.wrong
	}
	n, size := entries(a.Shape), entries(a.Unit())*a.Size
	if err := a.store.limits.Reserve(int64(n)*int64(a.Size) + 2*int64(size)); err != nil {
		return nil, err
	}
	out, chunk := make([]byte, n*a.Size), make([]byte, size)
	err := a.eachChunk(func(at []int, data []byte) error {
		if data == nil {
			for i := 0; i < size; i += a.Size {
				copy(chunk[i:], a.fill)
			}
		} else if err := a.unpack(chunk, data); err != nil {
			return err
		}
		a.place(out, chunk, at)
		return nil
	})
	return out, err
}

// Texts returns all entries of an array of texts of one axis.
func (a *Array) Texts() ([]string, error) {
	if a.wrong != nil {
		return nil, a.wrong
	}
	if a.Kind != 'T' || len(a.Shape) != 1 {
		return nil, &UnsupportedError{a.path, "a table of texts"}
	}
	if err := a.store.limits.Reserve(16 * int64(a.Shape[0])); err != nil {
		return nil, err
	}
	out := make([]string, a.Shape[0])
	err := a.eachChunk(func(at []int, data []byte) error {
		if data == nil {
			return nil
		}
		data, err := a.unpackTexts(data)
		if err != nil {
			return err
		}
		if len(data) < 4 {
			return msg.Errorf("its texts end too early")
		}
		data = data[4:]
		unit := a.Unit()[0]
		for i := range min(unit, len(out)-at[0]*unit) {
			if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
				return msg.Errorf("its texts end too early")
			}
			n := int(binary.LittleEndian.Uint32(data))
			out[at[0]*unit+i] = string(data[4 : 4+n])
			data = data[4+n:]
		}
		return nil
	})
	return out, err
}

// eachChunk calls use with the place of each chunk among the chunks, which are those in shards, and
// its bytes, or nil for one that is not stored.
func (a *Array) eachChunk(use func(at []int, data []byte) error) error {
	if entries(a.Shape) == 0 {
		return nil
	}
	at := make([]int, len(a.Shape))
	for {
		name := path.Join(a.path, a.name(at))
		data, err := a.store.read(name, a.store.limits.Bytes, 1)
		if err != nil && !missing(err) {
			return err
		}
		if a.inner != nil {
			err = a.eachInner(at, data, use)
		} else {
			err = use(at, data)
		}
		if err != nil {
			return &FormatError{Path: name, Reason: msg.Sprintf("a chunk: %v", err), Err: err}
		}
		axis := len(at) - 1
		for ; axis >= 0; axis-- {
			if at[axis]++; at[axis]*a.chunk[axis] < a.Shape[axis] {
				break
			}
			at[axis] = 0
		}
		if axis < 0 {
			return nil
		}
	}
}

// name returns the name of a chunk.
func (a *Array) name(at []int) string {
	if len(at) == 0 {
		if a.prefix == "" {
			return "0"
		}
		return "c"
	}
	words := make([]string, len(at))
	for i, n := range at {
		words[i] = strconv.Itoa(n)
	}
	return a.prefix + strings.Join(words, a.mark)
}

// unpack unpacks a chunk of numbers into dst.
func (a *Array) unpack(dst, data []byte) error {
	for i := len(a.codecs) - 1; i >= 0; i-- {
		name := a.codecs[i].name
		if name == "crc32c" {
			var err error
			if data, err = checked(data); err != nil {
				return err
			}
			continue
		}
		return unpackers[name](dst, data)
	}
	if len(data) != len(dst) {
		return msg.Errorf("it has %d bytes instead of %d", len(data), len(dst))
	}
	copy(dst, data)
	return nil
}

// unpackers unpack chunks whose size is known.
var unpackers = map[string]func(dst, src []byte) error{"blosc": packed.Blosc, "zstd": packed.Zstd,
	"gzip": packed.Gzip, "zlib": packed.Zlib, "lz4": sizedLZ4}

// sizedLZ4 unpacks a block of LZ4 behind its size.
func sizedLZ4(dst, src []byte) error {
	if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) != uint64(len(dst)) {
		return msg.Errorf("it does not state its size")
	}
	return packed.LZ4(dst, src[4:])
}

// checked removes a checksum of four bytes.
func checked(data []byte) ([]byte, error) {
	n := len(data) - 4
	if n < 0 || crc32.Checksum(data[:n], crc32.MakeTable(crc32.Castagnoli)) !=
		binary.LittleEndian.Uint32(data[n:]) {
		return nil, msg.Errorf("its checksum does not match; the file is damaged")
	}
	return data[:n], nil
}

// mostTexts bounds the bytes of the texts of a chunk.
const mostTexts = 16 << 20

// unpackTexts unpacks a chunk of texts, whose size is not known before.
func (a *Array) unpackTexts(data []byte) ([]byte, error) {
	for i := len(a.codecs) - 1; i >= 0; i-- {
		switch name := a.codecs[i].name; name {
		case "crc32c":
			var err error
			if data, err = checked(data); err != nil {
				return nil, err
			}
		default:
			out, err := packed.Within(name, data, mostTexts, a.store.limits.Reserve)
			if err != nil {
				return nil, err
			}
			data = out
		}
	}
	return bytes.Clone(data), nil
}

// place copies the part of a chunk that lies in the array.
func (a *Array) place(out, chunk []byte, at []int) {
	rank := len(a.Shape)
	unit := a.Unit()
	inChunk, inOut := strides(unit, a.fortran), strides(a.Shape, false)
	from := 0
	n := make([]int, rank)
	for i := range n {
		n[i] = min(unit[i], a.Shape[i]-at[i]*unit[i])
		from += at[i] * unit[i] * inOut[i]
	}
	a.copyAxis(out, chunk, n, inOut, inChunk, from, 0, 0)
}

// copyAxis copies the entries of axis and of those behind it.
func (a *Array) copyAxis(
	out, chunk []byte, n, inOut, inChunk []int, to, from, axis int,
) {
	size := a.Size
	switch {
	case axis == len(n):
		copy(out[to*size:(to+1)*size], chunk[from*size:])
	case axis == len(n)-1 && inChunk[axis] == 1:
		copy(out[to*size:(to+n[axis])*size], chunk[from*size:])
	default:
		for i := range n[axis] {
			a.copyAxis(out, chunk, n, inOut, inChunk, to+i*inOut[axis], from+i*inChunk[axis],
				axis+1)
		}
	}
}

// strides returns how many entries apart neighbours along each axis are.
func strides(shape []int, fortran bool) []int {
	out, n := make([]int, len(shape)), 1
	for i := range shape {
		at := len(shape) - 1 - i
		if fortran {
			at = i
		}
		out[at] = n
		n *= shape[at]
	}
	return out
}
