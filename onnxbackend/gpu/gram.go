//go:build gpu

package gpu

import (
	"context"
	"math"
)

// gramRows is the number of rows that a dispatch adds. The kernel adds limbs of 16 bits in 32-bit
// words, which overflow after 65,536 rows. Mesa's llvmpipe ends all loops of an invocation after
// 65,535 rounds together.
const gramRows = 1 << 15

// Gram implements device.Device. It rounds weights to integers of 63 bits, whose sums are exact in
// any order. If the device is lost already, it leaves the matrix to the CPU without an error.
func (p *processor) Gram(
	ctx context.Context, dst []float64, z []uint64, words, n, k int, w []float64,
) (done bool, err error) {
	whole, unit := wholeWeights(w[:n])
	rows := min(n, gramRows, p.binding/8, p.binding/(8*words))
	tiles := gramTiles(k)
	if whole == nil || rows == 0 || 4*len(tiles) > p.binding {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.guard(&err)
	if p.lost != "" {
		return false, nil
	}
	g := gram{job: job{p: p}, words: words, k: k, rows: rows, tiles: tiles}
	defer g.close()
	err = g.uploadAll(z[:n*words], whole)
	for first := 0; first < len(tiles) && err == nil; first += g.atOnce {
		err = g.write(ctx, dst, unit, first)
	}
	if err == errFull {
		return false, nil
	}
	return err == nil, err
}

// wholeWeights returns weights as multiples of a unit, in two's complement. The unit is the power
// of two for which the sum of magnitudes has 62 bits. It returns nil if the sum is zero or not
// finite, or the unit is not a normal number.
func wholeWeights(w []float64) (whole []uint64, unit float64) {
	total := 0.0
	for _, v := range w {
		total += math.Abs(v)
	}
	if total-total != 0 {
		return nil, 0
	}
	_, exponent := math.Frexp(total) // total < 2^exponent
	shift := 62 - exponent
	if total == 0 || shift > 1000 || shift < -1000 {
		return nil, 0
	}
	unit = math.Ldexp(1, -shift)
	for _, v := range w {
		whole = append(whole, uint64(int64(math.RoundToEven(v/unit))))
	}
	return whole, unit
}

// gramTiles lists the tiles of 32 x 32 elements of the upper triangle for k instances. The lower 16
// bits are the tile's row, the upper ones its column. It returns nil if these bits are too few.
func gramTiles(k int) []uint32 {
	side := (k + 31) / 32
	if side >= 1<<16 {
		return nil
	}
	tiles := make([]uint32, 0, side*(side+1)/2)
	for i := range side {
		for l := i; l < side; l++ {
			tiles = append(tiles, uint32(i|l<<16))
		}
	}
	return tiles
}

// gram is one call of Gram.
type gram struct {
	job
	words, k, rows int
	tiles          []uint32
	atOnce         int        // tiles whose sums are bound at a time
	parts          []gramPart // rows that are bound at a time
	list, sums     *buffer
}

// A gramPart is rows of bits and their weights on the device.
type gramPart struct {
	count      int
	z, weights *buffer
}

// tileBytes is the size of the sums of one tile, of 64 bits each.
const tileBytes = 32 * 32 * 8

// uploadAll uploads rows, weights and the list of tiles, and allocates the sums of as many tiles as
// can be bound.
func (g *gram) uploadAll(z, whole []uint64) (err error) {
	for lo := 0; lo < len(whole); lo += g.rows {
		r := gramPart{count: min(g.rows, len(whole)-lo)}
		if r.z, err = g.upload(bytesOf(z[lo*g.words : (lo+r.count)*g.words])); err != nil {
			return err
		}
		if r.weights, err = g.upload(bytesOf(whole[lo : lo+r.count])); err != nil {
			return err
		}
		g.parts = append(g.parts, r)
	}
	if g.list, err = g.upload(bytesOf(g.tiles)); err != nil {
		return err
	}
	g.atOnce = min(len(g.tiles), g.p.binding/tileBytes)
	if g.atOnce == 0 {
		return errFull
	}
	g.sums, err = g.keep(g.p.memory.alloc(g.atOnce * tileBytes))
	return err
}

// write computes tiles from first on for all rows, and writes them to dst in units of the weights.
func (g *gram) write(ctx context.Context, dst []float64, unit float64, first int) error {
	count := min(g.atOnce, len(g.tiles)-first)
	for i, r := range g.parts {
		var with params
		with.ints(0, r.count, 2*g.words, count, first, min(i, 1))
		if err := g.p.dispatch(&g.record, "gram", with, count, count*1024*r.count, g.sums, r.z,
			r.weights, g.list); err != nil {
			return err
		}
	}
	sums := make([]uint64, count*1024)
	if err := g.p.download(ctx, &g.record, [][]byte{bytesOf(sums)},
		[]*buffer{g.sums}); err != nil {
		return err
	}
	for _, t := range g.tiles[first : first+count] {
		row, column := int(t&0xffff)*32, int(t>>16)*32
		for i := row; i < min(row+32, g.k); i++ {
			line := sums[(i-row)*32:]
			for l := max(i, column); l < min(column+32, g.k); l++ {
				dst[i*g.k+l] = float64(int64(line[l-column])) * unit
			}
		}
		sums = sums[1024:]
	}
	return nil
}
