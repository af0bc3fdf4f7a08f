package parquet

import (
	"github.com/klauspost/compress/s2"

	"github.com/bagscope/bagscope/core/internal/packed"
	"github.com/bagscope/bagscope/internal/msg"
)

// Types of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageData2      = 3
)

// Codecs of chunks.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
	codecLZ4    = 7
)

// codecNames are codecs that are named in errors.
var codecNames = map[int]string{3: "LZO", 4: "Brotli", 5: "the LZ4 of Hadoop"}

// A pageHead describes a page.
type pageHead struct {
	kind             int
	unpacked, packed int64 // bytes
	values           int64
	encoding         int
	definitions      int // encoding of levels in version 1, bytes of levels in version 2
	repetitions      int
	plain            bool // version 2: values are not packed
}

// readPageHead reads a PageHeader.
func (t *thrift) readPageHead() pageHead {
	h := pageHead{kind: -1}
	t.fields(thriftStruct, func(id int, kind byte) bool {
		switch id {
		case 1:
			h.kind = int(t.number(kind))
		case 2:
			h.unpacked = t.number(kind)
		case 3:
			h.packed = t.number(kind)
		case 5, 7: // a dictionary has no levels
			page := id
			t.fields(kind, func(id int, kind byte) bool {
				if page == 7 && id > 2 {
					return false
				}
				switch id {
				case 1:
					h.values = t.number(kind)
				case 2:
					h.encoding = int(t.number(kind))
				case 3:
					h.definitions = int(t.number(kind))
				case 4:
					h.repetitions = int(t.number(kind))
				default:
					return false
				}
				return true
			})
		case 8:
			t.fields(kind, func(id int, kind byte) bool {
				switch id {
				case 1:
					h.values = t.number(kind)
				case 4:
					h.encoding = int(t.number(kind))
				case 5:
					h.definitions = int(t.number(kind))
				case 6:
					h.repetitions = int(t.number(kind))
				case 7:
					h.plain = kind == thriftFalse
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	return h
}

// unpack unpacks src into dst by a codec.
func unpack(codec int, dst, src []byte) error {
	switch codec {
	case codecNone:
		if len(src) != len(dst) {
			return msg.Errorf("it has %d bytes instead of %d", len(src), len(dst))
		}
		copy(dst, src)
		return nil
	case codecSnappy:
		return snappy(dst, src)
	case codecGzip:
		return packed.Gzip(dst, src)
	case codecZstd:
		return packed.Zstd(dst, src)
	case codecLZ4:
		return packed.LZ4(dst, src)
	}
	return msg.Errorf("the codec is not known")
}

// codecKnown reports whether unpack has a codec.
func codecKnown(codec int) bool {
	switch codec {
	case codecNone, codecSnappy, codecGzip, codecZstd, codecLZ4:
		return true
	}
	return false
}

// snappy unpacks a block of Snappy. The library links encoding/json, which programs for browsers
// must not, so that this is not in package packed.
func snappy(dst, src []byte) error {
	n, err := s2.DecodedLen(src)
	if err != nil {
		return err
	}
	if n != len(dst) {
		return msg.Errorf("it unpacks to %d bytes instead of %d", n, len(dst))
	}
	_, err = s2.Decode(dst, src)
	return err
}
