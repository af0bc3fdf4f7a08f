package dicom

// A table maps whole numbers from first on to entries of a number of bits (PS3.3, C.11.1.1).
// Numbers outside take the first or the last entry.
type table struct {
	first  int
	bits   int
	values []uint16
}

// readTable returns the table of a descriptor and its data.
func readTable(name string, it item, descriptor, data tag, signed bool) (*table, error) {
	d, v := it.find(descriptor), it.find(data)
	if d == nil || v == nil || len(d.bytes) < 6 {
		return nil, bad(name, "a table of values lacks its descriptor or its data")
	}
	n := int(d.order.Uint16(d.bytes))
	if n == 0 {
		n = 1 << 16
	}
	t := &table{first: int(d.order.Uint16(d.bytes[2:])), bits: int(d.order.Uint16(d.bytes[4:]))}
	if signed {
		t.first = int(int16(t.first))
	}
	wide := 2
	if t.bits == 8 && len(v.bytes) < 2*n {
		wide = 1
	}
	if t.bits < 8 || t.bits > 16 || len(v.bytes) < wide*n {
		return nil, bad(name, "a table of %d values of %d bits has %d bytes", n, t.bits,
			len(v.bytes))
	}
	t.values = make([]uint16, n)
	for i := range t.values {
		if wide == 2 {
			t.values[i] = v.order.Uint16(v.bytes[2*i:])
			continue
		}
		at := i
		if v.order.Uint16([]byte{0, 1}) == 1 { // bytes in words of the other order
			at = min(i^1, len(v.bytes)-1)
		}
		t.values[i] = uint16(v.bytes[at])
	}
	return t, nil
}

// at returns the entry of a number.
func (t *table) at(v float64) uint16 {
	i := v - float64(t.first)
	return t.values[int(min(max(i, 0), float64(len(t.values)-1)))]
}

// A palette holds the tables of red, green and blue.
type palette [3]*table

// readPalette returns the palette of a file.
func readPalette(name string, top item) (*palette, error) {
	if top.find(tagRedSegments) != nil {
		return nil, &UnsupportedError{name, "a palette in segments", decompress}
	}
	signed, _ := top.short(tagSigned)
	var p palette
	for c := range p {
		var err error
		p[c], err = readTable(name, top, tagRed+tag(c), tagRedData+tag(c), signed == 1)
		if err != nil {
			return nil, err
		}
	}
	return &p, nil
}

// colour returns a colour of a palette in 8 bits.
func (p *palette) colour(v float64) (c [3]byte) {
	for i, t := range p {
		c[i] = byte(t.at(v) >> (t.bits - 8))
	}
	return c
}
