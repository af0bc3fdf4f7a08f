package packed

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/bagscope/bagscope/internal/msg"
)

// Within unpacks bytes by the codec of a name, blosc, zstd, gzip, zlib or lz4 behind its size, to
// at most limit bytes, which reserve reserves.
func Within(name string, src []byte, limit int, reserve func(bytes int64) error) ([]byte, error) {
	// Codecs that do not state a size begin with this one.
	size := min(limit, max(1<<16, 64*len(src)))
	var unpack func(dst, src []byte) error
	switch name {
	case "blosc":
		n, err := BloscSize(src)
		if err != nil {
			return nil, err
		}
		size, unpack = n, Blosc
	case "lz4":
		if len(src) < 4 {
			return nil, errLZ4
		}
		size, unpack = int(binary.LittleEndian.Uint32(src)), LZ4
		src = src[4:]
	case "zstd":
		var head zstd.Header
		if err := head.Decode(src); err != nil {
			return nil, err
		}
		if head.HasFCS {
			size = int(min(head.FrameContentSize, 1<<31-1))
		}
	}
	if size > limit || size < 0 {
		return nil, msg.Errorf("it unpacks to more than %d bytes", limit)
	}
	if err := reserve(int64(size)); err != nil {
		return nil, err
	}
	out := make([]byte, size)
	if unpack != nil {
		return out, unpack(out, src)
	}
	if name == "zstd" {
		n, err := ZstdWithin(out, src)
		return out[:n], err
	}
	var r io.Reader
	var err error
	if name == "gzip" {
		r, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(src))
	}
	if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(r, out)
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		if err == nil && n == len(out) {
			return nil, msg.Errorf("it unpacks to more than %d bytes", size)
		}
		return nil, err
	}
	return out[:n], nil
}
