package dicom

import (
	"io"
	"strings"
)

// A Matrix is the picture of a whole slide that has the frames of a file as its tiles (PS3.3,
// section C.8.12.4). Other files of the same series hold its other resolutions.
type Matrix struct {
	Width, Height int // pixels
	// Kind is what the picture shows: "VOLUME", "THUMBNAIL", or "LABEL" and "OVERVIEW", which may
	// show a name.
	Kind string
	// Microns that a pixel covers across and down; 0 if the file does not say.
	MicronsX, MicronsY float64
	Magnification      float64 // factor of the objective; 0 if the file does not say
	Planes             int     // focal planes, from which the one in the middle is taken
	// Whole joins the files that the picture is spread over, "" for a picture in one file. Like a
	// series it must not be shown.
	Whole string

	frames map[[2]int]int // frame of each column and row of tiles; nil for TILED_FULL
	first  int            // frames of the picture in the files before this one
	across int            // tiles in a row
	down   int
}

// ShowsTissue reports whether the picture is a level of the slide, and not one beside it.
func (m *Matrix) ShowsTissue() bool { return m.Kind == "VOLUME" }

// Frame returns the frame of the file that is the tile of a column and a row, and whether the file
// has it. Others of the same picture may have it, or there is nothing but glass.
func (m *Matrix) Frame(f *File, column, row int) (int, bool) {
	if m.frames != nil {
		i, ok := m.frames[[2]int{column, row}]
		return i, ok
	}
	plane := (m.Planes - 1) / 2
	i := (plane*m.down+row)*m.across + column - m.first
	return i, i >= 0 && i < f.Frames
}

// IsSlide reports whether a file states that it is a picture of a whole slide. It reads the
// file's beginning.
func IsSlide(name string, r io.ReaderAt, size int64) bool {
	head := make([]byte, min(size, 132))
	if fill(name, r, head, 0) != nil || len(head) < 132 || string(head[128:]) != "DICM" {
		return false
	}
	p := &parser{name: name, r: r, size: size, at: 132}
	meta, err := p.meta()
	return err == nil && strings.HasPrefix(meta.text(tagMediaClass), uidSlide)
}

// asPicture is the way to open slides that are not read.
const asPicture = "QuPath opens it and exports it as OME-TIFF, which is read"

// mostMatrix bounds the sides of a whole slide, so that the number of its pixels is one of 64 bits.
const mostMatrix = 1<<31 - 1

// readMatrix sets the picture that the frames of a file of a whole slide are tiles of.
func (f *File) readMatrix() error {
	m := &Matrix{Planes: 1}
	wide, okX := f.top.long(tagMatrixColumns)
	high, okY := f.top.long(tagMatrixRows)
	if !okX || !okY || wide < 1 || high < 1 || max(wide, high) > mostMatrix {
		return bad(f.name, "it is a part of a whole slide, but does not state the pixels of the "+
			"slide")
	}
	m.Width, m.Height = int(wide), int(high)
	m.across, m.down = (m.Width-1)/f.Width+1, (m.Height-1)/f.Height+1
	if parts := strings.Split(f.top.text(tagImageType), `\`); len(parts) > 2 {
		m.Kind = capitals(parts[2])
	}
	m.Whole = f.top.text(tagConcatenation)
	if m.Whole != "" {
		first, _ := f.top.long(tagFrameOffset)
		m.first = int(first)
	}
	spacing := spacingOf(f.groups(0, tagPixelMeasures))
	m.MicronsX, m.MicronsY = 1000*spacing.Columns, 1000*spacing.Rows
	if v, ok := f.top.first(tagOpticalPath).number(tagObjective); ok && v > 0 {
		m.Magnification = v
	}
	f.Matrix = m
	if len(f.each) > 0 && f.top.text(tagTiling) != "TILED_FULL" {
		return f.readSparse(m)
	}
	return f.readFull(m)
}

// readFull checks a file whose frames are all tiles of its planes, row by row.
func (f *File) readFull(m *Matrix) error {
	if n, ok := f.top.long(tagFocalPlanes); ok {
		m.Planes = int(max(1, n))
	}
	paths, ok := f.top.long(tagOpticalPaths)
	if ok && paths > 1 {
		return &UnsupportedError{f.name, "slides of several optical paths", asPicture}
	}
	tiles := int64(m.across) * int64(m.down)
	if m.Whole == "" && (tiles > int64(f.Frames) || int64(m.Planes) > int64(f.Frames)/tiles) {
		return bad(f.name, "its slide of %d x %d pixels has %d tiles of %d x %d, but it has %d "+
			"frames", m.Width, m.Height, tiles*int64(m.Planes), f.Width, f.Height, f.Frames)
	}
	return nil
}

// readSparse sets the places of frames that state theirs. Of frames at the same place, which are
// focal planes, the one in the middle is taken.
func (f *File) readSparse(m *Matrix) error {
	if len(f.each) < f.Frames {
		return bad(f.name, "it states the places of %d frames, but has %d", len(f.each), f.Frames)
	}
	at := map[[2]int][]int{}
	for i := range f.Frames {
		g := f.each[i].first(tagPlaneSlide)
		x, okX := g.signed(tagPlaneColumn)
		y, okY := g.signed(tagPlaneRow)
		if !okX || !okY || x < 1 || y < 1 || x > int64(m.Width) || y > int64(m.Height) {
			return bad(f.name, "frame %d states no place within its slide", i+1)
		}
		if (x-1)%int64(f.Width) != 0 || (y-1)%int64(f.Height) != 0 {
			return &UnsupportedError{f.name, "slides whose tiles overlap", asPicture}
		}
		key := [2]int{int(x-1) / f.Width, int(y-1) / f.Height}
		at[key] = append(at[key], i)
		m.Planes = max(m.Planes, len(at[key]))
	}
	if path := f.top.find(tagOpticalPath); path != nil && len(path.items) > 1 {
		return &UnsupportedError{f.name, "slides of several optical paths", asPicture}
	}
	m.frames = map[[2]int]int{}
	for key, frames := range at {
		m.frames[key] = frames[(len(frames)-1)/2]
	}
	return nil
}
