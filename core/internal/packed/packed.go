// Package packed unpacks blocks whose unpacked size is known, so that no block can fill the memory.
// Each function fills dst, and returns an error for a block that is damaged or has another size.
package packed

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// errSize is the error of a block that unpacks to another size.
var errSize = errors.New("it does not unpack to the size that the file states")

// Gzip unpacks a file of gzip.
func Gzip(dst, src []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	return all(dst, r)
}

// Zlib unpacks a stream of zlib.
func Zlib(dst, src []byte) error {
	r, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	return all(dst, r)
}

// all fills dst, at whose end r must end.
func all(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	switch more, err := r.Read(make([]byte, 1)); {
	case more > 0:
		return errSize
	case err != io.EOF:
		return err
	}
	return nil
}

// MostZstd is the largest size of a block that Zstd unpacks.
const MostZstd = 64 << 20

// decoder returns the decoder of all blocks, which has no state between them.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MostZstd))
})

// Zstd unpacks frames of Zstandard.
func Zstd(dst, src []byte) error {
	n, err := ZstdWithin(dst, src)
	if err == nil && n != len(dst) {
		return errSize
	}
	return err
}

// ZstdWithin unpacks frames of Zstandard into the beginning of dst, and returns their size.
func ZstdWithin(dst, src []byte) (int, error) {
	var head zstd.Header
	if err := head.Decode(src); err != nil {
		return 0, err
	}
	if len(dst) > MostZstd || head.HasFCS && head.FrameContentSize > uint64(len(dst)) {
		return 0, errSize
	}
	d, err := decoder()
	if err != nil {
		return 0, err
	}
	out, err := d.DecodeAll(src, dst[:0])
	if err != nil {
		return 0, err
	}
	if len(out) > len(dst) {
		return 0, errSize
	}
	return copy(dst, out), nil // the same memory, unless it grew
}
