package webpframe

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestDecodeLikeLibwebp compares lossy pictures with what libwebp decodes, bit by bit.
func TestDecodeLikeLibwebp(t *testing.T) {
	for _, name := range []string{"opaque", "opacity"} {
		t.Run(name, func(t *testing.T) {
			packed, want := read(t, name+".webp"), read(t, name+".png")
			got := must.Get(Decode(bytes.NewReader(packed)))(t)
			wanted := must.Get(png.Decode(bytes.NewReader(want)))(t)
			if a, b := pix(t, got), pix(t, wanted); !bytes.Equal(a, b) {
				most := 0
				for i := range a {
					most = max(most, int(a[i])-int(b[i]), int(b[i])-int(a[i]))
				}
				t.Errorf("samples differ by up to %d", most)
			}
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
}

// pix returns the samples of a picture of 61 x 43 pixels.
func pix(t *testing.T, m image.Image) []byte {
	t.Helper()
	must.Equal(t, m.Bounds(), image.Rect(0, 0, 61, 43))
	switch m := m.(type) {
	case *image.RGBA:
		return m.Pix
	case *image.NRGBA:
		return m.Pix
	}
	t.Fatalf("%T", m)
	return nil
}
