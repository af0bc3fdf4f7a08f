package zarr

import (
	"encoding/binary"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
)

// entryBytes is what the index of a shard has for each chunk: its place and its size.
const entryBytes = 16

// eachInner calls use as eachChunk does with the chunks of a shard, which has a place among shards,
// that lie in the array. data is nil for a shard that is not stored.
func (a *Array) eachInner(shard []int, data []byte, use func(at []int, data []byte) error) error {
	rank := len(a.inner)
	per := make([]int, rank)
	for i := range per {
		per[i] = a.chunk[i] / a.inner[i]
	}
	var index []byte
	if data != nil {
		var err error
		if index, err = a.index(data, entries(per)); err != nil {
			return err
		}
	}
	at, inside := make([]int, rank), make([]int, rank)
	for i := range entries(per) {
		exists := true
		for axis, rest := rank-1, i; axis >= 0; axis-- {
			inside[axis], rest = rest%per[axis], rest/per[axis]
			at[axis] = shard[axis]*per[axis] + inside[axis]
			exists = exists && at[axis]*a.inner[axis] < a.Shape[axis]
		}
		if !exists {
			continue
		}
		var part []byte
		if index != nil {
			from := binary.LittleEndian.Uint64(index[entryBytes*i:])
			n := binary.LittleEndian.Uint64(index[entryBytes*i+8:])
			if from != math.MaxUint64 || n != math.MaxUint64 {
				if n > uint64(len(data)) || from > uint64(len(data))-n {
					return msg.Errorf("chunk %d lies outside of its shard", i)
				}
				part = data[from : from+n]
			}
		}
		if err := use(at, part); err != nil {
			return err
		}
	}
	return nil
}

// index returns the index of a shard of n chunks.
func (a *Array) index(data []byte, n int) ([]byte, error) {
	size := entryBytes * n
	if a.sums {
		size += 4
	}
	if size > len(data) {
		return nil, msg.Errorf("its index of chunks is missing")
	}
	index := data[len(data)-size:]
	if a.first {
		index = data[:size]
	}
	if a.sums {
		return checked(index)
	}
	return index, nil
}
