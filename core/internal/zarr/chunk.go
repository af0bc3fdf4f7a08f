package zarr

import (
	"encoding/binary"
	"io"
	"math"
	"path"

	"github.com/bagscope/bagscope/internal/msg"
)

// packedBytes returns the most bytes that n bytes are packed into.
func packedBytes(n int) int64 { return 2*int64(n) + 1<<16 }

// Chunk returns the entries of a chunk at a place among all chunks, which are those in shards:
// row-major, of shape Unit, in the type and byte order of the store. A chunk that is not stored is
// filled. reserve reserves what reading takes, with the chunk. Of a shard it reads the index and
// the bytes of the chunk. Errors are a *FormatError, an *UnsupportedError or those of reserve.
func (a *Array) Chunk(at []int, reserve func(bytes int64) error) ([]byte, error) {
	if a.wrong != nil {
		return nil, a.wrong
	}
	n := entries(a.Unit()) * a.Size
	if err := reserve(2 * int64(n)); err != nil {
		return nil, err
	}
	name, data, err := a.stored(at, packedBytes(n), reserve)
	if err != nil && !missing(err) {
		return nil, err
	}
	out := make([]byte, n)
	if data == nil {
		for i := 0; i < n; i += a.Size {
			copy(out[i:], a.fill)
		}
		return out, nil
	}
	if err := a.unpack(out, data); err != nil {
		return nil, &FormatError{Path: name, Reason: msg.Sprintf("a chunk: %v", err), Err: err}
	}
	if a.fortran {
		turned, unit := make([]byte, n), a.Unit()
		a.copyAxis(turned, out, unit, strides(unit, false), strides(unit, true), 0, 0, 0)
		return turned, nil
	}
	return out, nil
}

// stored returns the packed bytes of a chunk, at most some, and the file that they are in; nil for
// a chunk that its shard does not store.
func (a *Array) stored(
	at []int, most int64, reserve func(bytes int64) error,
) (name string, data []byte, err error) {
	if a.inner == nil {
		name = path.Join(a.path, a.name(at))
		data, err = a.store.part(name, 0, -1, most, reserve)
		return name, data, err
	}
	shard, per := make([]int, len(at)), make([]int, len(at))
	number := 0
	for i := range at {
		per[i] = a.chunk[i] / a.inner[i]
		shard[i] = at[i] / per[i]
		number = number*per[i] + at[i]%per[i]
	}
	name = path.Join(a.path, a.name(shard))
	size := int64(entryBytes * entries(per))
	if a.sums {
		size += 4
	}
	from := -size // the end of the file
	if a.first {
		from = 0
	}
	index, err := a.store.part(name, from, size, size, reserve)
	if err == nil && a.sums {
		if index, err = checked(index); err != nil {
			err = &FormatError{Path: name, Reason: msg.Sprintf("the index of a shard: %v", err),
				Err: err}
		}
	}
	if err != nil {
		return name, nil, err
	}
	start := binary.LittleEndian.Uint64(index[entryBytes*number:])
	n := binary.LittleEndian.Uint64(index[entryBytes*number+8:])
	if start == math.MaxUint64 && n == math.MaxUint64 {
		return name, nil, nil
	}
	if start > math.MaxInt64 || n > math.MaxInt64 {
		return name, nil, damaged(name, "chunk %d lies outside of its shard", number)
	}
	data, err = a.store.part(name, int64(start), int64(n), most, reserve)
	return name, data, err
}

// part reads n bytes of a file from a place on, at most some; all of it if n is negative. A
// negative place counts from the end.
func (s *store) part(
	file string, at, n, most int64, reserve func(bytes int64) error,
) ([]byte, error) {
	f, size, err := s.open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if at < 0 {
		at += size
	}
	if n < 0 {
		n = size - at
	}
	if at < 0 || n > size || at > size-n {
		return nil, damaged(file, "%d bytes at byte %d lie outside of its %d bytes", n, at, size)
	}
	if n > most {
		return nil, damaged(file, "%d bytes hold a chunk that needs at most %d", n, most)
	}
	if err := reserve(n); err != nil {
		return nil, err
	}
	data := make([]byte, n)
	// Members of zip archives cannot be read from a place on.
	if r, ok := f.(io.ReaderAt); ok {
		return data, filled(file, io.NewSectionReader(r, at, n), data)
	}
	if _, err := io.CopyN(io.Discard, f, at); err != nil {
		return nil, &FormatError{Path: file, Reason: msg.Sprintf("it cannot be read: %v", err),
			Err: err}
	}
	return data, filled(file, f, data)
}
