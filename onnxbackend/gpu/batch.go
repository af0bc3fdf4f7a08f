//go:build gpu

package gpu

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// walkMost is how many places of an order are looked at. Members are met sooner in all but the
// smallest coalitions, and Mesa's llvmpipe ends loops after 65,535 rounds.
const walkMost = 1 << 15

// A batch is some coalitions on their way through the device: bits in, what is pooled out, with one
// wait.
type batch struct {
	*held
	record
	words int // of a coalition, of 32 bits
	n     int
	taken []*buffer
}

func (b *batch) pool(ctx context.Context, z []uint64, to [][]float32) (err error) {
	defer func() {
		if err != nil && b.p.lost == "" { // what is recorded uses buffers
			b.p.submit(&b.record)
		}
		for _, t := range b.taken {
			b.p.memory.put(t)
		}
	}()
	bits, err := b.p.upload(bytesOf(z))
	if err != nil {
		return err
	}
	b.taken = append(b.taken, bits)
	made, sizes, size := make([]*buffer, len(to)), make([]int, len(to)), 0
	for i := range to {
		sizes[i] = 4 * len(to[i])
		size += sizes[i]
		if made[i], err = b.take(sizes[i]); err != nil {
			return err
		}
		if b.what[i].Take > 0 {
			err = b.walk(i, bits, made[i])
		} else {
			err = b.sum(i, bits, made[i])
		}
		if err != nil {
			return err
		}
	}
	for len(to) > 0 { // as many at a time as one buffer holds
		count, size := 0, 0
		for count < len(to) && (count == 0 || size+sizes[count] <= b.p.binding) {
			size += sizes[count]
			count++
		}
		bytes := make([]byte, size)
		if err := b.p.download(ctx, &b.record, bytes, made[:count], sizes[:count]); err != nil {
			return err
		}
		for _, v := range to[:count] {
			bytes = bytes[copy(bytesOf(v), bytes):]
			if !finite(v) {
				return b.p.retreat(errNotFinite.Error())
			}
		}
		to, made, sizes = to[count:], made[count:], sizes[count:]
	}
	return nil
}

func (b *batch) take(n int) (*buffer, error) {
	t, err := b.p.memory.take(n)
	if err == nil {
		b.taken = append(b.taken, t)
	}
	return t, err
}

// sum records the sums of what is held at place i: of each slice of each part, then of the slices.
func (b *batch) sum(i int, bits, to *buffer) error {
	columns, slices := b.what[i].Columns, b.slices(i)
	made := to
	if slices > 1 {
		var err error
		if made, err = b.take(4 * b.n * columns * slices); err != nil {
			return err
		}
	}
	first := 0
	for _, t := range b.parts[i] {
		var with params
		count := slicesOf(t.count)
		with.ints(0, b.n, columns, t.count, b.words, t.from/32, sliceWords, count, first)
		tiles := ((b.n + 63) / 64) * ((columns + 63) / 64)
		if err := b.p.dispatch(&b.record, "sums", with, tiles*count, b.n*columns*t.count, made,
			bits, t.values); err != nil {
			return err
		}
		first += count
	}
	if slices == 1 {
		return nil
	}
	var with params
	n := b.n * columns
	with.ints(0, n, slices)
	return b.p.dispatch(&b.record, "join", with, (n+255)/256, n*slices, to, made)
}

// walk records what is taken in an order at place i.
func (b *batch) walk(i int, bits, to *buffer) error {
	w := &b.what[i]
	for _, t := range b.parts[i] {
		var with params
		n := b.n * t.count
		with.ints(0, b.n, min(b.k, walkMost), b.words, t.count, t.from, w.Columns, w.Take, w.Inner)
		with.reals(8, device.NotMet)
		if err := b.p.dispatch(&b.record, "walk", with, (n+255)/256, n*w.Take*4, to, bits, t.order,
			t.values); err != nil {
			return err
		}
	}
	return nil
}
