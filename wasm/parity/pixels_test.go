package parity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

const (
	pixelsFile = "testdata/pixels.json"
	slides     = "../../core/slide/testdata"
)

// TestPixels compares the pixels of slides of JPEG 2000 with the committed hashes, level by level.
// The same module decodes them in the browser and in Node, so that pixels are equal there.
func TestPixels(t *testing.T) {
	got := map[string][]string{}
	for _, name := range []string{"aperio_33003.svs", "aperio_33005.svs"} {
		data := must.Get(os.ReadFile(filepath.Join(slides, name)))(t)
		s := must.Get(slide.Open(name, bytes.NewReader(data), int64(len(data))))(t)
		for i, l := range s.Levels {
			m := must.Get(s.Region(i, image.Rect(0, 0, l.Width, l.Height)))(t)
			sum := sha256.Sum256(m.Pix)
			got[name] = append(got[name], hex.EncodeToString(sum[:]))
		}
	}
	text := append(must.Get(json.MarshalIndent(got, "", "  "))(t), '\n')
	if *update {
		must.Do(t, os.WriteFile(pixelsFile, text, 0o644))
	}
	must.EqualSlices(t, text, must.Get(os.ReadFile(pixelsFile))(t))
}
