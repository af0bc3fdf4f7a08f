package dicomtest

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Marker is in the value of each attribute that Identified writes.
const Marker = "MARKED"

// identifying are the attributes of PS3.15, table E.1-1 (2024b), whose values are texts or bytes: a
// value representation and tags in each line.
//
//go:embed identifying.txt
var identifying string

// Identified writes each identifying attribute with the marker, and the same in a sequence, in a
// private attribute and in the code of the modality.
func Identified(w *Writer) {
	for line := range strings.Lines(identifying) {
		words := strings.Fields(line)
		for _, word := range words[1:] {
			t, err := strconv.ParseUint(word, 16, 32)
			if err != nil {
				panic(err)
			}
			w.Text(Tag(t), words[0], msg.Sprintf("%s^%s", Marker, word))
		}
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
