package hdf5

// Referenced returns the datasets that the entries of a dataset of references refer to, row-major;
// nil for a reference to nothing or to a group. It takes 24 bytes for each entry and Memory. Errors
// are those of ReadFloat32.
func (f *File) Referenced(d *Dataset) ([]*Dataset, error) {
	if d.problem != nil {
		return nil, d.problem
	}
	if d.Type.Kind != 'R' || d.Type.Size < f.s.offsetSize {
		return nil, &UnsupportedError{Path: d.Path,
			What: "conversion of " + d.Type.String() + " to references"}
	}
	raw, err := d.readRaw()
	if err != nil {
		return nil, err
	}
	out := make([]*Dataset, len(raw)/d.Type.Size)
	for i := range out {
		// The address of the object's header comes first.
		out[i] = f.byAddr[f.s.cursor(raw[i*d.Type.Size:], 0).offset()]
	}
	return out, nil
}
