package bagio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

func pngFile(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, img))
	return out.Bytes()
}

// noise is an opaque picture of random colours whose top left corner is at min.
func noise(min image.Point, width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(min.X, min.Y, min.X+width, min.Y+height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// TestPatchesEqualPixels compares patches with pixels read one by one through the interface of the
// picture.
func TestPatchesEqualPixels(t *testing.T) {
	img := noise(image.Pt(-3, 5), 23, 17)
	for _, o := range []PatchOptions{{Size: 5}, {Size: 5, Stride: 2}, {Size: 4, Stride: 7},
		{Size: 17}, {Size: 1}, {Size: 6, Stride: 3, Background: 127}} {
		stride := o.Stride
		if stride == 0 {
			stride = o.Size
		}
		var values []float32
		var boxes []image.Rectangle
		for y := 5; y+o.Size <= 22; y += stride {
			for x := -3; x+o.Size <= 20; x += stride {
				var patch []float32
				sum := 0.
				for c := range 3 {
					for dy := range o.Size {
						for dx := range o.Size {
							p := img.RGBAAt(x+dx, y+dy)
							v := [3]uint8{p.R, p.G, p.B}[c]
							patch = append(patch, float32(v))
							sum += float64(v)
						}
					}
				}
				if o.Background == 0 || sum/float64(len(patch)) < o.Background {
					values = append(values, patch...)
					boxes = append(boxes, image.Rect(x, y, x+o.Size, y+o.Size))
				}
			}
		}
		bag := must.Get(CutPicture("noise", img, o))(t)
		must.EqualSlices(t, bag.Shape, []int{3, o.Size, o.Size}, o, bag.Len(), len(boxes))
		must.EqualSlices(t, bag.Values, values, o, bag.Len(), bag.Shape, len(boxes))
		must.EqualSlices(t, bag.Boxes, boxes, o, bag.Len(), bag.Shape, len(boxes))
		must.Equal(t, bag.Raw, true, o, bag.Len(), bag.Shape, len(boxes))
	}
	kept := func(background float64) int {
		bag := must.Get(CutPicture("noise", img, PatchOptions{Size: 6, Stride: 3,
			Background: background}))(t)
		return bag.Len()
	}
	if all, some := kept(0), kept(127); some == all {
		t.Errorf("the threshold selects %d of %d patches, so that the test has no effect", some,
			all)
	}
}

// TestBackgroundThresholdIsStrict checks that a patch whose mean equals the threshold is
// background.
func TestBackgroundThresholdIsStrict(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 2, 1))
	img.Pix = []uint8{100, 99}
	bag := must.Get(CutPicture("two", img, PatchOptions{Size: 1, Background: 100}))(t)
	must.Equal(t, bag.Len(), 1, bag.Values)
	must.EqualSlices(t, bag.Values, []float32{99, 99, 99})
}

func TestColourModels(t *testing.T) {
	r := image.Rect(0, 0, 1, 1)
	set := func(img interface {
		image.Image
		Set(x, y int, c color.Color)
	}, c color.Color) image.Image {
		img.Set(0, 0, c)
		return img
	}
	for _, c := range []struct {
		name     string
		img      image.Image
		channels int
		want     []float32
	}{
		{"opaque", set(image.NewNRGBA(r), color.NRGBA{10, 20, 30, 255}), 3, []float32{10, 20, 30}},
		{"transparent", set(image.NewNRGBA(r), color.NRGBA{10, 20, 30, 0}), 3,
			[]float32{255, 255, 255}},
		{"half transparent", set(image.NewNRGBA(r), color.NRGBA{0, 100, 200, 51}), 3,
			[]float32{204, 224, 244}},
		{"grey as three", set(image.NewGray(r), color.Gray{77}), 3, []float32{77, 77, 77}},
		{"grey as one", set(image.NewGray(r), color.Gray{77}), 1, []float32{77}},
		{"16 bits", set(image.NewGray16(r), color.Gray16{0x1234}), 1, []float32{0x12}},
		{"luma", set(image.NewNRGBA(r), color.NRGBA{255, 0, 0, 255}), 1, []float32{76}},
		{"palette", set(image.NewPaletted(r, color.Palette{color.RGBA{1, 2, 3, 255}}),
			color.RGBA{1, 2, 3, 255}), 3, []float32{1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := pngFile(t, c.img)
			got, err := Read(c.name+".png", data,
				Options{Patch: PatchOptions{Size: 1, Channels: c.channels}})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			bag, err := got.Bag(0)
			if err != nil || !slices.Equal(bag.Values, c.want) || got.Picture(0) == nil {
				t.Errorf("%s: %v, %v; want %v", c.name, bag.Values, err, c.want)
			}
		})
	}
}

