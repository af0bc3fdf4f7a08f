package bagio

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// exif returns Exif data of one tag, the orientation, in a byte order.
func exif(orientation uint16, order binary.AppendByteOrder) []byte {
	out := []byte("II*\x00\x08\x00\x00\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		out = []byte("MM\x00*\x00\x00\x00\x08")
	}
	out = order.AppendUint16(order.AppendUint16(out, 1), 274)
	out = order.AppendUint32(order.AppendUint16(out, 3), 1)
	return append(order.AppendUint16(out, orientation), 0, 0, 0, 0, 0, 0)
}

// turned returns a picture of each format, without and with Exif data of an orientation.
func turned(t *testing.T, orientation uint16) map[string][2][]byte {
	img := noise(image.Point{}, 16, 8)
	var photo bytes.Buffer
	must.Do(t, jpeg.Encode(&photo, img, nil))
	little, big := exif(orientation, binary.LittleEndian), exif(orientation, binary.BigEndian)

	segment := append([]byte("\xff\xe1\x00\x00Exif\x00\x00"), big...)
	binary.BigEndian.PutUint16(segment[2:], uint16(len(segment)-2))
	plain := pngFile(t, img)
	part := append([]byte("\x00\x00\x00\x00eXIf"), big...)
	binary.BigEndian.PutUint32(part, uint32(len(big)))
	part = binary.BigEndian.AppendUint32(part, crc32.ChecksumIEEE(part[4:]))

	webp := testdata(t, "pictures/picture.webp")
	frame := webp[12:]
	extended := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x08\x00\x00\x00" +
		"\x17\x00\x00\x0f\x00\x00")
	extended = append(append(extended, frame...), "EXIF\x00\x00\x00\x00"...)
	binary.LittleEndian.PutUint32(extended[len(extended)-4:], uint32(len(little)))
	extended = append(extended, little...)
	binary.LittleEndian.PutUint32(extended[4:], uint32(len(extended)-8))

	tiff := zeroTIFF(t, nil)
	return map[string][2][]byte{
		"a.jpg":  {photo.Bytes(), slices.Insert(slices.Clone(photo.Bytes()), 2, segment...)},
		"a.png":  {plain, slices.Insert(slices.Clone(plain), 33, part...)},
		"a.webp": {webp, extended},
		"a.tif":  {tiff, zeroTIFF(t, map[uint16]uint32{274: uint32(orientation)})},
	}
}

// TestOrientation reads pixels as they are stored, and says so if the file states an orientation.
func TestOrientation(t *testing.T) {
	for orientation := range uint16(10) {
		for name, c := range turned(t, orientation) {
			var values [2][]float32
			var notes string
			for i, data := range c {
				s := must.Get(Read(name, data, Options{Patch: PatchOptions{Size: 8}}))(t)
				values[i] = must.Get(s.Bag(0))(t).Values
				notes = strings.Join(s.Notes(), " ")
				if i == 0 && notes != "" {
					t.Errorf("%s: %s", name, notes)
				}
			}
			if !slices.Equal(values[0], values[1]) {
				t.Errorf("%s, orientation %d: its pixels differ", name, orientation)
			}
			want := orientation >= 2 && orientation <= 8
			if strings.Contains(notes, "is to be mirrored or turned (orientation ") != want {
				t.Errorf("%s, orientation %d: %q", name, orientation, notes)
			}
		}
	}
	files := turned(t, 3)
	s := must.Get(ReadFolder(fstest.MapFS{"1.png": {Data: files["a.png"][0]},
		"2.png": {Data: files["a.png"][1]}}, Options{}))(t)
	must.Equal(t, strings.HasPrefix(strings.Join(s.Notes(), " "), "2.png states"), true)
}

// TestWayOfOrientation follows the command of the note: it turns the pixels.
func TestWayOfOrientation(t *testing.T) {
	book := advice.Of(t)
	for name, c := range turned(t, 6) {
		t.Run(name, func(t *testing.T) {
			dir, o := t.TempDir(), Options{Patch: PatchOptions{Size: 8}}
			must.Do(t, os.WriteFile(filepath.Join(dir, name), c[1], 0o600))
			s := must.Get(Read(name, c[1], o))(t)
			book.Follow(t, dir, name, strings.Join(s.Notes(), " "))
			data := must.Get(os.ReadFile(filepath.Join(dir, "turned.png")))(t)
			after := must.Get(Read("turned.png", data, o))(t)
			stored, upright := s.Picture(0).Bounds(), after.Picture(0).Bounds()
			if upright.Dx() != stored.Dy() || upright.Dy() != stored.Dx() || after.Notes() != nil {
				t.Errorf("%v is %v, notes %v", stored, upright, after.Notes())
			}
		})
	}
}

