package host

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// slice returns slice i of a series of 28 x 28 pixels, with all identifying attributes.
func slice(i int) []byte {
	p := dicomtest.Slice(1, i+1, 2.5*float64(i))
	p.Width, p.Height, p.Pixels = 28, 28, make([]byte, 2*28*28)
	for at := 0; at < len(p.Pixels) && i%2 == 0; at += 2 {
		p.Pixels[at] = byte(at * (i + 3) / 7)
	}
	place := p.More
	p.More = func(w *dicomtest.Writer) {
		w.Text(0x0008_0016, "UI", "1.2.840.10008.5.1.4.1.1.2\x00")
		w.Text(0x0008_0018, "UI", fmt.Sprintf("2.25.80%d\x00", i))
		w.Text(0x0020_000d, "UI", "2.25.70")
		w.Text(dicomtest.Intercept, "DS", "0")
		place(w)
		w.Text(0x0028_0030, "DS", `0.5\0.75`)
		w.Text(0x0028_1050, "DS", fmt.Sprint(40+i))
		w.Text(0x0028_1051, "DS", "400")
		dicomtest.Identified(w)
	}
	return p.File()
}

// TestWriteDICOM writes a map and a report of a series whose bag states where its slices lie.
func TestWriteDICOM(t *testing.T) {
	c := newClient(t, nil)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for i := range 4 {
		must.Get(must.Get(w.Create(fmt.Sprint(i)))(t).Write(slice(i)))(t)
	}
	must.Do(t, w.Close())
	data := must.Get(os.ReadFile("../../examples/digits/model.onnx"))(t)
	model := get[wire.ModelOpened](c, wire.OpenModel{Name: "digits", Bytes: data})
	set := get[wire.BagsRead](c, wire.ReadBags{Model: model.Handle,
		Files: []wire.BagFile{{Name: "series.zip", Bytes: archive.Bytes()}}})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: set.Handle})
	s := bag.Info.Slices
	if s == nil || !slices.Equal(s.Positions, []float64{0, 2.5, 5, 7.5}) || s.RowSpacing != 0.5 ||
		s.ColumnSpacing != 0.75 || !slices.Equal(s.Rows, []float64{1, 0, 0}) ||
		!slices.Equal(s.Across, []float64{0, 1, 0}) || s.WindowCentre != 40 ||
		s.WindowWidth != 400 {
		t.Errorf("%+v", s)
	}
	e := get[wire.Explained](c, wire.Explain{Model: model.Handle, Bag: bag.Handle,
		Methods: new([]string{"single"})})
	request := wire.WriteDICOM{Bag: bag.Handle, Report: *reported(e), Form: "seg",
		ClassNames: []string{"a", "b", "c", "d"}, Class: 1}
	for _, form := range []string{"seg", "sr"} {
		request.Form, request.Identifiers = form, nil
		file := get[wire.DICOMFile](c, request).Bytes
		must.Equal(t, dicom.Is(file), true, form)
		must.Equal(t, bytes.Contains(file, []byte("2.25.800")), true, form)
		must.Equal(t, bytes.Contains(file, []byte("1.2.3")), true, form)
		must.Equal(t, bytes.Contains(file, []byte(dicomtest.Marker)), false, form)
		request.Identifiers = slice(0)
		file = get[wire.DICOMFile](c, request).Bytes
		must.Equal(t, bytes.Contains(file, []byte(dicomtest.Marker+"^00100010")), true, form)
	}
	request.Form = "rtss"
	must.Equal(t, get[wire.Failure](c, request).Kind, kind.Setting, "another form")
}
