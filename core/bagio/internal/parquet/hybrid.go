package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/bagscope/bagscope/internal/msg"
)

// hybrid fills dst with numbers of width bits, in runs of equal numbers and in groups of eight
// (section "Run Length Encoding / Bit-Packing Hybrid").
func hybrid(dst []uint32, data []byte, width int) error {
	if width < 0 || width > 32 {
		return msg.Errorf("its numbers have %d bits", width)
	}
	size := (width + 7) / 8
	for len(dst) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return msg.Errorf("its runs end too early")
		}
		data = data[n:]
		if head&1 == 0 {
			if len(data) < size || head>>1 == 0 {
				return msg.Errorf("its runs end too early")
			}
			v := uint32(0)
			for i := range size {
				v |= uint32(data[i]) << (8 * i)
			}
			data = data[size:]
			run := dst[:min(uint64(len(dst)), head>>1)]
			for i := range run {
				run[i] = v
			}
			dst = dst[len(run):]
			continue
		}
		count := min(uint64(len(dst)), min(head>>1, 1<<32)*8)
		if head>>1 == 0 {
			return msg.Errorf("its runs end too early")
		}
		group := min(uint64(len(data)), min(head>>1, 1<<32)*uint64(width))
		if err := unpackBits(dst[:count], data[:group], width); err != nil {
			return err
		}
		dst, data = dst[count:], data[group:]
	}
	return nil
}

// unpackBits fills dst with numbers of width bits, from the lowest bit of each byte on.
func unpackBits(dst []uint32, data []byte, width int) error {
	if uint64(len(dst))*uint64(width) > uint64(len(data))*8 {
		return msg.Errorf("its packed numbers end too early")
	}
	held, left := uint64(0), 0
	for i := range dst {
		for left < width {
			held |= uint64(data[0]) << left
			data, left = data[1:], left+8
		}
		dst[i] = uint32(held & (1<<width - 1))
		held >>= width
		left -= width
	}
	return nil
}

// bitWidth is the number of bits of levels up to a number.
func bitWidth(most int) int { return bits.Len(uint(most)) }