// TestDepthOfPNG reads the upper eight bits of a PNG file of 16, and follows the command for one
// that uses fewer.
func TestDepthOfPNG(t *testing.T) {
	book := advice.Of(t)
	img := image.NewGray16(image.Rect(0, 0, 8, 8))
	fill := func(factor int) []byte {
		for i := range 64 {
			binary.BigEndian.PutUint16(img.Pix[2*i:], uint16(factor*3*i))
		}
		return pngFile(t, img)
	}
	o := Options{Patch: PatchOptions{Size: 8, Channels: 1}}
	check := func(name string, data []byte) {
		t.Helper()
		for i, v := range must.Get(must.Get(Read(name, data, o))(t).Bag(0))(t).Values {
			must.Equal(t, int(v), 3*i, name, i, v)
		}
	}
	check("a.png", fill(257))
	for factor, want := range map[int]string{1: "use 8 at most", 16: "use 12 at most"} {
		t.Run(want, func(t *testing.T) {
			data, dir := fill(factor), t.TempDir()
			_, err := Read("a.png", data, o)
			must.Fail(t, err)
			must.Contain(t, err.Error(), want)
			must.Do(t, os.WriteFile(filepath.Join(dir, "a.png"), data, 0o600))
			book.Follow(t, dir, "a.png", err.Error())
			check("slide.tif", must.Get(os.ReadFile(filepath.Join(dir, "slide.tif")))(t))
		})
	}
	t.Run("dark", func(t *testing.T) {
		data, dir := fill(64), t.TempDir()
		notes := strings.Join(must.Get(Read("a.png", data, o))(t).Notes(), " ")
		must.Contain(t, notes, "use 14 at most")
		must.Do(t, os.WriteFile(filepath.Join(dir, "a.png"), data, 0o600))
		book.Follow(t, dir, "a.png", notes)
		check("slide.tif", must.Get(os.ReadFile(filepath.Join(dir, "slide.tif")))(t))
	})
}

// TestAnimatedWebP follows the command for a picture of several frames.
func TestAnimatedWebP(t *testing.T) {
	book := advice.Of(t)
	frame := testdata(t, "pictures/picture.webp")[12:]
	file := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00" +
		"\x17\x00\x00\x0f\x00\x00ANIM\x06\x00\x00\x00\xff\xff\xff\xff\x00\x00")
	for range 2 {
		head := "\x00\x00\x00\x00\x00\x00\x17\x00\x00\x0f\x00\x00\x64\x00\x00\x00"
		file = append(file, "ANMF"...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(head)+len(frame)))
		file = append(append(file, head...), frame...)
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	o := Options{Patch: PatchOptions{Size: 8}}
	_, err := Read("a.webp", file, o)
	must.Fail(t, err)
	must.Contain(t, err.Error(), "animated WebP")
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.webp"), file, 0o600))
	book.Follow(t, dir, "a.webp", err.Error())
	data := must.Get(os.ReadFile(filepath.Join(dir, "frame.png")))(t)
	got := must.Get(must.Get(Read("frame.png", data, o))(t).Bag(0))(t)
	want := must.Get(must.Get(Read("b.webp", testdata(t, "pictures/picture.webp"), o))(t).Bag(0))(t)
	must.EqualSlices(t, got.Values, want.Values, "the frame has other pixels")
}

// TestFourthChannel says that a fourth channel of a TIFF file is left out, unless it is the
// opacity.
func TestFourthChannel(t *testing.T) {
	o := Options{Patch: PatchOptions{Size: 8}}
	for extra, want := range map[uint32]bool{0: true, 1: false, 2: false} {
		file := zeroTIFF(t, map[uint16]uint32{262: 2, 277: 4, 338: extra})
		notes := strings.Join(must.Get(Read("a.tif", file, o))(t).Notes(), " ")
		must.Equal(t, strings.Contains(notes, "a fourth channel"), want, extra, notes)
	}
}

// TestExifOfBrokenJPEG: a file that ends within a marker, or has no marker where one must be, has
// no Exif data.
func TestExifOfBrokenJPEG(t *testing.T) {
	segment := append([]byte{0xff, 0xe1, 0, 12}, "Exif\x00\x00tiff"...)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"whole":                   {append([]byte{0xff, 0xd8}, segment...), "tiff"},
		"after fill bytes":        {append([]byte{0xff, 0xd8, 0xff, 0xff}, segment...), "tiff"},
		"behind the pixels":       {append([]byte{0xff, 0xd8, 0xff, 0xda, 0, 2}, segment...), ""},
		"cut behind its marker":   {[]byte{0xff, 0xd8, 0xff, 0xe1}, ""},
		"cut within its marker":   {[]byte{0xff, 0xd8, 0xff}, ""},
		"longer than the file":    {[]byte{0xff, 0xd8, 0xff, 0xe1, 0, 99, 'E'}, ""},
		"shorter than its length": {[]byte{0xff, 0xd8, 0xff, 0xe1, 0, 1, 'E'}, ""},
		"no marker":               {append([]byte{0xff, 0xd8, 0}, segment[1:]...), ""},
	} {
		must.Equal(t, string(exifOfJPEG(c.data)), c.want, name)
	}
}
