//go:build gpu

package gpu

import (
	"context"
	"math"
)

// gramRows is how many rows a dispatch adds: of twice as many limbs of 16 bits would not overflow
// yet, but Mesa's llvmpipe ends all loops of an invocation after 65,535 rounds together.
const gramRows = 1 << 15

// Gram implements device.Device. Weights become whole numbers of 63 bits, of which sums are exact.
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
	g := gram{p: p, words: words, k: k, rows: rows, tiles: tiles}
	defer g.close()
	err = g.upload(z[:n*words], whole)
	for first := 0; first < len(tiles) && err == nil; first += g.atOnce {
		err = g.write(ctx, dst, unit, first)
	}
	if err == errFull {
		return false, nil
	}
	return err == nil, err
}

// wholeWeights returns weights as multiples of a unit so small that their sum of magnitudes has 62
// bits, in two's complement; nil when they are not finite.
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

// gramTiles lists the tiles of the upper triangle: the word of their rows, and that of their
// columns 16 bits higher. It is nil for more instances than that counts.
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
	p *processor
	record
	words, k, rows int
	tiles          []uint32
	atOnce         int       // tiles whose sums are bound at a time
	parts          []gramRun // of rows
	list, sums     *buffer
	taken          []*buffer
}

// A gramRun is rows that are bound at a time.
type gramRun struct {
	count      int
	z, weights *buffer
}

const tileBytes = 32 * 32 * 8

func (g *gram) keep(b *buffer, err error) (*buffer, error) {
	if err == nil {
		g.taken = append(g.taken, b)
	}
	return b, err
}

func (g *gram) close() {
	if g.p.lost == "" {
		g.p.submit(&g.record)
	}
	for _, b := range g.taken {
		g.p.memory.put(b)
	}
}

func (g *gram) upload(z, whole []uint64) (err error) {
	for lo := 0; lo < len(whole); lo += g.rows {
		r := gramRun{count: min(g.rows, len(whole)-lo)}
		if r.z, err = g.keep(g.p.upload(bytesOf(
			z[lo*g.words : (lo+r.count)*g.words]))); err != nil {
			return err
		}
		if r.weights, err = g.keep(g.p.upload(bytesOf(whole[lo : lo+r.count]))); err != nil {
			return err
		}
		g.parts = append(g.parts, r)
	}
	if g.list, err = g.keep(g.p.upload(bytesOf(g.tiles))); err != nil {
		return err
	}
	g.atOnce = min(len(g.tiles), g.p.binding/tileBytes)
	if g.atOnce == 0 {
		return errFull
	}
	g.sums, err = g.keep(g.p.memory.take(g.atOnce * tileBytes))
	return err
}

// write computes some tiles for all rows, and writes them to dst.
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
	if err := g.p.download(ctx, &g.record, bytesOf(sums), []*buffer{g.sums},
		[]int{len(sums) * 8}); err != nil {
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