func TestReadJPEG(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 16, 8))
	for i := range img.Pix {
		img.Pix[i] = 128
	}
	var out bytes.Buffer
	must.Do(t, jpeg.Encode(&out, img, nil))
	set := must.Get(Read("x.jpg", out.Bytes(), Options{InstanceShape: []int{3, 8, 8}}))(t)
	bag, err := set.Bag(0)
	if err != nil || bag.Len() != 2 || !slices.Equal(bag.Shape, []int{3, 8, 8}) ||
		bag.Values[0] != 128 {
		t.Errorf("%+v, %v", bag, err)
	}
}

// TestPatchDefaultsFromModel checks that the shape of the model's instances sets missing options.
func TestPatchDefaultsFromModel(t *testing.T) {
	data := pngFile(t, noise(image.Point{}, 12, 8))
	for _, c := range []struct {
		shape, want []int
		k           int
	}{
		{[]int{3, 4, 4}, []int{3, 4, 4}, 6}, {[]int{1, 4, 4}, []int{1, 4, 4}, 6}, {[]int{4, 4},
			[]int{4, 4}, 6},
	} {
		set, err := Read("x.png", data, Options{InstanceShape: c.shape})
		if err != nil {
			t.Errorf("%v: %v", c.shape, err)
			continue
		}
		bag, err := set.Bag(0)
		if err != nil || !slices.Equal(bag.Shape, c.want) || bag.Len() != c.k {
			t.Errorf("%v: %d of shape %v, %v", c.shape, bag.Len(), bag.Shape, err)
		}
	}
	set, err := Read("x.png", data, Options{InstanceShape: []int{3, -1, -1},
		Patch: PatchOptions{Size: 3}})
	must.Do(t, err)
	must.Equal(t, set.Len(), 1)
	_, err = Read("x.png", data, Options{InstanceShape: []int{3, 5, 5},
		Patch: PatchOptions{Size: 4}})
	wantError(t, err, "x.png: an instance has shape (3, 4, 4), but the model takes (3, 5, 5)")
	_, err = Read("x.png", data, Options{InstanceShape: []int{5, 5, 3},
		Patch: PatchOptions{Size: 4}})
	wantError(t, err, "x.png: the model takes pictures of shape (5, 5, 3), with channels last; "+
		"export it with channels first")
	_, err = Read("x.png", data, Options{InstanceShape: []int{4, 5, 5},
		Patch: PatchOptions{Size: 4}})
	wantError(t, err, "x.png: the model takes instances of shape (4, 5, 5), but a picture has 1 "+
		"or 3 channels, then rows and columns; save its patches as an array of that shape (.npy)")
}

func TestPatchOptionErrors(t *testing.T) {
	img := noise(image.Point{}, 12, 8)
	for _, c := range []struct {
		o    PatchOptions
		want string
	}{
		{PatchOptions{}, "patch size: x is a picture, and neither the options nor the model give " +
			"the size of its patches"},
		{PatchOptions{Size: -1}, "patch size: it is -1 pixels, but must be at least 1"},
		{PatchOptions{Size: 2, Stride: -1},
			"patch stride: it is -1 pixels, but must be at least 1"},
		{PatchOptions{Size: 2, Background: -1},
			"patch background: it is -1, but must be a brightness from 0 to 256"},
		{PatchOptions{Size: 2, Channels: 2},
			"patch channels: the number of channels is 2, but must be 1 or 3"},
	} {
		var setting *core.SettingError
		if _, err := CutPicture("x", img, c.o); !errors.As(err, &setting) || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	for _, c := range []struct {
		o    PatchOptions
		want string
	}{
		{PatchOptions{Size: 9},
			`bag "x" cannot be used: the picture has 12 x 8 pixels and holds no patch of ` +
				"9 x 9 pixels"},
		{PatchOptions{Size: 4, Background: 1},
			`bag "x" cannot be used: no patch is darker than 1 on average: all 6 patches of ` +
				"4 x 4 pixels are background; raise the background threshold, or set it to 0 to " +
				"keep all"},
	} {
		var bag *core.BagError
		if _, err := CutPicture("x", img, c.o); !errors.As(err, &bag) || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// hugePNG is a file of a few bytes whose header, with a right checksum, claims a large picture.
func hugePNG(t testing.TB, width, height uint32) []byte {
	data := pngFile(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestReadRejectsImpossiblePictureSizes(t *testing.T) {
	o := Options{Patch: PatchOptions{Size: 1}}
	lie := hugePNG(t, 8000, 8000)
	_, err := Read("x.png", lie, o)
	wantError(t, err, fmt.Sprintf(
		"x.png: the picture claims 8000 x 8000 pixels, which %d bytes cannot hold", len(lie)))
	_, err = Read("x.png", hugePNG(t, 1<<20, 1<<20), o)
	wantError(t, err, "x.png: the picture has 1048576 x 1048576 pixels; the limit is 67108864")
	_, err = Read("x.png", hugePNG(t, 2, 2), o)
	wantError(t, err,
		"x.png: the picture cannot be read: png: invalid format: not enough pixel data")
	_, err = Read("x.jpg", []byte("\xff\xd8\xff\xe0"), o)
	wantError(t, err, "x.jpg: the picture cannot be read: unexpected EOF")
}

// TestReadAcceptsHighlyCompressedPictures checks that the bounds on PNG and JPEG sizes accept a
// picture of one colour, which compresses best.
func TestReadAcceptsHighlyCompressedPictures(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3000, 2000))
	bits := image.NewPaletted(grey.Rect, color.Palette{color.Black, color.White})
	var photo bytes.Buffer
	must.Do(t, jpeg.Encode(&photo, grey, &jpeg.Options{Quality: 1}))
	for name, data := range map[string][]byte{"grey": pngFile(t, grey), "bits": pngFile(t, bits),
		"photo": photo.Bytes()} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, must.Err(openPicture(inMemory(name, data), Limits{}.withDefaults())))
		})
	}
}

