package slide

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestConvert follows the commands for files that are no slides, for pictures that are stored in
// one piece, and for Deep Zoom pictures without their tiles.
func TestConvert(t *testing.T) {
	book := advice.Of(t)
	dir := t.TempDir()
	picture := append([]byte("P6\n64 48\n255\n"), bytes.Repeat([]byte{10, 200, 30}, 64*48)...)
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.ppm"), picture, 0o600))
	open := func(name string, o Options) error {
		data := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		o.Beside = os.DirFS(dir)
		s, err := OpenWith(name, bytes.NewReader(data), int64(len(data)), o)
		if err == nil {
			_, err = s.Region(0, image.Rect(0, 0, 64, 48))
		}
		return err
	}
	follow := func(t *testing.T, file string, err error, result string) {
		t.Helper()
		must.Fail(t, err)
		book.Follow(t, dir, file, err.Error(), "SLIDE", "a.ppm")
		must.Do(t, open(result, Options{}))
	}
	t.Run("another format", func(t *testing.T) {
		follow(t, "a.ppm", open("a.ppm", Options{}), "slide.tif")
	})
	t.Run("one piece", func(t *testing.T) {
		must.Do(t, os.WriteFile(filepath.Join(dir, "strip.tif"),
			samplesFile(1, 1, 8, false, byte8, grey), 0o600))
		err := open("strip.tif", Options{Pixels: testWide*testHigh - 1})
		must.Equal(t, is[*LimitError](err), true, err)
		book.Follow(t, dir, "strip.tif", err.Error())
		must.Do(t, readWhole(filepath.Join(dir, "slide.tif"), nil))
	})
	t.Run("LERC", func(t *testing.T) {
		must.Do(t, os.WriteFile(filepath.Join(dir, "lerc.tif"), file(t, "lerc.tif"), 0o600))
		err := open("lerc.tif", Options{})
		must.Equal(t, is[*UnsupportedError](err), true, err)
		book.Follow(t, dir, "lerc.tif", err.Error())
		must.Do(t, readWhole(filepath.Join(dir, "slide.tif"), func(m *image.RGBA) {
			if m.Pix[4] != 1 || m.Pix[len(m.Pix)-2] != 11 {
				t.Errorf("pixels %v", m.Pix)
			}
		}))
	})
	t.Run("no tiles", func(t *testing.T) {
		must.Do(t, os.WriteFile(filepath.Join(dir, "lost.dzi"), []byte(`<Image `+
			`xmlns="http://schemas.microsoft.com/deepzoom/2008" TileSize="64" Overlap="0" `+
			`Format="png"><Size Width="64" Height="48"/></Image>`), 0o600))
		err := open("lost.dzi", Options{})
		must.Fail(t, err)
		must.Contain(t, err.Error(), "is missing")
		follow(t, "lost.dzi", err, "slide.dzi")
	})
	t.Run("other colours", func(t *testing.T) {
		must.Do(t, os.WriteFile(filepath.Join(dir, "lab.tif"), samplesFile(1, 3, 8, false, byte8,
			tag{tagPhotometric, []uint32{8}}), 0o600))
		err := open("lab.tif", Options{})
		must.Equal(t, is[*UnsupportedError](err), true, err)
		book.Follow(t, dir, "lab.tif", err.Error())
		must.Do(t, readWhole(filepath.Join(dir, "slide.tif"), nil))
	})
}
