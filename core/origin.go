package core

import "math"

// A Slice is the place of an instance that is a slice of a volume, as its file states it.
type Slice struct {
	Image, Frame int     // index in Bag.Origin.Images and frame in that file, from 0
	Place        Place   // valid if Placed
	Placed       bool    // the file states the place
	Spacing      Spacing // distances of pixels
	Thickness    float64 // mm, 0 if the file does not state it
	// Window is the range of values that the file shows first; Width is 0 if it states none.
	Window struct{ Centre, Width float64 }
}

// A Spacing is the distance of the centres of pixels in mm, 0 if it is unknown.
type Spacing struct {
	Rows, Columns float64 // distances of rows, and of columns
}

// A Place is where a slice lies in the patient: the position of its first pixel in mm and the
// directions of its rows and columns. x grows to the left of the patient, y to the back, z to the
// head (DICOM PS3.3, C.7.6.2.1.1).
type Place struct {
	Position     [3]float64
	Rows, Across [3]float64 // direction in which columns, and in which rows, follow each other
}

// Normal returns the direction that slices follow each other in: rows x columns.
func (p Place) Normal() [3]float64 {
	a, b := p.Rows, p.Across
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Distance returns the position along the normal, in mm.
func (p Place) Distance() float64 { return p.Along(p) }

// Along returns the position along the normal of another place, in mm.
func (p Place) Along(other Place) float64 { return dot3(p.Position, other.Normal()) }

// Parallel reports whether two slices have the same normal within 2.5 degrees.
func (p Place) Parallel(q Place) bool { return dot3(p.Normal(), q.Normal()) > 0.999 }

// Flat reports whether the directions span a plane: their normal has a length of nearly 1.
func (p Place) Flat() bool {
	length := math.Sqrt(dot3(p.Normal(), p.Normal()))
	return length > 0.9 && length < 1.1
}

func dot3(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// An Origin is what DICOM files state of the pictures that the instances of a bag are, or lie on.
// It joins files that are made from the bag with those pictures. UIDs identify a patient to those
// who have the archive: they belong into such files alone, and nothing shows them.
type Origin struct {
	Study, Series string // UIDs
	Reference     string // UID of the frame of reference, or ""
	Images        []OriginImage
	Matrix        *OriginMatrix // the level 0 that Images are parts of; nil but for whole slides
}

// An OriginImage is a DICOM file of pictures.
type OriginImage struct {
	Class, UID    string // UIDs of the SOP class and of the SOP instance
	Width, Height int    // pixels of a frame
	Frames        int
}

// An OriginMatrix is where the largest level of a whole slide lies on the glass (DICOM PS3.3,
// C.8.12.2.1.1 and C.8.12.4).
type OriginMatrix struct {
	Width, Height int        // pixels
	Spacing       Spacing    // distances of pixels
	Offset        [3]float64 // place of the first pixel on the glass: x, y in mm, z in micrometres
	Rows, Across  [3]float64 // direction in which columns, and in which rows, follow each other
}
