package bagio

import (
	"encoding/binary"
	"io"
)

// unpackedSize returns the size that a gzip file states, modulo 2^32 (RFC 1952, ISIZE), or 0 if its
// packed size makes that impossible. Files of several members state that of the last one.
func unpackedSize(s *source) (int64, error) {
	var last [4]byte
	if s.size < int64(len(last)) {
		return 0, nil
	}
	if err := s.fill(last[:], s.size-int64(len(last))); err != nil {
		return 0, err
	}
	n := int64(binary.LittleEndian.Uint32(last[:]))
	if n/maxDeflate > s.size {
		return 0, nil
	}
	return n, nil
}

// leastBuffer is the size of the first buffer if the size of unpacked data is not known.
const leastBuffer = 1 << 16

// steppedBytes is how many unpacked bytes a step stands for.
const steppedBytes = 4 << 20

// unpacked reads r to its end, within the limit of bytes, with steps of o.Step. Memory is reserved
// before it is allocated: the size that the file states at once, and then twice as much each time.
func unpacked(name string, r io.Reader, stated int64, o Options) ([]byte, error) {
	l := o.Limits
	size := min(max(stated+1, leastBuffer), l.Bytes+1)
	if err := l.reserve(name, size); err != nil {
		return nil, err
	}
	out, done := make([]byte, 0, size), 0
	for {
		if at := len(out) / steppedBytes; o.Step != nil && at > done {
			if err := o.Step(at, max(at, int(stated/steppedBytes))); err != nil {
				return nil, err
			}
			done = at
		}
		// The last byte of the buffer shows whether the data exceed it.
		n, err := r.Read(out[len(out):cap(out)])
		switch out = out[:len(out)+n]; {
		case err == io.EOF && int64(len(out)) <= l.Bytes:
			return out, nil
		case err != nil && err != io.EOF:
			return nil, bad(name, "it cannot be unpacked: %v", err)
		case len(out) < cap(out):
			continue
		case int64(len(out)) > l.Bytes:
			return nil, &LimitError{name, "it unpacks to too many bytes", "bytes", l.Bytes}
		}
		grown := min(2*size, l.Bytes+1)
		if err := l.reserve(name, grown); err != nil {
			return nil, err
		}
		out = append(make([]byte, 0, grown), out...)
		l.Memory.Release(size)
		size = grown
	}
}
