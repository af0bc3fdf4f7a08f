package bagio

// sparse returns the matrix that scipy.sparse.save_npz has written, or nil for another archive: by
// rows (CSR), by columns (CSC) or as places of values (COO).
func (a *archive) sparse() (*Array, error) {
	for _, name := range []string{"format", "shape", "data"} {
		if a.members[name] == nil {
			return nil, nil
		}
	}
	format, err := a.array("format")
	if err != nil || !format.dtype.isText() {
		return nil, err
	}
	kinds, err := format.words()
	if err != nil || len(kinds) != 1 {
		return nil, err
	}
	sides, err := a.ints("shape", 2)
	if err != nil {
		return nil, err
	}
	if min(sides[0], sides[1]) < 0 {
		return nil, bad(a.file, "a sparse matrix has the shape %s", shapeText(sides))
	}
	m := &sparseMatrix{path: "data", shape: sides, byColumns: kinds[0] == "csc"}
	type part struct {
		name string
		list *storedList
	}
	parts := []part{{"data", &m.data}}
	switch kinds[0] {
	case "csr", "csc":
		parts = append(parts, part{"indices", &m.indices}, part{"indptr", &m.starts})
	case "coo":
		parts = append(parts, part{"row", &m.rows}, part{"col", &m.indices})
	default:
		return nil, bad(a.file, "it is a sparse matrix of the kind %q, which is not read; scipy "+
			"writes it as another: python3 -c \"import scipy.sparse as s; s.save_npz('bag.npz', "+
			"s.load_npz('FILE').tocsr())\"", kinds[0])
	}
	for _, p := range parts {
		array, err := a.array(p.name)
		if err != nil {
			return nil, err
		}
		if array == nil || len(array.Shape) != 1 {
			return nil, bad(a.file, "a sparse matrix needs an array %s of one axis", p.name)
		}
		*p.list = arrayList{array.Len(), array.dtype, a.limits,
			func() (*Array, error) { return array, nil }}
	}
	return m.array(a.file, a.limits)
}
