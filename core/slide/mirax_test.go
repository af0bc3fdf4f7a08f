package slide

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// miraxSettings are those of a slide of two fields of 64 x 64 pixels beside each other.
const miraxSettings = `[GENERAL]
SLIDE_VERSION = 1.9
SLIDE_ID = 00000000000000000000000000000000
IMAGENUMBER_X = 2
IMAGENUMBER_Y = 1
OBJECTIVE_MAGNIFICATION = 20
[HIERARCHICAL]
HIER_COUNT = 1
NONHIER_COUNT = 0
INDEXFILE = Index.dat
HIER_0_NAME = Slide zoom level
HIER_0_COUNT = 1
HIER_0_VAL_0_SECTION = LEVEL
[LEVEL]
OVERLAP_X = 0
OVERLAP_Y = 0
MICROMETER_PER_PIXEL_X = 0.5
MICROMETER_PER_PIXEL_Y = 0.5
IMAGE_FILL_COLOR_BGR = 16777215
DIGITIZER_WIDTH = 64
DIGITIZER_HEIGHT = 64
IMAGE_FORMAT = JPEG
IMAGE_CONCAT_FACTOR = 0
[DATAFILE]
FILE_COUNT = 1
FILE_0 = Data0000.dat
`

// TestWayOfMIRAX follows the command for a slide of 3DHISTECH, whose second field is red.
func TestWayOfMIRAX(t *testing.T) {
	book := advice.Of(t)
	dir := t.TempDir()
	var field [2]bytes.Buffer
	for i, c := range []color.Color{color.RGBA{40, 90, 200, 255}, color.RGBA{200, 20, 30, 255}} {
		m := image.NewRGBA(image.Rect(0, 0, 64, 64))
		draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		must.Do(t, jpeg.Encode(&field[i], m, &jpeg.Options{Quality: 95}))
	}
	// The version and the identity, the place of the list of levels, it, and a page of two fields.
	index := []byte("01.02" + strings.Repeat("0", 32))
	at := uint32(len(index))
	first, second := uint32(field[0].Len()), uint32(field[1].Len())
	for _, v := range []uint32{at + 8, 0, at + 12, 0, at + 20, 2, 0, 0, 0, first, 0, 1, first,
		second, 0} {
		index = le.AppendUint32(index, v)
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
	for name, data := range map[string][]byte{"a.mrxs": field[0].Bytes(),
		"a/Slidedat.ini": []byte(miraxSettings), "a/Index.dat": index,
		"a/Data0000.dat": append(field[0].Bytes(), field[1].Bytes()...)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	_, err := Open("a.mrxs", bytes.NewReader(field[0].Bytes()), int64(first))
	must.Equal(t, is[*FormatError](err), true, err)
	must.Contain(t, err.Error(), "3DHISTECH")
	book.Follow(t, dir, "a.mrxs", err.Error())
	must.Do(t, readWhole(filepath.Join(dir, "slide.tif"), func(m *image.RGBA) {
		left, right := m.RGBAAt(20, 30), m.RGBAAt(100, 30)
		if m.Rect.Dx() != 128 || left.B < 180 || right.R < 180 || right.B > 60 {
			t.Errorf("%v, %v and %v", m.Rect, left, right)
		}
	}))
}
