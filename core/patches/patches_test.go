package patches_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// opened opens a slide that package slide tests.
func opened(t *testing.T, name string) *slide.Slide {
	t.Helper()
	data := must.Get(os.ReadFile("../slide/testdata/" + name))(t)
	return must.Get(slide.Open(name, bytes.NewReader(data), int64(len(data))))(t)
}

// laid returns patches of 16 pixels that repeat 4, with those on glass.
func laid(t *testing.T) *patches.Patches {
	t.Helper()
	return must.Get(patches.Open(t.Context(), "slide", opened(t, "none_big_endian.tif"),
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 16, Overlap: 4},
			WholeSlide: true}))(t)
}

// means is an encoder: the mean of each channel of a picture. Batches have size pictures.
type means struct {
	size  int
	calls *int
	fails int // number of the call that fails, 0 for none
}

func (m means) BatchSize([]int, int64) int { return m.size }

var errEncoder = errors.New("the encoder failed")

func (m means) Encode(_ context.Context, bag *core.Bag) (*core.Bag, error) {
	*m.calls++
	if *m.calls == m.fails {
		return nil, errEncoder
	}
	out := &core.Bag{Name: bag.Name, Shape: []int{bag.Shape[0]}}
	area := bag.Shape[1] * bag.Shape[2]
	for i := 0; i < len(bag.Values); i += area {
		sum := 0.0
		for _, v := range bag.Values[i : i+area] {
			sum += float64(v)
		}
		out.Values = append(out.Values, float32(sum/float64(area)))
	}
	return out, nil
}

// TestFeaturesAreThoseOfRegions compares the features of a stream, in batches of several sizes,
// with those of patches that are read from the slide one by one.
func TestFeaturesAreThoseOfRegions(t *testing.T) {
	p := laid(t)
	var want []float32
	for _, box := range p.Grid.Boxes {
		m := must.Get(p.Slide.Region(0, box))(t)
		var sums [3]float64
		for y := range 16 {
			for x := range 16 {
				c := m.RGBAAt(x, y)
				sums[0] += float64(c.R)
				sums[1] += float64(c.G)
				sums[2] += float64(c.B)
			}
		}
		for _, s := range sums {
			want = append(want, float32(s/256))
		}
	}
	for _, size := range []int{1, 3, 1000} {
		var seen []int
		bag := must.Get(p.Features(t.Context(), means{size: size, calls: new(int)},
			func(done, total int) { seen = append(seen, done, total) }))(t)
		must.EqualSlices(t, bag.Values, want, size)
		must.EqualSlices(t, bag.Shape, []int{3}, size)
		n := p.Len()
		must.Equal(t, seen[0], min(size, n), size, seen)
		must.EqualSlices(t, seen[len(seen)-2:], []int{n, n}, size, seen)
		must.Equal(t, bag.Slide.MPP, .5, bag.Slide)
		must.Equal(t, bag.Slide.PatchSize, 16, bag.Slide)
		must.EqualSlices(t, bag.Boxes, p.Grid.Boxes, bag.Slide)
	}
}

// TestFeaturesOfModel encodes by an ONNX model with its card's preprocessing.
func TestFeaturesOfModel(t *testing.T) {
	e := must.Get(onnxbackend.OpenEncoder(ot.MeanEncoder(16).Bytes(), onnxbackend.Options{
		Card: []byte(`{"preprocess": {"scale": 0.5, "mean": 1}}`)}))(t)
	p := laid(t)
	got := must.Get(p.Features(t.Context(), e, nil))(t)
	plain := must.Get(p.Features(t.Context(), means{size: 5, calls: new(int)}, nil))(t)
	for i, v := range plain.Values {
		must.Equal(t, math.Abs(float64(got.Values[i])-(float64(v)/2-1)) <= 1e-4, true, i,
			got.Values[i])
	}
}

