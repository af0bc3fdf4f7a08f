package annotation

import (
	"bytes"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/msg"
)

// maxXML bounds a file of XML, in bytes. A vertex takes from 20 to 60 of them.
const maxXML = 1 << 26

// Read returns the annotations of a file with the number of objects that are no areas, such as
// points and rulers. It knows GeoJSON, see [geojson.Read], and XML of three programs:
//
//   - ASAP: an annotation with its group as class, "" for the group None;
//   - Aperio ImageScope: a region with the name of its layer as class, or else its own text;
//   - HALO: a region with the name of its layer as class.
//
// A negative region of Aperio or HALO is a hole in all regions of its layer. Ellipses become
// polygons. Splines are read as the polygon through their points. It returns a
// *geojson.FormatError for another or a damaged file, for one without an area, and for one that is
// too large.
func Read(file string, data []byte) (regions []geojson.Region, skipped int, err error) {
	if data, err = geojson.Unpacked(file, data); err != nil {
		return nil, 0, err
	}
	if !isXML(data) {
		return geojson.Read(file, data)
	}
	if len(data) > maxXML {
		return nil, 0, &geojson.FormatError{File: file, Reason: msg.Sprintf("it has %d bytes; at "+
			"most %d are read", len(data), maxXML)}
	}
	return readXML(file, data)
}

// Memory returns the most bytes that Read takes beside the content of a file and the annotations.
func Memory(data []byte) int64 {
	if isXML(data) {
		return 0
	}
	return geojson.Memory(data)
}

// isXML reports whether a file begins with an element or a declaration of XML.
func isXML(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n"),
		[]byte("<"))
}
