package annotation

import (
	"image"
	"math"

	"github.com/bagscope/bagscope/core/geojson"
)

// Lesions are the lesions of a slide as the evaluation of CAMELYON16 counts them (Ehteshami
// Bejnordi et al., JAMA 318, 2017, and its program evaluation.py): annotations are drawn on pixels
// of 32 of level 0; regions closer than 75 µm are one lesion, holes within one belong to it; one
// that is shorter than 275 µm is isolated tumour cells, which count neither for nor against a
// method.
type Lesions struct {
	Count int // lesions, isolated tumour cells left out

	width, height int
	labels        []int32 // (height, width): 0 outside, n + 1 in lesion n, isolated
}

const (
	lesionPixel  = 32      // level 5 of a slide
	mergedWithin = 75.0    // µm, five tumour cells
	shortest     = 275.0   // µm
	isolated     = -1      // label of isolated tumour cells
	mostLesion   = 1 << 28 // pixels of the map, a slide of 500,000 x 500,000
)

// Where a place lies.
const (
	Outside  = -1
	Isolated = -2
)

// FindLesions finds the lesions of a slide of size pixels of level 0, of which each covers so many
// microns. It returns a *geojson.FormatError, which names file, for regions with too many lines and
// for a slide that is too large.
func FindLesions(file string, regions []geojson.Region, size image.Point, microns float64,
) (*Lesions, error) {
	wide, high := (size.X-1)/lesionPixel+1, (size.Y-1)/lesionPixel+1
	if wide > mostLesion/max(1, high) {
		return nil, &geojson.FormatError{File: file, Reason: "the slide is too large for a map " +
			"of lesions"}
	}
	a := &Area{Name: file, regions: regions}
	m, err := a.drawn(image.Pt(wide*lesionPixel, high*lesionPixel), wide)
	if err != nil {
		return nil, err
	}
	pixel := microns * lesionPixel
	marks := near(m.Tissue, wide, high, mergedWithin/(pixel*2))
	fillHoles(marks, wide, high)
	l := &Lesions{width: wide, height: high, labels: make([]int32, len(marks))}
	var part []int
	for at, marked := range marks {
		if !marked || l.labels[at] != 0 {
			continue
		}
		label := int32(l.Count + 1)
		part = l.spread(marks, part[:0], at, label)
		if majorAxis(part, wide) < shortest/pixel {
			for _, i := range part {
				l.labels[i] = isolated
			}
			continue
		}
		l.Count++
	}
	return l, nil
}

// At returns the number of the lesion at a place of level 0, Outside or Isolated.
func (l *Lesions) At(x, y int) int {
	column, row := x/lesionPixel, y/lesionPixel
	if x < 0 || y < 0 || column >= l.width || row >= l.height {
		return Outside
	}
	switch label := l.labels[row*l.width+column]; label {
	case 0:
		return Outside
	case isolated:
		return Isolated
	default:
		return int(label) - 1
	}
}

// near returns the pixels with a marked one at a distance below radius, between middles.
func near(marks []bool, wide, high int, radius float64) []bool {
	out := make([]bool, len(marks))
	sums := make([]int32, wide+1) // marked pixels to the left
	for row := range high {
		for x := range wide {
			sums[x+1] = sums[x]
			if marks[row*wide+x] {
				sums[x+1]++
			}
		}
		if sums[wide] == 0 {
			continue
		}
		for dy := -int(radius); dy <= int(radius); dy++ {
			to := row + dy
			reach := radius*radius - float64(dy*dy)
			if to < 0 || to >= high || reach <= 0 {
				continue
			}
			dx := int(math.Ceil(math.Sqrt(reach))) // the largest with dx^2 below reach
			for dx > 0 && float64(dx*dx) >= reach {
				dx--
			}
			for x := range wide {
				if sums[min(x+dx+1, wide)] > sums[max(x-dx, 0)] {
					out[to*wide+x] = true
				}
			}
		}
	}
	return out
}

// fillHoles marks the pixels from which no way leads to the border over sides of pixels that are
// not marked.
func fillHoles(marks []bool, wide, high int) {
	open := make([]bool, len(marks))
	var list []int
	visit := func(x, y int) {
		if at := y*wide + x; x >= 0 && y >= 0 && x < wide && y < high && !marks[at] && !open[at] {
			open[at] = true
			list = append(list, at)
		}
	}
	for x := range wide {
		visit(x, 0)
		visit(x, high-1)
	}
	for y := range high {
		visit(0, y)
		visit(wide-1, y)
	}
	for len(list) > 0 {
		at := list[len(list)-1]
		list = list[:len(list)-1]
		x, y := at%wide, at/wide
		visit(x-1, y)
		visit(x+1, y)
		visit(x, y-1)
		visit(x, y+1)
	}
	for at := range marks {
		marks[at] = marks[at] || !open[at]
	}
}

// spread gives a label to a marked pixel and all that are connected to it over sides and corners,
// and returns them.
func (l *Lesions) spread(marks []bool, part []int, at int, label int32) []int {
	l.labels[at] = label
	part = append(part, at)
	for n := 0; n < len(part); n++ {
		x, y := part[n]%l.width, part[n]/l.width
		for v := max(0, y-1); v <= min(l.height-1, y+1); v++ {
			for u := max(0, x-1); u <= min(l.width-1, x+1); u++ {
				if i := v*l.width + u; marks[i] && l.labels[i] == 0 {
					l.labels[i] = label
					part = append(part, i)
				}
			}
		}
	}
	return part
}

// majorAxis returns the length of the major axis of the ellipse with the second moments of pixels.
func majorAxis(part []int, wide int) float64 {
	n, meanX, meanY := float64(len(part)), 0.0, 0.0
	for _, at := range part {
		meanX += float64(at%wide) / n
		meanY += float64(at/wide) / n
	}
	xx, yy, xy := 0.0, 0.0, 0.0
	for _, at := range part {
		x, y := float64(at%wide)-meanX, float64(at/wide)-meanY
		xx += x * x / n
		yy += y * y / n
		xy += x * y / n
	}
	return 4 * math.Sqrt((xx+yy)/2+math.Sqrt(4*xy*xy+(xx-yy)*(xx-yy))/2)
}
