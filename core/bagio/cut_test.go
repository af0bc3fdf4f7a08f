package bagio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// bagOf reads the only bag of files.
func bagOf(t *testing.T, o Options, files ...File) *core.Bag {
	t.Helper()
	set := must.Get(ReadFiles(files, o))(t)
	return must.Get(set.Bag(0))(t)
}

// pixelFile returns the pixels of a picture as a file that is read by ranges.
func pixelFile(name string, img *image.NRGBA) File {
	return File{Name: name, Reader: bytes.NewReader(img.Pix), Size: int64(len(img.Pix)),
		Width: img.Rect.Dx(), Height: img.Rect.Dy()}
}

// sheer returns a picture of random colours and opacities.
func sheer(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, noise(image.Point{}, width, height), image.Point{}, draw.Src)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = uint8(i * 7)
	}
	return img
}

// TestPartsEqualPixels cuts a picture that is read in several parts across and down, and compares
// each patch with pixels read one by one.
func TestPartsEqualPixels(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 20_000, 400))
	draw.Draw(img, img.Rect, noise(image.Point{}, 20_000, 400), image.Point{}, draw.Src)
	p := PatchOptions{Size: 60, Stride: 50, Background: 127.5, Channels: 1}
	c, err := lay("x", 20_000, 400, p, Limits{}.withDefaults())
	if err != nil || len(c.parts()) != 4 || c.Across != 399 || c.Down != 7 {
		t.Fatalf("%v; the grid of %d x %d patches has %d parts, want 4", err, c.Across, c.Down,
			len(c.parts()))
	}
	bag := bagOf(t, Options{Patch: p}, pixelFile("x", img))
	i := 0
	for y := 0; y+60 <= 400; y += 50 {
		for x := 0; x+60 <= 20_000; x += 50 {
			sum := 0
			for dy := range 60 {
				for dx := range 60 {
					c := img.NRGBAAt(x+dx, y+dy)
					sum += int(c.R) + int(c.G) + int(c.B)
				}
			}
			if float64(sum)/(3*60*60) >= 127.5 {
				continue
			}
			if box := image.Rect(x, y, x+60, y+60); i >= bag.Len() || bag.Boxes[i] != box {
				t.Fatalf("patch %d is not %v", i, box)
			}
			for d, v := range bag.Values[i*3600 : (i+1)*3600] {
				c := img.NRGBAAt(x+d%60, y+d/60)
				luma := math.Round(.299*float64(c.R) + .587*float64(c.G) + .114*float64(c.B))
				if !(math.Abs(float64(v)-luma) <= 1) {
					t.Fatalf("patch %d has %v at %d, want %v", i, v, d, luma)
				}
			}
			i++
		}
	}
	if i != bag.Len() || i == 0 || i == 399*7 {
		t.Errorf("%d patches, want %d, not all and not none", bag.Len(), i)
	}
}

// TestPixelsEqualFiles reads pixels as they are read from a PNG file, in memory and by ranges.
func TestPixelsEqualFiles(t *testing.T) {
	img, other := sheer(23, 17), sheer(23, 17)
	slices.Reverse(other.Pix)
	o := Options{Patch: PatchOptions{Size: 5, Stride: 3, Background: 200}}
	held := pixelFile("x.png", img)
	held.Data, held.Reader = img.Pix, nil
	file := File{Name: "x.png", Data: pngFile(t, img)}
	want := bagOf(t, o, file)
	for name, f := range map[string]File{"by ranges": pixelFile("x.png", img), "held": held} {
		got := bagOf(t, o, f)
		must.EqualSlices(t, got.Values, want.Values, name, got.Name)
		must.EqualSlices(t, got.Boxes, want.Boxes, name, got.Name)
		must.Equal(t, got.Name, "x", name)
	}
	want = bagOf(t, Options{}, file, File{Name: "y.png", Data: pngFile(t, other)})
	got := bagOf(t, Options{}, pixelFile("y.png", other), file)
	must.EqualSlices(t, got.Values, want.Values, "whole pictures are not those of the files")
	must.Equal(t, got.Len(), 2, "whole pictures are not those of the files")
	short := pixelFile("x", img)
	short.Height--
	_, err := ReadFiles([]File{short}, o)
	wantError(t, err, "x: a picture of 23 x 16 pixels has 1472 bytes, not 1564")
	short.Height = 0
	_, err = ReadFiles([]File{short}, o)
	wantError(t, err, "x: the picture has 23 x 0 pixels, but must have at least one")
	short.Height = math.MaxInt
	_, err = ReadFiles([]File{short, short}, o)
	var limit *LimitError
	must.As(t, err, &limit)
}

