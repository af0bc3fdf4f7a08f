package tilenames

import (
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/lattice"
	"github.com/bagscope/bagscope/internal/msg"
)

// Orders of the two numbers of a name that no words explain, and None, which takes no places from
// names.
const (
	XY   = "xy"
	YX   = "yx"
	None = "none"
)

// Places are what the names of pictures state.
type Places struct {
	Boxes  []image.Rectangle // pixels of level 0
	Labels []int             // of the instances, or nil
	Note   string            // one sentence about what was taken
}

// Orders are those that answer a [Question], each with what is the case if it is right.
var Orders = [][2]string{{XY, "the first number is x or the column, as in names of Deep Zoom"},
	{YX, "the first number is y or the row"}}

// A Question says that the two numbers of names can be x and y, or y and x.
type Question struct{ First string }

// Error returns what was seen.
func (q *Question) Error() string {
	return msg.Sprintf("the names of the pictures, such as %s, state places, but not which "+
		"of the two numbers is x", q.First)
}

// Read returns the places of pictures of a size that their names state, or nil if they state none.
// All names must have the same pattern, and no two the same place. Numbers that are neighbours are
// columns and rows; others are pixels. Two numbers behind an id must be multiples of one distance,
// unless order says that they are places. order is XY, YX, None, or "" for what words in the names
// say, else the sides of pictures that are not square, else edges: those of neighbours continue
// each other. Read returns a *Question if nothing decides, a *core.SettingError for another order,
// and errors of edges.
func Read(
	files []string, size image.Point, order string, edges func(i int) (*Edges, error),
) (*Places, error) {
	if !slices.Contains([]string{"", XY, YX, None}, order) {
		return nil, &core.SettingError{Setting: "tile-names", Reason: msg.Sprintf("%q is unknown; "+
			"use one of %s, %s, %s", order, XY, YX, None)}
	}
	if len(files) < 2 || order == None {
		return nil, nil
	}
	names := namesOf(files)
	if names == nil {
		return nil, nil
	}
	p, ok := patternOf(names)
	if !ok {
		return nil, nil
	}
	t := tiles{names: names, pattern: p, size: size}
	if !t.place(order != "") {
		return nil, nil
	}
	why := ""
	if order == "" && !p.ordered {
		var err error
		order, why, err = t.order(edges)
		switch {
		case err != nil:
			return nil, err
		case order == "" && !p.shaped && !t.regular():
			return nil, nil // ids of two parts look so, too
		case order == "":
			return nil, &Question{files[0]}
		}
	}
	if order == YX && !p.ordered {
		t.swap()
	}
	out := &Places{Boxes: t.boxes()}
	unit := "pixels"
	if t.lattice {
		unit = "columns and rows of pictures"
	}
	labelled := ""
	if p.label >= 0 {
		out.Labels = make([]int, len(names))
		for i, n := range names {
			out.Labels[i] = n.numbers[p.label]
		}
		labelled = msg.Sprintf(", with the label %d", out.Labels[0])
	}
	out.Note = msg.Sprintf("the names of the pictures state their places in %s: %s is at x %v and "+
		"y %v, of %v x %v pixels%s%s", msg.Text(unit), files[0], t.at[0], t.at[1],
		out.Boxes[0].Dx(), out.Boxes[0].Dy(), msg.Text(labelled), msg.Text(why))
	return out, nil
}

// tiles are pictures of one size with the numbers of their names.
type tiles struct {
	names   []name
	pattern pattern
	size    image.Point
	at      []float64 // x and y of each picture
	lattice bool      // they are columns and rows
	step    float64   // usual distance between neighbours
}

// place sets the places. It returns false for two pictures at one place, and for numbers of no
// words that lie on no lattice, unless they are stated to be places.
func (t *tiles) place(stated bool) bool {
	seen := make(map[[2]int]bool, len(t.names))
	t.at = make([]float64, 0, 2*len(t.names))
	for _, n := range t.names {
		at := [2]int{n.numbers[t.pattern.x], n.numbers[t.pattern.y]}
		if seen[at] {
			return false
		}
		seen[at] = true
		t.at = append(t.at, float64(at[0]), float64(at[1]))
	}
	t.step = lattice.Step(t.at)
	t.lattice = t.step == 1 && fills(t.at)
	bare := !t.pattern.ordered && t.names[0].texts[len(t.names[0].texts)-1] == ""
	return stated || t.lattice || !bare || t.regular()
}

// mostOverlap is how many times the distance of neighbours the side of a picture is at most.
const mostOverlap = 4

// regular reports whether pictures touch their neighbours, or are squares on a lattice with some
// neighbours: pictures that were made smaller, lie apart or overlap.
func (t *tiles) regular() bool {
	unit := t.unit()
	if unit == t.size {
		return true
	}
	if unit.X != unit.Y || t.size.X != t.size.Y || unit.X < 2 || mostOverlap*unit.X < t.size.X {
		return false
	}
	there, step := make(map[[2]float64]bool, len(t.names)), float64(unit.X)
	for i := 0; i < len(t.at); i += 2 {
		there[[2]float64(t.at[i:])] = true
	}
	neighbours := false
	for i := 0; i < len(t.at); i += 2 {
		x, y := t.at[i], t.at[i+1]
		if math.Mod(x-t.at[0], step) != 0 || math.Mod(y-t.at[1], step) != 0 {
			return false
		}
		neighbours = neighbours || there[[2]float64{x + step, y}] || there[[2]float64{x, y + step}]
	}
	return neighbours
}

// mostSparse is how many places a lattice has for each picture at most.
const mostSparse = 64

// fills reports whether places, x and y of each, fill a part of their lattice of step 1.
func fills(at []float64) bool {
	low, high := [2]float64{at[0], at[1]}, [2]float64{at[0], at[1]}
	for i, v := range at {
		low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
	}
	cells := (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
	return cells <= mostSparse*float64(len(at)/2)
}

// apart returns the smallest distance above zero between two numbers of an axis, or 0.
func (t *tiles) apart(axis int) float64 {
	along := make([]float64, 0, len(t.names))
	for i := axis; i < len(t.at); i += 2 {
		along = append(along, t.at[i])
	}
	slices.Sort(along)
	least := 0.
	for i := 1; i < len(along); i++ {
		if d := along[i] - along[i-1]; d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

// unit returns the size that pictures of the first number as x have if each touches its neighbour.
func (t *tiles) unit() image.Point {
	return image.Pt(int(t.apart(0)), int(t.apart(1)))
}

// swap exchanges x and y.
func (t *tiles) swap() {
	for i := 0; i < len(t.at); i += 2 {
		t.at[i], t.at[i+1] = t.at[i+1], t.at[i]
	}
}

// boxes returns where the pictures lie.
func (t *tiles) boxes() []image.Rectangle {
	wide, high := t.size.X, t.size.Y
	scaleX, scaleY := 1, 1
	switch {
	case t.lattice:
		scaleX, scaleY = wide, high
	case wide == high && t.step > float64(wide): // the pictures were made smaller
		wide, high = int(t.step), int(t.step)
	}
	out, p := make([]image.Rectangle, len(t.names)), t.pattern
	for i, n := range t.names {
		at := image.Pt(int(t.at[2*i])*scaleX, int(t.at[2*i+1])*scaleY)
		side := image.Pt(wide, high)
		if p.width >= 0 && p.height >= 0 && n.numbers[p.width] > 0 && n.numbers[p.height] > 0 {
			side = image.Pt(n.numbers[p.width], n.numbers[p.height])
		}
		out[i] = image.Rectangle{Min: at, Max: at.Add(side)}
	}
	return out
}