// TestEncodeContinues encodes from a later patch on, and stops at errors.
func TestEncodeContinues(t *testing.T) {
	p := laid(t)
	whole, err := p.Features(t.Context(), means{size: 4, calls: new(int)}, nil)
	must.Do(t, err)
	var rest []float32
	keep := func(b *core.Bag) error { rest = append(rest, b.Values...); return nil }
	must.Do(t, p.Encode(t.Context(), means{size: 4, calls: new(int)}, 7, keep, nil))
	must.EqualSlices(t, rest, whole.Values[21:], len(rest), len(whole.Values)-21)
	before := runtime.NumGoroutine()
	err = p.Encode(t.Context(), means{size: 1, calls: new(int), fails: 3}, 0, keep, nil)
	must.Is(t, err, errEncoder)
	full := errors.New("the disk is full")
	err = p.Encode(t.Context(), means{size: 1, calls: new(int)}, 0,
		func(*core.Bag) error { return full }, nil)
	must.Is(t, err, full)
	ctx, cancel := context.WithCancel(t.Context())
	err = p.Encode(ctx, means{size: 1, calls: new(int)}, 0, keep, func(done, _ int) {
		if done == 2 {
			cancel()
		}
	})
	must.Is(t, err, context.Canceled)
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}

// TestEncodeReserves counts three batches in the memory of the context while it encodes.
func TestEncodeReserves(t *testing.T) {
	p := laid(t)
	m := quota.NewMemory(1 << 20)
	ctx := quota.WithMemory(t.Context(), m)
	little := quota.WithMemory(t.Context(), quota.NewMemory(1000))
	must.As(t, must.Err(patches.Open(little, "slide", p.Slide,
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 16}})), new(*quota.MemoryError))
	bag, err := p.Features(ctx, means{size: 4, calls: new(int)}, nil)
	must.Do(t, err)
	batches := int64(3 * 4 * 4 * 3 * 16 * 16)
	features := int64(4 * len(bag.Values))
	must.Equal(t, m.Peak(), batches+features)
	must.Equal(t, m.Held(), features)
	small := quota.WithMemory(t.Context(), quota.NewMemory(batches-1))
	_, err = p.Features(small, means{size: 4, calls: new(int)}, nil)
	must.As(t, err, new(*quota.MemoryError), "patches of slide")
	small = quota.WithMemory(t.Context(), quota.NewMemory(batches+features-1))
	_, err = p.Features(small, means{size: 4, calls: new(int)}, nil)
	must.As(t, err, new(*quota.MemoryError), "features of slide")
	for most, bounded := range map[int64]context.Context{32 << 20: t.Context(), 1 << 16: ctx,
		2 << 20: quota.WithMemory(t.Context(), quota.NewMemory(32<<20))} {
		e := &asked{means: means{size: 4, calls: new(int)}}
		must.Do(t, must.Err(p.Features(bounded, e, nil)))
		must.Equal(t, e.most, most)
	}
}

// TestFeaturesForgetBlocks has bags that hold no blocks of their slides, and reads pictures again.
func TestFeaturesForgetBlocks(t *testing.T) {
	for name, bands := range map[string]*core.Bands{"none_big_endian.tif": nil,
		"bands/16.tif": {}} {
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile("../slide/testdata/" + name))(t)
			m := quota.NewMemory(1 << 30)
			s := must.Get(slide.OpenWith(name, bytes.NewReader(data), int64(len(data)),
				slide.Options{Memory: m, Bands: bands}))(t)
			held := m.Held()
			p := must.Get(patches.Open(t.Context(), name, s, patches.Options{Bands: bands,
				GridOptions: slide.GridOptions{PatchSize: 16}, WholeSlide: true}))(t)
			want := must.Get(p.Bag(t.Context(), 1, 3))(t)
			must.Equal(t, m.Held() > held, true)
			bag := must.Get(p.Features(t.Context(), means{size: 4, calls: new(int)}, nil))(t)
			must.Equal(t, m.Held(), held)
			got := must.Get(bag.Pictures.Read(t.Context(), []int{1, 2}))(t)
			must.EqualSlices(t, got.Values, want.Values)
		})
	}
}

// asked is an encoder that keeps how many bytes a batch may take.
type asked struct {
	means
	most int64
}

func (a *asked) BatchSize(shape []int, most int64) int {
	a.most = most
	return a.means.BatchSize(shape, most)
}

