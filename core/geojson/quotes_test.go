package geojson

import (
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg/msgtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestErrorsAreShort: whatever annotations, their file and a bag are called, an error has at most
// 4 kB and no control characters.
func TestErrorsAreShort(t *testing.T) {
	giant := strings.Repeat("\x01", 8<<20)
	for name, text := range map[string]string{
		"no JSON":           giant,
		"a text":            `"` + giant,
		"a key":             `{"` + giant,
		"a number":          `{"type":` + strings.Repeat("9", 8<<20) + "x",
		"a literal":         "[tru" + giant,
		"behind the JSON":   "[] " + giant,
		"a type":            `{"type":"` + giant + `"}`,
		"a coordinate":      polygon(`["`+giant+`",0],[9,0],[9,9]`, "a"),
		"no gzip":           "\x1f\x8b" + giant,
		"too long":          giant + giant + giant,
		"without a polygon": `{"type":"Feature","geometry":{"type":"` + giant + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"a.geojson", giant} {
				_, _, err := Read(file, []byte(text))
				must.Fail(t, err)
				msgtest.Short(t, err.Error())
			}
		})
	}
	regions, _, err := Read("a.geojson", []byte(polygon("[0,0],[9,0],[9,9]", `\u0001\u202e`)))
	must.Do(t, err)
	bag := slide(20)
	bag.Name = giant
	for i := range bag.Boxes {
		bag.Boxes[i] = image.Rect(99, 99, 100, 100)
	}
	_, outside := InsideLabels(bag, regions, nil)
	bag.Boxes = nil
	_, unplaced := InsideLabels(bag, regions, nil)
	for _, err := range []error{outside, unplaced} {
		must.Fail(t, err)
		msgtest.Short(t, err.Error())
	}
}

// polygon returns an annotation with a ring and a class.
func polygon(ring, class string) string {
	return `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[` + ring + `]]},` +
		`"properties":{"classification":{"name":"` + class + `"}}}`
}