// TestSurvey compares the brightness of patches with that of their values.
func TestSurvey(t *testing.T) {
	f := pixelFile("x", sheer(23, 17))
	p := PatchOptions{Size: 5, Stride: 3, Background: 191}
	c, err := Survey(f, Options{Patch: p})
	if err != nil || c.Across != 7 || c.Down != 5 || c.Stride != 3 || c.Background != 191 {
		t.Fatalf("%+v, %v", c, err)
	}
	all := bagOf(t, Options{Patch: PatchOptions{Size: 5, Stride: 3}}, f)
	kept := 0
	for i, mean := range c.Means {
		sum := 0.
		for _, v := range all.Values[i*75 : (i+1)*75] {
			sum += float64(v)
		}
		must.Equal(t, math.Abs(mean-sum/75) <= 1e-9, true, i, mean, sum/75)
		if mean < 191 {
			kept++
		}
	}
	set, err := ReadFiles([]File{f}, Options{Patch: p})
	if err != nil || set.array.Len() != kept || !slices.Equal(set.Cut().Means, c.Means) {
		t.Errorf("%v; the bag has other patches than the %d darker ones", err, kept)
	}
	c, err = Survey(f, Options{Patch: PatchOptions{Size: 5}, Limits: Limits{Elements: 1}})
	must.Do(t, err)
	must.Equal(t, c.Background, 0)
	fine := pixelFile("fine", image.NewNRGBA(image.Rect(0, 0, 600, 600)))
	var wider *StrideError
	_, err = Survey(fine, Options{Patch: PatchOptions{Size: 1}})
	must.As(t, err, &wider)
	must.Equal(t, wider.Strides[0], Stride{2, 90_000}, err)
	var none *core.BagError
	if _, err = Survey(f, Options{Patch: PatchOptions{Size: 18}}); !errors.As(err, &none) {
		t.Errorf("a picture that holds no patch: %v", err)
	}
}

// TestStrides checks that the smallest stride that an error offers is the smallest that is read.
func TestStrides(t *testing.T) {
	for _, c := range []struct{ side, size, stride int }{
		{11_000, 27, 27}, {11_000, 27, 1}, {16_000, 224, 16}, {600, 1, 1},
	} {
		l := Limits{Elements: 1 << 18, Instances: 1 << 12}.withDefaults()
		p := PatchOptions{Size: c.size, Stride: c.stride, Channels: 3}
		fits := func(stride int) (*StrideError, bool) {
			p.Stride = stride
			_, err := lay("x", c.side, c.side, p, l)
			var strides *StrideError
			return strides, !errors.As(err, &strides)
		}
		p.Stride = c.stride
		_, err := lay("x", c.side, c.side, p, l)
		var strides *StrideError
		if !errors.As(err, &strides) || len(strides.Strides) != 3 {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		least := strides.Strides[0]
		if _, ok := fits(least.Stride); !ok {
			t.Errorf("%+v: a stride of %d is refused", c, least.Stride)
		}
		if _, ok := fits(least.Stride - 1); ok {
			t.Errorf("%+v: a stride of %d is read, too", c, least.Stride-1)
		}
	}
	_, err := lay("x", 12_000, 12_000, PatchOptions{Size: 11_000, Stride: 1, Channels: 3},
		Limits{}.withDefaults())
	var strides *StrideError
	must.As(t, err, &strides)
	must.Equal(t, strides.Strides == nil, true, err)
	_, err = lay("x", 100, 100, PatchOptions{Size: 10, Stride: 5, Channels: 1},
		Limits{Instances: 100}.withDefaults())
	wantError(t, err, "x: it holds 361 instances; the limit is 100; a stride of 10 pixels makes "+
		"100 patches")
}

// TestStep checks that Step counts the parts of both passes, and ends them.
func TestStep(t *testing.T) {
	img := sheer(20, 30)
	for _, background := range []float64{0, 256} {
		var steps []int
		stop := errors.New("stop")
		o := Options{Patch: PatchOptions{Size: 5, Stride: 8, Background: background}}
		o.Step = func(done, total int) error {
			if total != 4 && total != 8 {
				t.Errorf("%d parts", total)
			}
			if steps = append(steps, done); done == 3 {
				return stop
			}
			return nil
		}
		must.Equal(t, must.Err(ReadFiles([]File{pixelFile("x", img)}, o)), stop)
		must.EqualSlices(t, steps, []int{0, 1, 2, 3})
	}
}

// TestLargeTIFF reads a TIFF picture that is not decoded as a whole.
func TestLargeTIFF(t *testing.T) {
	const width, height = 4200, 4000
	file := make([]byte, 256, 256+width*height)
	copy(file, "II*\x00\x08")
	tags := [][2]uint32{{256, width}, {257, height}, {258, 8}, {259, 1}, {262, 1}, {273, 256},
		{277, 1}, {278, height}, {279, width * height}}
	binary.LittleEndian.PutUint16(file[8:], uint16(len(tags)))
	for i, tag := range tags {
		at := file[10+12*i:]
		binary.LittleEndian.PutUint16(at, uint16(tag[0]))
		binary.LittleEndian.PutUint16(at[2:], 4)
		binary.LittleEndian.PutUint32(at[4:], 1)
		binary.LittleEndian.PutUint32(at[8:], tag[1])
	}
	for y := range height {
		for x := range width {
			file = append(file, byte(x*3+y*5))
		}
	}
	set := must.Get(Read("x.tif", file, Options{Patch: PatchOptions{Size: 40, Stride: 400,
		Channels: 1}}))(t)
	bag := must.Get(set.Bag(0))(t)
	if bag.Len() != 11*10 || set.Picture(0).Bounds().Dx() != overviewSide ||
		*bag.Slide != (core.Slide{Width: width, Height: height, PatchSize: 40}) {
		t.Fatalf("%d patches, %v, %+v", bag.Len(), set.Picture(0).Bounds(), bag.Slide)
	}
	for i, v := range bag.Values {
		box := bag.Boxes[i/1600]
		x, y := box.Min.X+i%40, box.Min.Y+i/40%40
		must.Equal(t, v, float32(byte(x*3+y*5)), x, y)
	}
}
