package dicom

// A rescale turns stored samples into the values that they stand for, such as Hounsfield units
// (PS3.3, C.11.1): by a table, or slope*v + intercept.
type rescale struct {
	slope, intercept float64
	table            *table
}

// identity is the rescale of a file that states none.
var identity = rescale{slope: 1}

// groups returns the functional group of a frame: its own, else that of all frames, else the data
// set itself.
func (f *File) groups(frame int, t tag) item {
	if frame < len(f.each) {
		if it := f.each[frame].first(t); it != nil {
			return it
		}
	}
	if it := f.shared.first(t); it != nil {
		return it
	}
	return f.top
}

// rescale returns how the samples of a frame are rescaled.
func (f *File) rescale(frame int) (rescale, error) {
	if it := f.top.first(tagModalityLUT); it != nil {
		t, err := readTable(f.name, it, tagLUTDescriptor, tagLUTData, f.format.signed)
		return rescale{table: t}, err
	}
	it := f.groups(frame, tagTransformation)
	r := identity
	for t, dst := range map[tag]*float64{tagSlope: &r.slope, tagIntercept: &r.intercept} {
		if it.text(t) == "" {
			continue
		}
		var ok bool
		if *dst, ok = it.number(t); !ok { // values without it would be wrong
			return r, bad(f.name, "the slope or the intercept of its values is not a number")
		}
	}
	return r, nil
}

// apply returns the value of a sample.
func (r rescale) apply(v float64) float64 {
	if r.table != nil {
		return float64(r.table.at(v))
	}
	return v*r.slope + r.intercept
}

// negative reports whether values of samples without a sign may be below zero.
func (r rescale) negative(bits int) bool {
	return r.table == nil && (r.intercept < 0 || r.apply(float64(int64(1)<<bits-1)) < 0)
}

// Bytes reports whether the values of all frames are bytes 0..255 as a picture has them.
func (f *File) Bytes() bool {
	if f.Colour {
		return true
	}
	if f.format.allocated != 8 || f.format.stored != 8 || f.format.signed {
		return false
	}
	if f.top.first(tagModalityLUT) != nil {
		return false
	}
	for i := range min(f.Frames, max(1, len(f.each))) {
		if r, err := f.rescale(i); err != nil || r != identity {
			return false
		}
	}
	return true
}