func TestPatchesRespectLimits(t *testing.T) {
	data := pngFile(t, noise(image.Point{}, 12, 8))
	// Which patches are background is known after the picture is decoded, which takes longest. All
	// other refusals come before, so that a file without pixels shows them.
	header := data[:len(data)-40]
	for _, c := range []struct {
		data       []byte
		background float64
		limits     Limits
		want       string
	}{
		{header, 0, Limits{Pixels: 95}, "x.png: the picture has 12 x 8 pixels; the limit is 95"},
		{header, 0, Limits{Instances: 5}, "x.png: it holds 6 instances; the limit is 5"},
		{header, 0, Limits{Elements: 287},
			"x.png: an array of shape (6, 3, 4, 4) is too large; the limit is 287"},
		{header, 256, Limits{Instances: 5},
			"x.png: its grid has 6 patches, background included; the limit is 5"},
		{data, 256, Limits{Elements: 287},
			"x.png: an array of shape (6, 3, 4, 4) is too large; the limit is 287"},
	} {
		_, err := Read("x.png", c.data, Options{
			Patch: PatchOptions{Size: 4, Background: c.background}, Limits: c.limits})
		var limit *LimitError
		must.Equal(t, errors.As(err, &limit), true, err, c.want)
		must.Equal(t, strings.HasPrefix(err.Error(), c.want), true, err, c.want)
	}
}

// TestWebPFrames checks files whose frame is larger than the canvas, in front of which the canvas
// is stated, and one whose frame is as large.
func TestWebPFrames(t *testing.T) {
	frame := testdata(t, "pictures/picture.webp")[12:]
	for _, c := range []struct {
		width byte
		want  string
	}{
		{24, ""}, {23, "x.webp: the picture cannot be read: webp: invalid format"},
		{8, "x.webp: the picture cannot be read: webp: invalid format"},
	} {
		file := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
		file = append(file, c.width-1, 0, 0, 15, 0, 0)
		file = append(file, frame...)
		binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
		_, err := Read("x.webp", file, Options{Patch: PatchOptions{Size: 8}})
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("canvas of %d columns: %v", c.width, err)
		}
	}
}

// TestTIFFBombs checks that the tags of a small TIFF file do not make it unpack to much memory.
func TestTIFFBombs(t *testing.T) {
	const tile = "x.tif: a block of a level has "
	for name, c := range map[string]struct {
		tags map[uint16]uint32
		want string // of the error; empty if the picture is read
	}{
		"a tall strip": {map[uint16]uint32{278: 1<<32 - 1}, ""},
		"a large tile": {map[uint16]uint32{322: 1 << 15, 323: 1 << 15,
			324: 0, 325: 0}, tile},
		"a huge tile": {map[uint16]uint32{322: 1<<32 - 1, 323: 1<<32 - 1,
			324: 0, 325: 0}, tile},
		"a tile": {map[uint16]uint32{322: 1 << 12, 323: 1 << 12, 324: 0,
			325: 0}, "reading x.tif would need 17 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			file := zeroTIFF(t, c.tags)
			before := allocated()
			_, err := Read("x.tif", file, Options{Patch: PatchOptions{Size: 8},
				Limits: Limits{Memory: quota.NewMemory(1 << 22)}})
			if (err == nil) != (c.want == "") ||
				err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if got := allocated() - before; got > 1<<23 {
				t.Errorf("%d MB were allocated", got>>20)
			}
		})
	}
}

