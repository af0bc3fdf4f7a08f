package dicom

import (
	"io"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// An Identifier is an attribute that names a patient, a study or a person.
type Identifier struct {
	Tag   uint32
	VR    string // value representation, such as "PN"
	Value string // UTF-8
}

// identifying are the attributes that Identifiers reads, with their value representations: those of
// the patient and of the study that files about a picture repeat (PS3.3, C.7.1.1 and C.7.2.1).
var identifying = map[tag]string{
	0x0008_0020: "DA", // date, time and accession number of the study
	0x0008_0030: "TM",
	0x0008_0050: "SH",
	0x0008_0090: "PN", // referring physician
	0x0008_1030: "LO", // description of the study
	0x0010_0010: "PN", // name, number, issuer of the number, birth date, sex and age
	0x0010_0020: "LO",
	0x0010_0021: "LO",
	0x0010_0030: "DA",
	0x0010_0040: "CS",
	0x0010_1010: "AS",
	0x0020_0010: "SH", // number of the study
}

// Origin returns the UIDs of the file. UIDs that are not valid are "".
func (f *File) Origin() *core.Origin {
	o := &core.Origin{Study: f.top.uid(tagStudy), Series: f.top.uid(tagSeries),
		Reference: f.top.uid(tagReference), Images: []core.OriginImage{{
			Class: f.top.uid(tagClass), UID: f.top.uid(tagUID), Width: f.Width, Height: f.Height,
			Frames: f.Frames}}}
	if m := f.Matrix; m != nil {
		o.Matrix = &core.OriginMatrix{Width: m.Width, Height: m.Height,
			Spacing: spacingOf(f.groups(0, tagPixelMeasures))}
		corner := f.top.first(tagMatrixOrigin)
		for i, t := range []tag{tagSlideX, tagSlideY, tagSlideZ} {
			o.Matrix.Offset[i], _ = corner.number(t)
		}
		if v := f.top.numbers(tagSlideOrient); len(v) == 6 {
			copy(o.Matrix.Rows[:], v)
			copy(o.Matrix.Across[:], v[3:])
		}
	}
	return o
}

// Identifiers returns the identifying attributes of a file of size bytes in ascending order of
// their tags, not nil, and the UID of its study. Errors are those of [Open], and an
// *[UnsupportedError] for names in a character set that is not converted.
func Identifiers(
	name string, r io.ReaderAt, size int64, o Options,
) (out []Identifier, study string, err error) {
	f, err := open(&File{name: name, r: r, size: size, identified: true}, o)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	out = []Identifier{}
	var tags []tag
	for t := range identifying {
		tags = append(tags, t)
	}
	slices.Sort(tags)
	for _, t := range tags {
		a := f.top.find(t)
		if a == nil {
			continue
		}
		value, err := f.decoded(strings.Trim(string(a.bytes), " \x00"))
		if err != nil {
			return nil, "", err
		}
		out = append(out, Identifier{Tag: uint32(t), VR: identifying[t], Value: value})
	}
	return out, f.top.uid(tagStudy), nil
}

// decoded returns a text of the file in UTF-8 (PS3.3, C.12.1.1.2).
func (f *File) decoded(text string) (string, error) {
	if !strings.ContainsFunc(text, func(c rune) bool { return c > 0x7e || c < ' ' }) {
		return text, nil
	}
	switch f.top.text(tagCharacters) {
	case "ISO_IR 192":
		return strings.ToValidUTF8(text, "?"), nil
	case "ISO_IR 100":
		out := make([]rune, len(text)) // Latin-1
		for i := range len(text) {
			out[i] = rune(text[i])
		}
		return string(out), nil
	}
	return "", &UnsupportedError{f.name, "names in a character set other than ISO_IR 100 and " +
		"ISO_IR 192", "omit identifiers"}
}

// uid returns a UID, or "" for a text that is none (PS3.5, section 9.1).
func (it item) uid(t tag) string {
	text := it.text(t)
	other := func(c rune) bool { return (c < '0' || c > '9') && c != '.' }
	if len(text) > 64 || strings.ContainsFunc(text, other) {
		return ""
	}
	return text
}
