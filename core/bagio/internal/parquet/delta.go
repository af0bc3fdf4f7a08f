package parquet

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
)

var errDelta = msg.Errorf("its differences are damaged")

// deltas fills dst with whole numbers that are stored as differences (DELTA_BINARY_PACKED), and
// returns what follows them.
func deltas(dst []int64, data []byte) ([]byte, error) {
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			data = nil
			return 0
		}
		data = data[n:]
		return v
	}
	block, minis, count := next(), next(), next()
	first := next()
	if data == nil || minis == 0 || block%128 != 0 || block/minis%32 != 0 || block == 0 ||
		block > 1<<20 || count != uint64(len(dst)) {
		return nil, errDelta
	}
	if len(dst) == 0 {
		return data, nil
	}
	last := signed(first)
	dst[0] = last
	dst = dst[1:]
	per := int(block / minis)
	for len(dst) > 0 {
		least := signed(next())
		if uint64(len(data)) < minis {
			return nil, errDelta
		}
		widths := data[:minis]
		data = data[minis:]
		for _, width := range widths {
			if len(dst) == 0 {
				break // widths of parts without numbers are not used
			}
			size := per / 8 * int(width)
			if width > 64 || size > len(data) {
				return nil, errDelta
			}
			part := dst[:min(per, len(dst))]
			wide(part, data[:size], int(width))
			for i := range part {
				last += least + part[i]
				part[i] = last
			}
			dst, data = dst[len(part):], data[size:]
		}
	}
	return data, nil
}

// wide fills dst with numbers of up to 64 bits. data must be long enough.
func wide(dst []int64, data []byte, width int) {
	bit := 0
	for i := range dst {
		v := uint64(0)
		for got := 0; got < width; {
			take := min(8-bit&7, width-got)
			v |= uint64(data[bit>>3]>>(bit&7)&(1<<take-1)) << got
			got += take
			bit += take
		}
		dst[i] = int64(v)
	}
}

func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
