package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A CellGrid divides an instance into cells. Those at the right and at the bottom are smaller if
// the sides are not multiples of the cell. By bands, a cell is a band of a picture.
type CellGrid struct {
	ByBands       bool // Cell is then the deviation of a blur alone
	Height, Width int  // sides of the instance in pixels; a vector of features is one row
	Cell          int  // side of a cell in pixels
	Rows, Columns int  // numbers of cells

	channels int
	last     bool // channels are the last axis, not the first
}

// newCellGrid returns the grid of the shape of values: (features), (height, width), those with an
// axis of at most four channels first or last, or square pictures after fewer channels. A cell of 0
// is the smallest that makes at most usualCells cells. Errors are *SettingError for a cell that
// does not divide the instance, and for instances without bands, and *BagError for another shape.
func newCellGrid(of shownPictures, cell int, byBands bool) (CellGrid, error) {
	const mostChannels = 4
	g := CellGrid{channels: 1, Height: 1}
	switch s := of.shape(); {
	case len(s) == 1:
		g.Width = s[0]
	case len(s) == 2:
		g.Height, g.Width = s[0], s[1]
	case len(s) == 3 && (s[0] <= mostChannels || s[1] == s[2] && s[0] < s[1]):
		g.channels, g.Height, g.Width = s[0], s[1], s[2]
	case len(s) == 3 && s[2] <= mostChannels:
		g.Height, g.Width, g.channels, g.last = s[0], s[1], s[2], true
	default:
		return g, &core.BagError{
			Bag: of.bag.Name,
			Reason: msg.Sprintf("its instances of shape %v are neither pictures "+
				"of up to %d channels nor vectors of features, so that they have no cells",
				s, mostChannels),
		}
	}
	if cell == 0 {
		cell = 1
		for ceilDivide(g.Height, cell)*ceilDivide(g.Width, cell) > usualCells {
			cell++
		}
	}
	g.Cell, g.Rows, g.Columns = cell, ceilDivide(g.Height, cell), ceilDivide(g.Width, cell)
	if byBands {
		if g.channels < 2 || g.channels > MostCells {
			return g, &core.SettingError{Setting: "groups", Reason: msg.Sprintf("instances of "+
				"shape %v are no pictures of 2 to %d bands; use cells, or for features the slide "+
				"that they are from, with its encoder", of.shape(), MostCells)}
		}
		g.ByBands, g.Rows, g.Columns = true, 1, g.channels
		return g, nil
	}
	switch n := g.Cells(); {
	case n < 2:
		return g, &core.SettingError{
			Setting: "cell",
			Reason: fmt.Sprintf("%d makes a single cell of an instance of %d by %d; use a "+
				"smaller cell", cell, g.Height, g.Width),
		}
	case n > MostCells:
		return g, &core.SettingError{
			Setting: "cell",
			Reason: fmt.Sprintf("%d makes %d cells of an instance of %d by %d, at most %d are "+
				"possible; use a larger cell", cell, n, g.Height, g.Width, MostCells),
		}
	}
	return g, nil
}

// ceilDivide returns a / b, rounded up.
func ceilDivide(a, b int) int { return (a + b - 1) / b }

// Cells returns the number of cells.
func (g CellGrid) Cells() int { return g.Rows * g.Columns }

// At returns the cell of a pixel.
func (g CellGrid) At(x, y int) int { return y/g.Cell*g.Columns + x/g.Cell }

// index returns where an instance has the value of a channel at a pixel.
func (g CellGrid) index(channel, y, x int) int {
	if g.last {
		return (y*g.Width+x)*g.channels + channel
	}
	return (channel*g.Height+y)*g.Width + x
}

// cellOf returns the cell of each value of an instance.
func (g CellGrid) cellOf() []int {
	out := make([]int, g.channels*g.Height*g.Width)
	for c := range g.channels {
		for y := range g.Height {
			for x := range g.Width {
				out[g.index(c, y, x)] = g.At(x, y)
				if g.ByBands {
					out[g.index(c, y, x)] = c
				}
			}
		}
	}
	return out
}

// hide returns a function of the values of an instance, which returns them if all of its cells are
// hidden. Errors are those of reading pictures.
func (g CellGrid) hide(
	ctx context.Context, of shownPictures, how Hidden,
) (func(values []float32) []float32, error) {
	switch how {
	case HiddenZero:
		return func(values []float32) []float32 { return make([]float32, len(values)) }, nil
	case HiddenBlur:
		return g.blurred, nil
	}
	mean, err := of.mean(ctx)
	return func([]float32) []float32 { return mean }, err
}

// blurred returns an instance after a Gaussian blur of the cell's side as standard deviation: what
// is smaller than a cell disappears. Weights of pixels outside are left out.
func (g CellGrid) blurred(values []float32) []float32 {
	reach := 2 * g.Cell
	weights := make([]float64, 2*reach+1)
	for n := range weights {
		d := float64(n-reach) / float64(g.Cell)
		weights[n] = math.Exp(-d * d / 2)
	}
	// along returns the mean around place `at` of n places of a row or a column.
	along := func(at, n int, value func(place int) float32) float32 {
		sum, total := 0.0, 0.0
		for place := max(0, at-reach); place <= min(n-1, at+reach); place++ {
			w := weights[place-at+reach]
			sum += w * float64(value(place))
			total += w
		}
		return float32(sum / total)
	}
	rows, out := slices.Clone(values), slices.Clone(values)
	for c := range g.channels {
		for y := range g.Height {
			for x := range g.Width {
				rows[g.index(c, y, x)] = along(x, g.Width, func(x int) float32 {
					return values[g.index(c, y, x)]
				})
			}
		}
		for y := range g.Height {
			for x := range g.Width {
				out[g.index(c, y, x)] = along(y, g.Height, func(y int) float32 {
					return rows[g.index(c, y, x)]
				})
			}
		}
	}
	return out
}
