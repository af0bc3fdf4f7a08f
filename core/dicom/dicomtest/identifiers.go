package dicomtest

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// Marker is in the value of each attribute that Identified writes.
const Marker = "MARKED"

// identifying are attributes of PS3.15, table E.1-1, that identify a patient, a person or a place,
// with their value representations.
var identifying = map[Tag]string{
	0x0008_0012: "DA", 0x0008_0020: "DA", 0x0008_0021: "DA", 0x0008_0022: "DA", 0x0008_0023: "DA",
	0x0008_002a: "DT", 0x0008_0030: "TM", 0x0008_0050: "SH", 0x0008_0054: "AE", 0x0008_0080: "LO",
	0x0008_0081: "ST", 0x0008_0090: "PN", 0x0008_0092: "ST", 0x0008_0094: "SH", 0x0008_1010: "SH",
	0x0008_1030: "LO", 0x0008_103e: "LO", 0x0008_1040: "LO", 0x0008_1048: "PN", 0x0008_1050: "PN",
	0x0008_1060: "PN", 0x0008_1070: "PN", 0x0008_1080: "LO", 0x0008_2111: "ST", 0x0008_4000: "LT",
	0x0010_0010: "PN", 0x0010_0020: "LO", 0x0010_0021: "LO", 0x0010_0030: "DA", 0x0010_0032: "TM",
	0x0010_0040: "CS", 0x0010_0050: "LO", 0x0010_1000: "LO", 0x0010_1001: "PN", 0x0010_1005: "PN",
	0x0010_1010: "AS", 0x0010_1040: "LO", 0x0010_1060: "PN", 0x0010_1090: "LO", 0x0010_2000: "LO",
	0x0010_2110: "LO", 0x0010_2150: "LO", 0x0010_2152: "LO", 0x0010_2154: "SH", 0x0010_2160: "SH",
	0x0010_2180: "SH", 0x0010_21b0: "LT", 0x0010_21f0: "LO", 0x0010_4000: "LT", 0x0018_1000: "LO",
	0x0018_1002: "UI", 0x0018_1004: "LO", 0x0018_1030: "LO", 0x0018_1400: "LO", 0x0018_4000: "LT",
	0x0020_000d: "UI", 0x0020_000e: "UI", 0x0020_0010: "SH", 0x0020_0052: "UI", 0x0020_4000: "LT",
	0x0032_1032: "PN", 0x0032_1060: "LO", 0x0032_4000: "LT", 0x0038_0010: "LO", 0x0038_0300: "LO",
	0x0040_0006: "PN", 0x0040_0253: "SH", 0x0040_1001: "SH", 0x0040_a123: "PN", 0x0040_a730: "LO",
}

// Identified writes each identifying attribute with the marker, and the same in a sequence, in a
// private attribute and in the code of the modality.
func Identified(w *Writer) {
	tags := make([]Tag, 0, len(identifying))
	for t := range identifying {
		tags = append(tags, t)
	}
	slices.Sort(tags)
	for _, t := range tags {
		w.Text(t, identifying[t], msg.Sprintf("%s^%08x", Marker, uint32(t)))
	}
	w.Head(0x0008_1110, "SQ", undefined)
	w.Head(Item, "", undefined)
	w.Text(0x0010_0010, "PN", Marker+"^NESTED")
	w.Head(ItemEnd, "", 0)
	w.Head(SequenceEnd, "", 0)
	w.Text(0x0009_0010, "LO", Marker+" PRIVATE")
	w.Text(0x0009_1001, "LO", Marker+" PRIVATE VALUE")
	w.Text(Modality, "CS", Marker+"^1")
}

// Slice returns a picture of a series: its number, and where it lies on the axis of the patient.
func Slice(series, number int, z float64) Picture {
	p := Grey(Explicit)
	for i := range p.Pixels {
		p.Pixels[i] = byte(number) * byte(1-i%2)
	}
	p.More = func(w *Writer) {
		w.Text(Series, "UI", msg.Sprintf("1.2.%d", series))
		w.Text(SeriesNumber, "IS", msg.Sprintf("%d", series))
		w.Text(Instance, "IS", msg.Sprintf("%d", number))
		w.Text(Position, "DS", msg.Sprintf(`0\0\%g`, z))
		w.Text(Orientation, "DS", `1\0\0\0\1\0`)
		w.Text(Slope, "DS", "1")
		w.Text(Intercept, "DS", "-1024")
	}
	return p
}
