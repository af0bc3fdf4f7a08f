package codec

import (
	"context"
	"math"
)

// zigzag holds the place in a block, row by row, of each coefficient (ITU-T T.81, figure 5).
var zigzag = [64]byte{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// waves[u][x] is what coefficient u adds to sample x of a line of eight (A.3.3).
var waves = func() (w [8][8]float64) {
	for u := range w {
		scale := .5
		if u == 0 {
			scale = math.Sqrt(.125)
		}
		for x := range w[u] {
			w[u][x] = scale * math.Cos(float64(2*x+1)*float64(u)*math.Pi/16)
		}
	}
	return w
}()

// blocks decodes a scan of blocks of 8 x 8 samples (annex F) into samples.
func (s *jpegScan) blocks(ctx context.Context, out []uint16) error {
	wide, high := (s.Width+7)/8, (s.Height+7)/8
	var block [64]float64
	for unit := range wide * high {
		if unit%wide == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if s.restart > 0 && unit > 0 && unit%s.restart == 0 {
			s.resume(unit/s.restart - 1)
			for i := range s.of {
				s.of[i].mean = 0
			}
		}
		for i := range s.of {
			s.block(&s.of[i], &block)
			if s.failed {
				return early()
			}
			invert(&block)
			s.put(out, &block, s.of[i].channel, unit%wide*8, unit/wide*8)
		}
	}
	return nil
}

// block decodes the coefficients of a block (F.2.2).
func (s *jpegScan) block(c *scanned, block *[64]float64) {
	*block = [64]float64{}
	size := uint(s.symbol(c.first))
	if size > 15 {
		s.failed = true
		return
	}
	c.mean += s.number(size)
	block[0] = float64(c.mean) * float64(c.steps[0])
	for k := 1; k < 64; k++ {
		v := s.symbol(c.others)
		zeros, size := int(v>>4), uint(v&15)
		if size == 0 {
			if zeros != 15 {
				return
			}
			k += 15
			continue
		}
		if k += zeros; k > 63 {
			s.failed = true
			return
		}
		block[zigzag[k]] = float64(s.number(size)) * float64(c.steps[k])
	}
}

// invert is the inverse transform of a block, by its definition, lines before columns. Products are
// rounded before they are added, so that every processor returns the same samples.
func invert(block *[64]float64) {
	for _, d := range [2]struct{ along, across int }{{1, 8}, {8, 1}} {
		for line := range 8 {
			var sums [8]float64
			for u := range 8 {
				v := block[line*d.across+u*d.along]
				if v == 0 {
					continue
				}
				for x, w := range waves[u] {
					sums[x] += float64(v * w)
				}
			}
			for x, v := range sums {
				block[line*d.across+x*d.along] = v
			}
		}
	}
}

// put writes the samples of a block whose first pixel is (left, top).
func (s *jpegScan) put(out []uint16, block *[64]float64, channel, left, top int) {
	middle, most := float64(int(1)<<(s.Bits-1)), float64(int(1)<<s.Bits-1)
	for y := range min(8, s.Height-top) {
		at := ((top+y)*s.Width+left)*s.Channels + channel
		for x := range min(8, s.Width-left) {
			v := math.Floor(block[8*y+x] + middle + .5)
			out[at+x*s.Channels] = uint16(max(0, min(v, most)))
		}
	}
}
