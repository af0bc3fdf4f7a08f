package core

import (
	"cmp"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// A neighbour is an instance near another one, at a squared distance in sides of a patch.
type neighbour struct {
	i       int
	squared float64
}

// places finds the neighbours of patches.
type places struct {
	bag   string
	x, y  []float64      // (instance) upper left corner, in sides of a patch
	cells map[[2]int]int // (column, row) the first instance in a cell of the grid; nil without grid
	next  []int          // (instance) the next one in its cell, -1 for none
	order []int          // instances from left to right
	at    []int          // (instance) its place in order
	left  int            // candidates that may still be looked at
}

// mostCandidates bounds the patches that are compared. On slides each patch is compared with those
// of a few columns; only patches that lie at one place make it more.
const mostCandidates = math.MaxInt32

// placesOf returns the places of a bag's patches, in cells of a grid or in the order of columns.
func placesOf(b *Bag, grid bool) (*places, error) {
	k := b.Len()
	p := &places{bag: b.Name, x: make([]float64, k), y: make([]float64, k), left: mostCandidates}
	for i, r := range b.Boxes {
		p.x[i], p.y[i] = float64(r.Min.X), float64(r.Min.Y)
	}
	wide, high := 0, 0
	for _, r := range b.Boxes {
		wide, high = wide+r.Dx(), high+r.Dy()
	}
	width, height := max(float64(wide)/float64(k), 1), max(float64(high)/float64(k), 1)
	if grid {
		return p, p.fillCells(width, height)
	}
	p.order, p.at = make([]int, k), make([]int, k)
	for i := range k {
		p.x[i] /= width
		p.y[i] /= height
		p.order[i] = i
	}
	slices.SortStableFunc(p.order, func(i, j int) int {
		return cmp.Compare(p.x[i], p.x[j])
	})
	for at, i := range p.order {
		p.at[i] = at
	}
	return p, nil
}

// fillCells puts the patches, whose mean sides are given, into the cells of a grid. The error is a
// *BagError if they do not lie on one.
func (p *places) fillCells(width, height float64) error {
	columns, x := onGrid(p.x, width)
	rows, y := onGrid(p.y, height)
	if columns == nil || rows == nil {
		return &BagError{p.bag, msg.Sprintf("its patches do not lie on a grid of steps of %v and "+
			"%v pixels; use knn(n) or radius(r) for its adjacency", x, y)}
	}
	p.cells, p.next = map[[2]int]int{}, make([]int, len(p.x))
	for i := len(columns) - 1; i >= 0; i-- {
		cell := [2]int{columns[i], rows[i]}
		first, ok := p.cells[cell]
		if !ok {
			first = -1
		}
		p.next[i], p.cells[cell] = first, i
		p.x[i], p.y[i] = float64(columns[i]), float64(rows[i])
	}
	return nil
}

// onGrid returns the numbers of columns of coordinates, and the step between two: the smallest
// between coordinates, or a side if no patches of two columns can be neighbours, because all steps
// are of two sides. The columns are nil if the step is below a quarter of a side, or if a
// coordinate is further than a quarter of a step from its column.
func onGrid(coordinates []float64, side float64) (columns []int, step float64) {
	sorted := slices.Clone(coordinates)
	slices.Sort(sorted)
	step = math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		if d := sorted[i] - sorted[i-1]; d > 0 {
			step = min(step, d)
		}
	}
	switch {
	case step >= 2*side:
		step = side
	case step < side/4:
		return nil, step
	}
	columns = make([]int, len(coordinates))
	for i, v := range coordinates {
		at := (v - sorted[0]) / step
		if math.Abs(at-math.Round(at)) > .25 {
			return nil, step
		}
		columns[i] = int(math.Round(at))
	}
	return columns, step
}

// near returns the neighbours of a patch, in any order.
func (p *places) near(i int, a *Adjacency) ([]neighbour, error) {
	if p.cells != nil {
		return p.inCells(i, a.Neighbours == "grid8"), nil
	}
	// limit is the squared distance beyond which no patch is a neighbour. For knn it shrinks.
	var found []neighbour
	limit, most := a.Reach*a.Reach, math.MaxInt
	if a.Neighbours == "knn" {
		limit, most = math.Inf(1), int(a.Reach)
	}
	for _, step := range []int{-1, 1} { // patches to the left, from the nearest, then to the right
		for at := p.at[i] + step; at >= 0 && at < len(p.order); at += step {
			j := p.order[at]
			dx, dy := p.x[i]-p.x[j], p.y[i]-p.y[j]
			if dx*dx > limit {
				break
			}
			if p.left--; p.left < 0 {
				return nil, p.crowded()
			}
			n := neighbour{j, dx*dx + dy*dy}
			if n.squared > limit {
				continue
			}
			if most == math.MaxInt {
				if found = append(found, n); len(found) > mostNear {
					return found, nil // the caller returns an error
				}
			} else if found = closest(found, n, most); len(found) == most {
				limit = found[most-1].squared
			}
		}
	}
	return found, nil
}

// closest adds a neighbour to a list from the nearest on, and keeps at most the first ones.
func closest(list []neighbour, n neighbour, most int) []neighbour {
	at, _ := slices.BinarySearchFunc(list, n, nearer)
	list = slices.Insert(list, at, n)
	return list[:min(len(list), most)]
}

// nearer orders neighbours by their distance, and those of one distance by their number.
func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(a.squared, b.squared), a.i-b.i)
}

// crowded returns the error for patches that lie at nearly one place.
func (p *places) crowded() error {
	return &BagError{p.bag, "too many of its patches lie above each other for an adjacency; " +
		"check the coordinates"}
}

// inCells returns the patches in the cells around that of a patch, and in its own.
func (p *places) inCells(i int, diagonal bool) []neighbour {
	var found []neighbour
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			if dx != 0 && dy != 0 && !diagonal {
				continue
			}
			j, ok := p.cells[[2]int{int(p.x[i]) + dx, int(p.y[i]) + dy}]
			for ; ok && j >= 0; j = p.next[j] {
				if j == i {
					continue
				}
				found = append(found, neighbour{j, float64(dx*dx + dy*dy)})
				if len(found) > mostNear {
					return found
				}
			}
		}
	}
	return found
}
