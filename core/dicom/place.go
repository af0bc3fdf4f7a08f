package dicom

import "math"

// A Place is where a frame lies in the patient: the position of its first pixel in mm and the
// directions of its rows and columns. x grows to the left of the patient, y to the back, z to the
// head (PS3.3, C.7.6.2.1.1).
type Place struct {
	Position     [3]float64
	Rows, Across [3]float64 // direction in which columns, and in which rows, follow each other
}

// Place returns the place of frame i, and whether the file states it.
func (f *File) Place(i int) (p Place, ok bool) {
	position := f.groups(i, tagPlanePosition).numbers(tagPosition)
	direction := f.groups(i, tagPlaneOrient).numbers(tagOrientation)
	// Frames without groups of their own would all lie at the place of the file.
	if len(position) != 3 || len(direction) != 6 || f.Frames > 1 && len(f.each) < f.Frames {
		return p, false
	}
	copy(p.Position[:], position)
	copy(p.Rows[:], direction)
	copy(p.Across[:], direction[3:])
	n := p.Normal()
	length := math.Hypot(math.Hypot(n[0], n[1]), n[2])
	return p, length > 0.9 && length < 1.1
}

// Normal returns the direction that slices follow each other in: rows x columns.
func (p Place) Normal() [3]float64 {
	a, b := p.Rows, p.Across
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Distance returns the position along the normal, in mm.
func (p Place) Distance() float64 { return dot(p.Position, p.Normal()) }

// Parallel reports whether two frames have the same normal within 2.5 degrees.
func (p Place) Parallel(q Place) bool { return dot(p.Normal(), q.Normal()) > 0.999 }

// dot returns the scalar product.
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
