package dicom

import "github.com/bagscope/bagscope/core"

// Slice returns where frame i lies in the patient, as far as the file states it. Its Image is 0.
func (f *File) Slice(i int) core.Slice {
	s := core.Slice{Frame: i, Thickness: f.Thickness}
	measures := f.groups(i, tagPixelMeasures)
	s.Spacing = spacingOf(measures)
	if v, ok := measures.number(tagThickness); ok && v > 0 {
		s.Thickness = v
	}
	if w, err := f.window(i); err == nil && w != nil && w.table == nil {
		s.Window.Centre, s.Window.Width = w.center, w.width
	}
	position := f.groups(i, tagPlanePosition).numbers(tagPosition)
	direction := f.groups(i, tagPlaneOrient).numbers(tagOrientation)
	// Frames without groups of their own would all lie at the place of the file.
	if len(position) != 3 || len(direction) != 6 || f.Frames > 1 && len(f.each) < f.Frames {
		return s
	}
	copy(s.Place.Position[:], position)
	copy(s.Place.Rows[:], direction)
	copy(s.Place.Across[:], direction[3:])
	s.Placed = s.Place.Flat()
	return s
}

// spacingOf returns the spacing of pixels, zero unless both of its numbers are positive.
func spacingOf(it item) core.Spacing {
	if v := it.numbers(tagPixelSpacing); len(v) == 2 && min(v[0], v[1]) > 0 {
		return core.Spacing{Rows: v[0], Columns: v[1]}
	}
	return core.Spacing{}
}
