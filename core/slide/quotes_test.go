package slide

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/msg/msgtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestErrorsAreShort: whatever a slide, its descriptions and its file hold, an error has at most 4
// kB and no control characters.
func TestErrorsAreShort(t *testing.T) {
	giant, word := strings.Repeat("\x01", 1<<20), strings.Repeat("n", 1<<20)
	failure := func(_ *Slide, err error) error { return err }
	tiff := func(data string) func(name string) error {
		return func(name string) error {
			return failure(Open(name, strings.NewReader(data), int64(len(data))))
		}
	}
	ome := func(description string) func(name string) error {
		return tiff(string(withText(tagDescription, description)))
	}
	zoom := func(description string) func(name string) error {
		return func(name string) error {
			s, err := OpenWith(name, strings.NewReader(description),
				int64(len(description)), Options{Beside: fstest.MapFS{}})
			if err == nil {
				_, err = s.Tile(0, 0, 0)
			}
			return err
		}
	}
	const short = 1 << 15 // a description of a Deep Zoom picture
	for name, open := range map[string]func(name string) error{
		"no TIFF":          tiff(giant),
		"software":         tiff(string(withText(tagSoftware, "Philips"+giant))),
		"text of OME":      ome("<OME>" + giant),
		"end tag of OME":   ome("<OME></" + word + ">"),
		"entity of OME":    ome("<OME>&" + word + ";</OME>"),
		"attribute of OME": ome("<OME " + word + "></OME>"),
		"encoding of OME":  ome(`<!--<OME--><?xml version="1.0" encoding="` + word + `"?><OME/>`),
		"version of OME":   ome(`<!--<OME--><?xml version="` + word + `"?><OME/>`),
		"no picture":       ome(`<OME a="` + word + `"/>`),
		"root element":     zoom("<" + word[:short] + "/>"),
		"end of element":   zoom("<Image></" + word[:short] + ">"),
		"number":           zoom(`<Image TileSize="` + word[:short] + `"/>`),
		"hidden number":    zoom(`<Image TileSize="` + strings.Repeat("\u202e", short/3) + `"/>`),
		"format":           zoom(`<Image Format="` + word[:short] + `"/>`),
		"hidden format":    zoom(`<Image Format="` + strings.Repeat("\u202e", short/3) + `"/>`),
		"long description": zoom(giant),
		"tile": zoom(`<Image TileSize="8" Overlap="0" Format="png"><Size Width="8" Height="8"/>` +
			`</Image>`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"a", giant + "/a.ndpi", word} {
				err := open(file)
				must.Fail(t, err)
				msgtest.Short(t, err.Error())
			}
		})
	}
	data := file(t, names(t)[0])
	_, err := Open(giant+".ndpi", bytes.NewReader(data), int64(len(data)))
	msgtest.Short(t, err.Error())
}
