package slide

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestWaysOut expects the command that converts a file: tiffsave would keep the colours of print.
func TestWaysOut(t *testing.T) {
	for _, c := range []struct {
		way  string
		data []byte
	}{
		{"vips tiffsave", []byte("\x00a slide of another format")},
		{"Zoomify picture, which is not read; slides are TIFF files (.svs, .tif), Deep Zoom",
			[]byte(`<IMAGE_PROPERTIES WIDTH="733"/>`)},
		{"a.tif: it is a web page; slides are", []byte("<html><title>Sign in</title></html>")},
		{"vips tiffsave", classic(0, picture(16, 16, 1<<15, 1<<15)...)},
		{"vips colourspace", classic(0, append([]tag{{tagPhotometric, []uint32{8}}},
			picture(16, 16, 16, 16)...)...)},
	} {
		_, err := Open("a.tif", bytes.NewReader(c.data), int64(len(c.data)))
		must.Equal(t, err != nil, true, err, c.way)
		must.Contain(t, err.Error(), c.way)
	}
}

// TestScanners refuses the formats of scanners whose pictures would be read wrong.
func TestScanners(t *testing.T) {
	for _, c := range []struct {
		file string
		data []byte
		want string
	}{
		{"a.tif", withText(tagXML, `<Metadata><iScan Z-layers="3"/></Metadata>`), "Ventana"},
		{"a.tif", withText(tagSoftware, "MedScan"), "Trestle"},
		{"a.tif", withText(tagSoftware, "ScanOutputManager 1.1"), "Ventana"},
	} {
		_, err := Open(c.file, bytes.NewReader(c.data), int64(len(c.data)))
		must.Equal(t, is[*UnsupportedError](err), true, c.want, err)
		must.Contain(t, err.Error(), c.want)
	}
}

// withText returns a file with a tag of text, whose bytes are behind the directory.
func withText(number uint16, text string) []byte {
	data := classic(0, append(picture(16, 16, 16, 16), tag{number, []uint32{0, 0}})...)
	le := binary.LittleEndian
	at := bytes.Index(data, le.AppendUint16(le.AppendUint16(nil, number), 4))
	le.PutUint16(data[at+2:], 2)
	le.PutUint32(data[at+4:], uint32(len(text)))
	le.PutUint32(data[at+8:], uint32(len(data)))
	return append(data, text...)
}

// TestColourEach names the way to join one picture for each colour: others would lose two of them.
func TestColourEach(t *testing.T) {
	data := file(t, "colour_each.ome.tif")
	_, err := Open("colour_each.ome.tif", bytes.NewReader(data), int64(len(data)))
	must.Equal(t, is[*UnsupportedError](err), true, err)
	must.Contain(t, err.Error(), "vips bandjoin")
}
