package dicom

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestOrigin reads the UIDs of a file; a text that is no UID is left out.
func TestOrigin(t *testing.T) {
	p := dicomtest.Grey(uidExplicit)
	p.Class = "1.2.840.10008.5.1.4.1.1.2"
	p.More = func(w *dicomtest.Writer) {
		w.Text(0x0008_0018, "UI", "2.25.7\x00")
		w.Text(0x0020_000d, "UI", "2.25.8")
		w.Text(0x0020_000e, "UI", "DOE^JANE")
		w.Text(0x0020_0052, "UI", "2.25.9\x00")
	}
	data := p.File()
	f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{}))(t)
	want := &core.Origin{Study: "2.25.8", Reference: "2.25.9", Images: []core.OriginImage{{
		Class: p.Class, UID: "2.25.7", Width: 4, Height: 3, Frames: 1}}}
	must.Equal(t, reflect.DeepEqual(f.Origin(), want), true, want)
}

// TestIdentifiers reads names in two character sets and in bytes that are no text of a third one.
func TestIdentifiers(t *testing.T) {
	identifiers := func(set, name string) ([]Identifier, string, error) {
		p := dicomtest.Grey(uidImplicit)
		p.More = func(w *dicomtest.Writer) {
			w.Text(0x0008_0005, "CS", set)
			w.Text(0x0010_0010, "PN", name)
			w.Text(0x0010_1000, "LO", "of no derived file")
			w.Text(0x0020_000d, "UI", "2.25.8")
		}
		data := p.File()
		return Identifiers("f.dcm", bytes.NewReader(data), int64(len(data)), Options{})
	}
	for set, name := range map[string]string{"ISO_IR 100": "M\xfcller^Eva",
		"ISO_IR 192": "Müller^Eva"} {
		got, study, err := identifiers(set, name)
		want := []Identifier{{0x0010_0010, "PN", "Müller^Eva"}}
		if err != nil || study != "2.25.8" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v of %q, %v", set, got, study, err)
		}
	}
	var refused *UnsupportedError
	if _, _, err := identifiers(`\ISO 2022 IR 87`, "\x1b$B;3ED"); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "character set") {
		t.Errorf("%v", err)
	}
}
