package slide

import "math"

// Tags of a directory (TIFF 6.0; TIFF Technical Note 1 for SubIFDs, 2 for JPEG).
const (
	tagSubfileType    = 254
	tagWidth          = 256
	tagHeight         = 257
	tagBits           = 258
	tagCompression    = 259
	tagPhotometric    = 262
	tagDescription    = 270
	tagStripOffsets   = 273
	tagOrientation    = 274
	tagSamples        = 277
	tagStripRows      = 278
	tagStripBytes     = 279
	tagXResolution    = 282
	tagYResolution    = 283
	tagPlanes         = 284
	tagResolutionUnit = 296
	tagSoftware       = 305
	tagFillOrder      = 266
	tagFaxOptions     = 292
	tagPredictor      = 317
	tagColours        = 320
	tagTileWidth      = 322
	tagTileHeight     = 323
	tagTileOffsets    = 324
	tagTileBytes      = 325
	tagSubIFDs        = 330
	tagExtraSamples   = 338
	tagSampleFormat   = 339
	tagJPEGTables     = 347
	tagXML            = 700
	tagNoData         = 42113 // GDAL's, a number in text
)

// knownTags are the tags that are kept. A directory may have thousands of others.
var knownTags = [...]uint16{tagSubfileType, tagWidth, tagHeight, tagBits, tagCompression,
	tagPhotometric, tagFillOrder, tagDescription, tagStripOffsets, tagOrientation, tagSamples,
	tagStripRows, tagStripBytes, tagXResolution, tagYResolution, tagPlanes, tagFaxOptions,
	tagResolutionUnit, tagSoftware, tagPredictor, tagColours, tagTileWidth, tagTileHeight,
	tagTileOffsets, tagTileBytes, tagSubIFDs, tagExtraSamples, tagSampleFormat, tagJPEGTables,
	tagXML, tagNoData, tagHamamatsu, tagLens, tagFocalPlane, tagIntervals, tagIntervalsUpper}

const (
	mostDirectories = 1024    // directories of a file, with those that others refer to
	mostEntries     = 4096    // tags of a directory
	mostText        = 1 << 22 // bytes of a description; OME-XML of a slide has some kilobytes
)

// An entry is a tag of a directory. Its values are in the file.
type entry struct {
	kind  uint16
	count uint64
	at    int64  // place of the values
	upper uint64 // upper half of a single value that stands in the directory, of Hamamatsu
}

// A directory describes one picture of a file.
type directory struct {
	*container
	entries map[uint16]entry
}

// kindBytes has the bytes of a value of each type that is read; 0 stands for other types.
var kindBytes = [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4,
	13: 4, 16: 8, 17: 8, 18: 8}

// bytes returns the bytes of one value, or 0 for an unknown type.
func (e entry) bytes() uint64 {
	if int(e.kind) < len(kindBytes) {
		return kindBytes[e.kind]
	}
	return 0
}

// whole reports whether the values are integers without sign.
func (e entry) whole() bool {
	switch e.kind {
	case 1, 3, 4, 13, 16, 18:
		return true
	}
	return false
}

// values reads the values of a tag from number first on into dst. All must be integers.
func (d *directory) values(tag uint16, first uint64, dst []uint64) error {
	e, ok := d.entries[tag]
	if !ok || !e.whole() || first+uint64(len(dst)) > e.count {
		return bad(d.name, "tag %d has no value %d", tag, first)
	}
	size := int(e.bytes())
	b := make([]byte, size*len(dst))
	if err := d.read(b, e.at+int64(first)*int64(size)); err != nil {
		return err
	}
	for i := range dst {
		switch v := b[i*size:]; size {
		case 1:
			dst[i] = uint64(v[0])
		case 2:
			dst[i] = uint64(d.order.Uint16(v))
		case 4:
			dst[i] = uint64(d.order.Uint32(v)) | e.upper<<32
		default:
			dst[i] = d.order.Uint64(v)
		}
	}
	return nil
}

// has reports whether a tag is there.
func (d *directory) has(tag uint16) bool { return d.count(tag) > 0 }

// count returns the number of values of a tag.
func (d *directory) count(tag uint16) uint64 { return d.entries[tag].count }

// number returns the first value of a tag, or otherwise if the tag is missing.
func (d *directory) number(tag uint16, otherwise uint64) (uint64, error) {
	if !d.has(tag) {
		return otherwise, nil
	}
	var v [1]uint64
	err := d.values(tag, 0, v[:])
	return v[0], err
}

// ratio returns the first value of a tag of rational numbers, or 0 if there is none.
func (d *directory) ratio(tag uint16) float64 {
	e := d.entries[tag]
	b := make([]byte, 8)
	if e.kind != 5 || e.count == 0 || d.read(b, e.at) != nil {
		return 0
	}
	if below := d.order.Uint32(b[4:]); below > 0 {
		return float64(d.order.Uint32(b)) / float64(below)
	}
	return 0
}

// real returns the value of a tag of a real number, or 0 if there is none.
func (d *directory) real(tag uint16) float64 {
	e := d.entries[tag]
	b := make([]byte, 4)
	if e.kind != 11 || e.count != 1 || d.read(b, e.at) != nil {
		return 0
	}
	return float64(math.Float32frombits(d.order.Uint32(b)))
}

// raw reads the bytes of a tag. most bounds them.
func (d *directory) raw(tag uint16, most int) ([]byte, error) {
	e := d.entries[tag]
	n := e.count * e.bytes()
	if n > uint64(most) {
		return nil, bad(d.name, "tag %d has %d bytes; at most %d are read", tag, n, most)
	}
	b := make([]byte, n)
	return b, d.read(b, e.at)
}

// head returns the first bytes of a tag, at most 4096. Directories can share megabytes of text.
func (d *directory) head(tag uint16) ([]byte, error) {
	e := d.entries[tag]
	b := make([]byte, min(e.count*e.bytes(), 4096))
	return b, d.read(b, e.at)
}

// text returns the value of a tag of text, without the zero at its end, or "" if there is none.
func (d *directory) text(tag uint16) (string, error) {
	if e := d.entries[tag]; e.kind != 2 && e.kind != 7 && e.kind != 1 {
		return "", nil
	}
	b, err := d.raw(tag, mostText)
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b), err
}

// below returns the directories that a directory refers to, such as the levels of an OME-TIFF.
func (d *directory) below() ([]*directory, error) {
	n := d.count(tagSubIFDs)
	if n > mostDirectories {
		return nil, bad(d.name, "a directory refers to %d others; at most %d are read", n,
			mostDirectories)
	}
	places := make([]uint64, n)
	if n > 0 {
		if err := d.values(tagSubIFDs, 0, places); err != nil {
			return nil, err
		}
	}
	list := make([]*directory, n)
	for i, at := range places {
		if at > math.MaxInt64 {
			return nil, bad(d.name, "a directory is behind the end of the file")
		}
		var err error
		if list[i], _, err = d.directory(int64(at)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
