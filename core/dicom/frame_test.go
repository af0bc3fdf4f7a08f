package dicom

import (
	"bytes"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// valuesOf returns the values of the first frame of a picture.
func valuesOf(t *testing.T, p dicomtest.Picture) []float32 {
	t.Helper()
	frames := must.Get(readAll("f.dcm", p.File()))(t)
	out := make([]float32, frames[0].Len())
	frames[0].Values(out)
	return out
}

// TestBits reads samples of 12 bits in 16: with other data in the unused bits, above a shift, and
// with a sign.
func TestBits(t *testing.T) {
	p := dicomtest.Grey(uidExplicit)
	p.Width, p.Height = 2, 1
	for name, c := range map[string]struct {
		high, sign int
		pixels     []byte
		want       []float32
	}{
		"unused bits": {11, 0, []byte{0x01, 0xf0, 0xff, 0x5f}, []float32{1, 4095}},
		"a sign":      {11, 1, []byte{0x01, 0x00, 0xff, 0x0f}, []float32{1, -1}},
		"a shift":     {15, 0, []byte{0x1f, 0x00, 0xf0, 0xff}, []float32{1, 4095}},
		"both":        {15, 1, []byte{0x10, 0x00, 0x00, 0x80}, []float32{1, -2048}},
	} {
		t.Run(name, func(t *testing.T) {
			p.High, p.Signed, p.Pixels = c.high, c.sign, c.pixels
			must.EqualSlices(t, valuesOf(t, p), c.want)
		})
	}
}

// TestFrameGroups rescales by the functional group of the frame, and places it by it.
func TestFrameGroups(t *testing.T) {
	p := dicomtest.Grey(uidExplicit)
	plain := valuesOf(t, p)
	p.More = dicomtest.FrameGroups
	for i, v := range valuesOf(t, p) {
		must.Equal(t, v, 2*plain[i]-1024, i, plain[i])
	}
	data := p.File()
	f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{}))(t)
	if s := f.Slice(0); !s.Placed || s.Place.Distance() != 3 {
		t.Errorf("%+v", s)
	}
}

// TestUncompressed reads equal values in all syntaxes without loss.
func TestUncompressed(t *testing.T) {
	want := valuesOf(t, dicomtest.Grey(uidExplicit))
	for _, uid := range []string{uidImplicit, uidExplicit + ".98", uidExplicit + ".99",
		"1.2.840.10008.1.2.2"} {
		p := dicomtest.Grey(uid)
		if uid == "1.2.840.10008.1.2.2" {
			p.Pixels = bytes.Clone(p.Pixels)
			for i := 0; i < len(p.Pixels); i += 2 {
				p.Pixels[i], p.Pixels[i+1] = p.Pixels[i+1], p.Pixels[i]
			}
		}
		must.EqualSlices(t, valuesOf(t, p), want, uid)
	}
}

// TestWindows maps a value under each function of PS3.3, C.11.2.1, with numbers computed by hand.
func TestWindows(t *testing.T) {
	for _, c := range []struct {
		w       window
		v, want float64
	}{
		{window{center: 40, width: 401}, 39.5, 0.5},
		{window{center: 40, width: 401}, -160.5, 0},
		{window{center: 40, width: 401}, 239.5, 1},
		{window{center: 40, width: 1}, 39.5, 0},
		{window{center: 40, width: 1}, 39.6, 1},
		{window{center: 40, width: 400, function: "LINEAR_EXACT"}, 140, 0.75},
		{window{center: 40, width: 400, function: "SIGMOID"}, 40, 0.5},
		{window{table: &table{first: 10, bits: 8, values: []uint16{0, 51, 255}}}, 11, 0.2},
		{window{table: &table{first: 10, bits: 8, values: []uint16{0, 51, 255}}}, 99, 1},
	} {
		must.Equal(t, c.w.at(c.v), c.want, c.w, c.v)
	}
}

// TestInverted shows the lowest values of MONOCHROME1 white, and does not change its values.
func TestInverted(t *testing.T) {
	p := dicomtest.Grey(uidExplicit)
	straight := valuesOf(t, p)
	p.Photometric = "MONOCHROME1"
	must.EqualSlices(t, valuesOf(t, p), straight)
	frames := must.Get(readAll("f.dcm", p.File()))(t)
	if m := frames[0].Shown().(*image.Gray); m.Pix[0] != 255 || m.Pix[11] != 0 {
		t.Error(m.Pix)
	}
}

// TestRefused names the compression of a file that is not read, and how to convert it.
func TestRefused(t *testing.T) {
	for end, what := range refusedSyntaxes {
		meta := dicomtest.Grey(uidExplicit).File()
		data := bytes.Replace(meta, []byte(uidExplicit+" "), []byte(uidImplicit+"."+end), 1)
		data[128+4+6] = byte(len(uidImplicit) + 1 + len(end))
		_, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{})
		var e *UnsupportedError
		must.Equal(t, errors.As(err, &e), true, end, err)
		must.Equal(t, strings.HasSuffix(e.What, " "+what), true, end, err)
		must.Equal(t, strings.Contains(e.Way, "gdcmconv --raw FILE"), true, end, err)
	}
}