// TestFileIsRead writes the file of the patches and reads the same bag.
func TestFileIsRead(t *testing.T) {
	p := laid(t)
	bag := must.Get(p.Features(t.Context(), means{size: 9, calls: new(int)}, nil))(t)
	file := must.Get(p.File(3, core.Setting{Name: "encoder", Value: "means"}).Head())(t)
	file = append(file, bagio.Float32Bytes(bag.Values)...)
	set := must.Get(bagio.Read("slide.h5", file, bagio.Options{}))(t)
	got := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, got.Values, bag.Values, got, bag)
	must.EqualSlices(t, got.Boxes, bag.Boxes, got, bag)
	must.Equal(t, [2]int{bag.Slide.BoundsWidth, bag.Slide.BoundsHeight},
		[2]int{bag.Slide.Width, bag.Slide.Height}, "a file states bounds that are not all")
	got.Slide.BoundsWidth, got.Slide.BoundsHeight = got.Slide.Width, got.Slide.Height
	must.Equal(t, *got.Slide, *bag.Slide, got, bag)
}

// TestTissue keeps patches on tissue alone, and the mask shows where that is.
func TestTissue(t *testing.T) {
	s := opened(t, "none_big_endian.tif")
	o := patches.Options{GridOptions: slide.GridOptions{PatchSize: 16, MinTissue: .5}}
	p := must.Get(patches.Open(t.Context(), "slide", s, o))(t)
	whole := laid(t)
	if p.Len() == 0 || p.Len() >= whole.Len() || p.Mask == nil || p.Mask.Threshold == 0 {
		t.Errorf("%d of %d patches", p.Len(), whole.Len())
	}
	shown := p.MaskPicture()
	for i, tissue := range p.Mask.Tissue {
		at := image.Pt(i%p.Mask.Width, i/p.Mask.Width)
		same := shown.RGBAAt(at.X, at.Y) == p.Overview.RGBAAt(at.X, at.Y)
		c, dark := p.Overview.RGBAAt(at.X, at.Y), shown.RGBAAt(at.X, at.Y)
		if !tissue && dark != (color.RGBA{c.R / 4, c.G / 4, c.B / 4, 255}) {
			t.Fatalf("%v is %v, want a quarter of %v", at, dark, c)
		}
		if same != tissue && p.Overview.RGBAAt(at.X, at.Y).G > 0 {
			t.Fatalf("%v is tissue: %v, but as in the overview: %v", at, tissue, same)
		}
	}
}

// TestRefusals checks settings that cannot hold and slides without tissue.
func TestRefusals(t *testing.T) {
	s := opened(t, "none_big_endian.tif")
	for _, o := range []patches.Options{
		{},
		{GridOptions: slide.GridOptions{PatchSize: 16, Overlap: 16}},
		{GridOptions: slide.GridOptions{PatchSize: 16}, TissueOptions: slide.TissueOptions{
			Threshold: 256}},
	} {
		var wrong *slide.OptionError
		must.Equal(t, errors.As(must.Err(patches.Open(t.Context(), "slide", s, o)), &wrong), true,
			o)
	}
	_, err := patches.Open(t.Context(), "slide", s, patches.Options{
		GridOptions: slide.GridOptions{PatchSize: 16}, TissueOptions: slide.TissueOptions{
			Threshold: 255}})
	var empty *core.BagError
	must.As(t, err, &empty, "lower tissue-threshold, which is 255")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	must.Is(t, must.Err(patches.Open(ctx, "slide", s,
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 16}})), context.Canceled,
		"an ended context")
}

// TestMethodOfTissue names how the tissue of a slide is found.
func TestMethodOfTissue(t *testing.T) {
	s := opened(t, "none_big_endian.tif")
	pen := []*annotation.Area{boxArea(t, "pen.xml", image.Rect(0, 0, 5, 5))}
	for want, o := range map[string]patches.Options{
		"saturation, without pen.xml, Otsu's threshold": {Excluded: pen},
		"whole slide":                  {WholeSlide: true},
		"saturation, Otsu's threshold": {},
		"saturation, given threshold":  {TissueOptions: slide.TissueOptions{Threshold: 9}},
		"whole slide, without pen.xml": {WholeSlide: true, Excluded: pen},
		"the file t.xml":               {Drawn: boxArea(t, "t.xml", image.Rect(0, 0, 90, 90))},
	} {
		o.GridOptions = slide.GridOptions{PatchSize: 16}
		must.Equal(t, must.Get(patches.Open(t.Context(), "slide", s, o))(t).Method(), want)
	}
}

// A shelf is a Keeper of one bag of features.
type shelf struct {
	kept   *core.Bag // or nil
	added  []float32
	broken error // error of both methods
}

