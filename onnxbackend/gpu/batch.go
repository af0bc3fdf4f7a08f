//go:build gpu

package gpu

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// walkMost is how many places of an order are searched. Members are found earlier in all but the
// smallest coalitions, and Mesa's llvmpipe ends loops after 65,535 rounds.
const walkMost = 1 << 15

// A batch pools some coalitions: it uploads their bits and downloads the pooled values, with one
// wait.
type batch struct {
	job
	held  *held
	words int // 32-bit words of a coalition
	n     int // coalitions
}

// pool writes the results of all tables and orders for the bits z to to[i], (coalition, width).
func (b *batch) pool(ctx context.Context, z []uint64, to [][]float32) error {
	defer b.close()
	bits, err := b.upload(bytesOf(z))
	if err != nil {
		return err
	}
	results := make([]*buffer, len(to))
	for i := range to {
		if results[i], err = b.alloc(4 * len(to[i])); err != nil {
			return err
		}
		record := b.sum
		if b.held.what[i].Take > 0 {
			record = b.walk
		}
		if err := record(i, bits, results[i]); err != nil {
			return err
		}
	}
	return b.p.downloadFloats(ctx, &b.record, results, to)
}

// alloc returns a buffer of at least n bytes.
func (b *batch) alloc(n int) (*buffer, error) { return b.keep(b.p.memory.alloc(n)) }

// sum records the masked sums of table i: sums over each slice of the instances, then the sums of
// these. Slices run in parallel, so that a few coalitions of a large bag use all of the device.
func (b *batch) sum(i int, bits, to *buffer) error {
	columns, slices := b.held.what[i].Columns, b.held.slices(i)
	partial := to
	if slices > 1 {
		var err error
		if partial, err = b.alloc(4 * b.n * columns * slices); err != nil {
			return err
		}
	}
	first := 0
	for _, t := range b.held.parts[i] {
		var with params
		count := slicesOf(t.count)
		with.ints(0, b.n, columns, t.count, b.words, t.from/32, sliceWords, count, first)
		tiles := ((b.n + 63) / 64) * ((columns + 63) / 64)
		if err := b.p.dispatch(&b.record, "sums", with, tiles*count, b.n*columns*t.count,
			partial, bits, t.values); err != nil {
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
	return b.p.dispatch(&b.record, "join", with, groupsOf(n), n*slices, to, partial)
}

// walk records the first members of each coalition in the orders of columns.
func (b *batch) walk(i int, bits, to *buffer) error {
	w := &b.held.what[i]
	for _, t := range b.held.parts[i] {
		var with params
		n := b.n * t.count
		with.ints(0, b.n, min(b.held.k, walkMost), b.words, t.count, t.from, w.Columns, w.Take,
			w.Inner)
		with.reals(8, device.NotMet)
		if err := b.p.dispatch(&b.record, "walk", with, groupsOf(n), n*w.Take*4, to, bits, t.order,
			t.values); err != nil {
			return err
		}
	}
	return nil
}
