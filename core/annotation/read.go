package annotation

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

const (
	// maxXML bounds a file of XML, in bytes. A vertex takes from 20 to 60 of them.
	maxXML = 1 << 26
	// heldShare is the bytes that annotations take for each byte of their file, at most.
	heldShare = 4
)

// ReadIn returns the annotations of Read in the Memory of ctx, which keeps what they take. Errors
// are those of Read and of the Memory.
func ReadIn(ctx context.Context, file string, data []byte) ([]geojson.Region, error) {
	data, err := geojson.Unpacked(file, data)
	if err != nil {
		return nil, err
	}
	m, parsed, held := quota.MemoryOf(ctx), int64(0), heldShare*int64(len(data))
	if !isXML(data) {
		parsed = geojson.Memory(data)
	}
	if err := m.Reserve(parsed+held, "reading "+file); err != nil {
		return nil, err
	}
	regions, _, err := Read(file, data)
	if m.Release(parsed); err != nil {
		m.Release(held)
	}
	return regions, err
}

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

// IsText reports whether a file begins as GeoJSON or XML, the forms that Read knows, also
// compressed by gzip.
func IsText(data []byte) bool {
	if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		begin := make([]byte, 512)
		n, _ := io.ReadFull(r, begin) // of a damaged file what there is
		data = begin[:n]
	}
	sign := firstSign(data)
	return sign == '{' || sign == '[' || sign == '<'
}

// isXML reports whether a file begins with an element or a declaration of XML.
func isXML(data []byte) bool { return firstSign(data) == '<' }

// firstSign returns the first byte of a text that is no blank or byte order mark, 0 without one.
func firstSign(data []byte) byte {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 {
		return 0
	}
	return text[0]
}
