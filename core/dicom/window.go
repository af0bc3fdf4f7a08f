package dicom

import "math"

// A window maps values to the brightness 0..1 of what is shown (PS3.3, C.11.2).
type window struct {
	center, width float64
	function      string // "LINEAR", "LINEAR_EXACT" or "SIGMOID"
	table         *table // instead, or nil
}

// window returns the window of a frame that the file states first, or nil.
func (f *File) window(frame int) (*window, error) {
	if it := f.top.first(tagVOILUT); it != nil {
		// The first number of the table is signed if rescaled values are.
		r, err := f.rescale(frame)
		if err != nil {
			return nil, err
		}
		signed := f.format.signed || r.negative(f.format.stored)
		t, err := readTable(f.name, it, tagLUTDescriptor, tagLUTData, signed)
		return &window{table: t}, err
	}
	it := f.groups(frame, tagFrameVOI)
	center, ok1 := it.number(tagCenter)
	width, ok2 := it.number(tagWidth)
	w := &window{center, width, it.text(tagFunction), nil}
	least := 1.0
	if w.function == "LINEAR_EXACT" || w.function == "SIGMOID" {
		least = math.SmallestNonzeroFloat64
	}
	if !ok1 || !ok2 || width < least {
		return nil, nil
	}
	return w, nil
}

// over returns the window of all values of a frame, for one without a window: 0 to 255 for bytes.
func (r *Frame) over() *window {
	if r.file.Bytes() {
		return &window{127.5, 255, "LINEAR_EXACT", nil}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range r.Len() {
		v := r.value(i)
		lo, hi = min(lo, v), max(hi, v)
	}
	return &window{(lo + hi) / 2, max(hi-lo, math.SmallestNonzeroFloat64), "LINEAR_EXACT", nil}
}

// at returns the brightness 0..1 of a value.
func (w *window) at(v float64) float64 {
	switch {
	case w.table != nil:
		return float64(w.table.at(v)) / float64(int(1)<<w.table.bits-1)
	case w.function == "SIGMOID":
		return 1 / (1 + math.Exp(-4*(v-w.center)/w.width))
	case w.function == "LINEAR_EXACT":
		return min(max((v-w.center)/w.width+0.5, 0), 1)
	case w.width == 1: // a threshold
		if v <= w.center-0.5 {
			return 0
		}
		return 1
	}
	return min(max((v-(w.center-0.5))/(w.width-1)+0.5, 0), 1)
}
