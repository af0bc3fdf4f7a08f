package tilenames

import (
	"image"
	"math"
)

// Edges are the pixels along the sides of a picture, all channels of them.
type Edges struct{ Left, Right, Top, Bottom []byte }

// EdgesOf returns the edges of a picture.
func EdgesOf(m *image.RGBA) *Edges {
	e, r := &Edges{}, m.Rect
	for x := r.Min.X; x < r.Max.X; x++ {
		e.Top = append(e.Top, m.Pix[m.PixOffset(x, r.Min.Y):][:3]...)
		e.Bottom = append(e.Bottom, m.Pix[m.PixOffset(x, r.Max.Y-1):][:3]...)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		e.Left = append(e.Left, m.Pix[m.PixOffset(r.Min.X, y):][:3]...)
		e.Right = append(e.Right, m.Pix[m.PixOffset(r.Max.X-1, y):][:3]...)
	}
	return e
}

const (
	mostPairs  = 32 // neighbours along a number whose edges are compared
	leastPairs = 4  // neighbours that decide
	// clearly is the part of the other order's differences that those of the right one have at
	// most.
	clearly = .7
)

// order returns which number is x, and how that is known, or "".
func (t *tiles) order(edges func(int) (*Edges, error)) (order, why string, err error) {
	if t.size.X != t.size.Y && !t.lattice {
		step := [2]float64{t.apart(0), t.apart(1)}
		wide, high := float64(t.size.X), float64(t.size.Y)
		switch xy, yx := step[0]*high == step[1]*wide, step[0]*wide == step[1]*high; {
		case xy && !yx:
			return XY, "; the sides of the pictures say which number is x", nil
		case yx && !xy:
			return YX, "; the sides of the pictures say which number is x", nil
		}
	}
	if edges == nil || !t.touch() {
		return "", "", nil
	}
	across, down, pairs := 0., 0., 0
	for number := range 2 {
		x, y, n, err := t.compare(number, edges)
		if err != nil {
			return "", "", err
		}
		if number == 1 {
			x, y = y, x
		}
		across, down, pairs = across+x, down+y, pairs+n
	}
	if pairs < leastPairs || !(min(across, down) < clearly*max(across, down)) {
		return "", "", nil
	}
	order = XY
	if down < across {
		order = YX
	}
	return order, "; which number is x is taken from the edges of neighbours, which continue " +
		"each other (tile-names states another order)", nil
}

// touch reports whether neighbours have no pixels between them, or may have none.
func (t *tiles) touch() bool {
	return t.lattice || t.size.X == t.size.Y && t.step >= float64(t.size.X)
}

// compare returns how much the edges of neighbours along a number differ if the number is x, and if
// it is y, and how many neighbours were compared.
func (t *tiles) compare(
	number int, edges func(int) (*Edges, error),
) (asX, asY float64, pairs int, err error) {
	where := make(map[[2]float64]int, len(t.names))
	for i := range t.names {
		where[[2]float64{t.at[2*i], t.at[2*i+1]}] = i
	}
	step := 1.
	if !t.lattice {
		step = t.step
	}
	var list [][2]int
	for i := range t.names {
		next := [2]float64{t.at[2*i], t.at[2*i+1]}
		next[number] += step
		if j, ok := where[next]; ok {
			list = append(list, [2]int{i, j})
		}
	}
	pairs = min(len(list), mostPairs)
	for n := range pairs {
		pair := list[n*len(list)/pairs]
		a, err := edges(pair[0])
		if err != nil {
			return 0, 0, 0, err
		}
		b, err := edges(pair[1])
		if err != nil {
			return 0, 0, 0, err
		}
		asX += difference(a.Right, b.Left)
		asY += difference(a.Bottom, b.Top)
	}
	return asX, asY, pairs, nil
}

// difference returns the mean distance of the bytes of two edges.
func difference(a, b []byte) float64 {
	sum := 0.
	for i := range a {
		sum += math.Abs(float64(a[i]) - float64(b[i]))
	}
	return sum / float64(max(1, len(a)))
}