func (s *shelf) Kept(add func(*core.Bag) error) error {
	if s.broken != nil && s.kept == nil {
		return s.broken
	}
	if s.kept == nil {
		return nil
	}
	return add(s.kept)
}

func (s *shelf) Keep(features *core.Bag) error {
	s.added = append(s.added, features.Values...)
	return s.broken
}

// TestFeaturesKept encodes only the patches whose features are not kept, and keeps theirs.
func TestFeaturesKept(t *testing.T) {
	p := laid(t)
	want := must.Get(p.Features(t.Context(), means{size: 4, calls: new(int)}, nil))(t)
	strange := &core.Bag{Shape: []int{3}, Values: slices.Repeat([]float32{1e6}, 2*3)}
	keeper, calls := &shelf{kept: strange}, new(int)
	got := must.Get(p.FeaturesKept(t.Context(), means{size: 1, calls: calls}, keeper, nil))(t)
	must.Equal(t, *calls, p.Len()-2, len(keeper.added))
	must.EqualSlices(t, keeper.added, want.Values[6:], len(keeper.added))
	must.EqualSlices(t, got.Values, append(slices.Clone(strange.Values), want.Values[6:]...),
		len(keeper.added))
	full := errors.New("the disk is full")
	for _, keeper := range []*shelf{{broken: full}, {kept: strange, broken: full}} {
		_, err := p.FeaturesKept(t.Context(), means{size: 1, calls: calls}, keeper, nil)
		must.Is(t, err, full, keeper)
	}
	pairs := &shelf{kept: &core.Bag{Shape: []int{2}, Values: make([]float32, 2)}}
	_, err := p.FeaturesKept(t.Context(), means{size: 1, calls: calls}, pairs, nil)
	must.As(t, err, new(*core.BagError), "shape [2] for some patches and [3] for others")
}

// TestStatedMicrons lays the patches of a slide by the microns that the caller states: in place of
// its own, or if it states none.
func TestStatedMicrons(t *testing.T) {
	lay := func(own float64, o patches.Options) (*patches.Patches, error) {
		s := opened(t, "none_big_endian.tif") // it states 0.5
		if own == 0 {
			s.MicronsX, s.MicronsY = 0, 0
		}
		o.GridOptions, o.WholeSlide = slide.GridOptions{PatchSize: 16, Microns: 1}, true
		return patches.Open(t.Context(), "slide", s, o)
	}
	for _, c := range []struct {
		own, stated, usual float64
		side               int // side of a patch in pixels of level 0
	}{{.5, 0, 0, 32}, {.5, .25, 0, 64}, {.5, 0, .25, 32}, {0, .25, 0, 64}, {0, 0, .25, 64},
		{0, .5, .25, 32}} {
		p := must.Get(lay(c.own, patches.Options{SlideMicrons: c.stated,
			UsualMicrons: c.usual}))(t)
		must.Equal(t, p.Grid.Side, c.side, c)
		must.Equal(t, p.About().PatchSize, c.side, c)
		must.Equal(t, p.About().MPP, 16/float64(c.side), c)
	}
	var option *slide.OptionError
	must.As(t, must.Err(lay(0, patches.Options{})), &option, "slide-mpp")
	for _, wrong := range []float64{-1, math.Inf(1), math.NaN()} {
		_, err := lay(.5, patches.Options{SlideMicrons: wrong})
		must.Equal(t, errors.As(err, &option), true, wrong, err)
		must.Equal(t, option.Option, "slide mpp", wrong, err)
	}
}

// TestBagReadsRuns compares bags that several goroutines read with the patches read one by one.
func TestBagReadsRuns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	p := laid(t)
	must.Equal(t, p.Len() >= 20, true, p.Len())
	for _, n := range []int{1, 7, 8, 13, p.Len()} {
		bag := must.Get(p.Bag(t.Context(), 0, n))(t)
		var want []float32
		for i := range n {
			one := must.Get(p.Bag(t.Context(), i, i+1))(t)
			want = append(want, one.Values...)
			if bag.Boxes[i] != one.Boxes[0] {
				t.Errorf("patch %d of %d has box %v, want %v", i, n, bag.Boxes[i], one.Boxes[0])
			}
		}
		must.EqualSlices(t, bag.Values, want)
		must.Equal(t, len(bag.Boxes), n)
	}
}