// zeroTIFF returns a grey TIFF file of 16 x 16 pixels in one strip or tile that unpacks to 32 MB,
// with other or more tags.
func zeroTIFF(t *testing.T, tags map[uint16]uint32) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(make([]byte, 32<<20))
	w.Close()
	all := map[uint16]uint32{256: 16, 257: 16, 258: 8, 259: 8,
		262: 1, 273: 8, 278: 16, 279: uint32(packed.Len())}
	for tag, value := range tags {
		if all[tag] = value; tag == 324 {
			all[tag] = all[273]
		} else if tag == 325 {
			all[tag] = all[279]
		}
	}
	file := append([]byte("II*\x00"), make([]byte, 4)...)
	file = append(file, packed.Bytes()...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)))
	file = binary.LittleEndian.AppendUint16(file, uint16(len(all)))
	for _, tag := range slices.Sorted(maps.Keys(all)) {
		file = binary.LittleEndian.AppendUint16(file, tag)
		file = binary.LittleEndian.AppendUint16(file, 4)
		file = binary.LittleEndian.AppendUint32(file, 1)
		file = binary.LittleEndian.AppendUint32(file, all[tag])
	}
	return append(file, 0, 0, 0, 0)
}

// TestPictureFormats checks that all formats give the pixels of the PNG file.
func TestPictureFormats(t *testing.T) {
	read := func(name string) []float32 {
		t.Helper()
		s := must.Get(Read(name, testdata(t, "pictures/"+name),
			Options{Patch: PatchOptions{Size: 8}}))(t)
		b := must.Get(s.Bag(0))(t)
		must.Equal(t, b.Len(), 6, name)
		return b.Values
	}
	for png, names := range map[string][]string{
		"picture.png": {"picture.webp", "plain.tif", "lzw.tif", "deflate.tif", "tiles.tif",
			"tiles16.tif", "big.tif", "planes.tif", "bigtiff.tif"},
		"grey.png":    {"tiles_grey.tif"},
		"bits.png":    {"bits.tif", "fax.tif", "fax3.tif"},
		"colours.png": {"colours.tif"},
	} {
		want := read(png)
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				must.EqualSlices(t, read(name), want,
					"its pixels differ from those of the PNG file")
			})
		}
	}
}

// TestSlidesAsPictures reads the files of core/slide as pictures: all of them have the pixels that
// the slide has.
func TestSlidesAsPictures(t *testing.T) {
	files, err := filepath.Glob("../slide/testdata/[^f]*.[tsn][ivd][fsp]*")
	must.Do(t, err, files)
	must.Equal(t, len(files) >= 10, true, files)
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(file))(t)
			m := quota.NewMemory(256 << 20) // a lossless WebP can take 131 MiB
			set, err := ReadFrom(name, bytes.NewReader(data), int64(len(data)),
				Options{Patch: PatchOptions{Size: 50}, Limits: Limits{Memory: m}})
			const copied = " are not supported; libvips converts the file: vips copy FILE " +
				"'slide.tif[tile,pyramid,bigtiff,compression=deflate,strip]'"
			if refused := map[string]string{
				"lerc.tif": "lerc.tif: TIFF files with compression by LERC" + copied,
				"colour_each.ome.tif": "colour_each.ome.tif: TIFF files with one directory for " +
					"each colour are not supported; libvips joins three of them as red, green " +
					"and blue: vips bandjoin 'FILE[page=0] FILE[page=1] FILE[page=2]' rgb.v, " +
					"and then vips copy rgb.v " +
					"'slide.tif[tile,pyramid,bigtiff,compression=deflate,strip]' " +
					"--interpretation srgb",
			}[name]; refused != "" {
				wantError(t, err, refused)
				return
			}
			must.Do(t, err)
			s := must.Get(slide.Open(name, bytes.NewReader(data), int64(len(data))))(t)
			l := s.Levels[0]
			whole := must.Get(s.Region(0, image.Rect(0, 0, l.Width, l.Height)))(t)
			want := must.Get(CutPicture(name, whole, PatchOptions{Size: 50}))(t)
			got := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, got.Values, want.Values)
			must.EqualSlices(t, got.Boxes, want.Boxes)
			// Beside the picture, only its patches are held.
			most := int64(4*l.Width*l.Height + 5*len(got.Values) + 64*6)
			if held := m.Held(); held > most {
				t.Errorf("%d bytes stay reserved, at most %d are held", held, most)
			}
		})
	}
}
