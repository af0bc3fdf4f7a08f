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
	"strings"
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
		if !slices.Equal(bag.Values, want) || !slices.Equal(bag.Shape, []int{3}) {
			t.Fatalf("batches of %d: %v, want %v", size, bag.Values, want)
		}
		n := p.Len()
		if seen[0] != min(size, n) || !slices.Equal(seen[len(seen)-2:], []int{n, n}) {
			t.Errorf("batches of %d: progress %v", size, seen)
		}
		if bag.Slide.MPP != .5 || bag.Slide.PatchSize != 16 ||
			!slices.Equal(bag.Boxes, p.Grid.Boxes) {
			t.Errorf("slide %+v", bag.Slide)
		}
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
		if want := float64(v)/2 - 1; !(math.Abs(float64(got.Values[i])-want) <= 1e-4) {
			t.Fatalf("value %d is %v, want %v", i, got.Values[i], want)
		}
	}
}

// TestEncodeContinues encodes from a later patch on, and stops at errors.
func TestEncodeContinues(t *testing.T) {
	p := laid(t)
	whole, err := p.Features(t.Context(), means{size: 4, calls: new(int)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rest []float32
	keep := func(b *core.Bag) error { rest = append(rest, b.Values...); return nil }
	must.Do(t, p.Encode(t.Context(), means{size: 4, calls: new(int)}, 7, keep, nil))
	if !slices.Equal(rest, whole.Values[21:]) {
		t.Errorf("%d values from patch 7 on, want %d", len(rest), len(whole.Values)-21)
	}
	before := runtime.NumGoroutine()
	err = p.Encode(t.Context(), means{size: 1, calls: new(int), fails: 3}, 0, keep, nil)
	if !errors.Is(err, errEncoder) {
		t.Error(err)
	}
	full := errors.New("the disk is full")
	err = p.Encode(t.Context(), means{size: 1, calls: new(int)}, 0,
		func(*core.Bag) error { return full }, nil)
	if !errors.Is(err, full) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = p.Encode(ctx, means{size: 1, calls: new(int)}, 0, keep, func(done, _ int) {
		if done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
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
	if _, err := patches.Open(little, "slide", p.Slide, patches.Options{
		GridOptions: slide.GridOptions{PatchSize: 16}}); !errors.As(err, new(*quota.MemoryError)) {
		t.Errorf("an overview in 1000 bytes: %v", err)
	}
	bag, err := p.Features(ctx, means{size: 4, calls: new(int)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	batches := int64(3 * 4 * 4 * 3 * 16 * 16)
	features := int64(4 * len(bag.Values))
	if m.Peak() != batches+features || m.Held() != features {
		t.Errorf("peak %d and held %d, want %d and %d",
			m.Peak(), m.Held(), batches+features, features)
	}
	small := quota.WithMemory(t.Context(), quota.NewMemory(batches-1))
	_, err = p.Features(small, means{size: 4, calls: new(int)}, nil)
	if !errors.As(err, new(*quota.MemoryError)) {
		t.Error(err)
	}
}

// TestFileIsRead writes the file of the patches and reads the same bag.
func TestFileIsRead(t *testing.T) {
	p := laid(t)
	bag := must.Get(p.Features(t.Context(), means{size: 9, calls: new(int)}, nil))(t)
	file := must.Get(p.File(3, core.Setting{Name: "encoder", Value: "means"}).Head())(t)
	file = append(file, bagio.Float32Bytes(bag.Values)...)
	set := must.Get(bagio.Read("slide.h5", file, bagio.Options{}))(t)
	got := must.Get(set.Bag(0))(t)
	if !slices.Equal(got.Values, bag.Values) || !slices.Equal(got.Boxes, bag.Boxes) ||
		*got.Slide != *bag.Slide {
		t.Errorf("%+v, want %+v", got, bag)
	}
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
		if _, err := patches.Open(t.Context(), "slide", s, o); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	_, err := patches.Open(t.Context(), "slide", s, patches.Options{
		GridOptions: slide.GridOptions{PatchSize: 16}, TissueOptions: slide.TissueOptions{
			Threshold: 255}})
	var empty *core.BagError
	if !errors.As(err, &empty) ||
		!strings.Contains(err.Error(), "lower tissue-threshold, which is 255") {
		t.Errorf("no tissue: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := patches.Open(ctx, "slide", s, patches.Options{
		GridOptions: slide.GridOptions{PatchSize: 16}}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestMethodOfTissue names how the tissue of a slide is found.
func TestMethodOfTissue(t *testing.T) {
	s := opened(t, "none_big_endian.tif")
	for want, o := range map[string]patches.Options{
		"whole slide":                  {WholeSlide: true},
		"saturation, Otsu's threshold": {},
		"saturation, given threshold":  {TissueOptions: slide.TissueOptions{Threshold: 9}},
		"whole slide, without pen.xml": {WholeSlide: true,
			Excluded: []*annotation.Area{boxArea(t, "pen.xml", image.Rect(0, 0, 5, 5))}},
		"the file t.xml": {Drawn: boxArea(t, "t.xml", image.Rect(0, 0, 90, 90))},
	} {
		o.GridOptions = slide.GridOptions{PatchSize: 16}
		if got := must.Get(patches.Open(t.Context(), "slide", s, o))(t).Method(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
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
	if *calls != p.Len()-2 || !slices.Equal(keeper.added, want.Values[6:]) ||
		!slices.Equal(got.Values, append(slices.Clone(strange.Values), want.Values[6:]...)) {
		t.Errorf("%d of %d patches were encoded, and %d values kept", *calls, p.Len(),
			len(keeper.added))
	}
	full := errors.New("the disk is full")
	for _, keeper := range []*shelf{{broken: full}, {kept: strange, broken: full}} {
		_, err := p.FeaturesKept(t.Context(), means{size: 1, calls: calls}, keeper, nil)
		if !errors.Is(err, full) {
			t.Errorf("%+v: %v", keeper, err)
		}
	}
	pairs := &shelf{kept: &core.Bag{Shape: []int{2}, Values: make([]float32, 2)}}
	_, err := p.FeaturesKept(t.Context(), means{size: 1, calls: calls}, pairs, nil)
	if !errors.As(err, new(*core.BagError)) ||
		!strings.Contains(err.Error(), "shape [2] for some patches and [3] for others") {
		t.Errorf("kept features of another number: %v", err)
	}
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
		if p.Grid.Side != c.side || p.About().PatchSize != c.side ||
			p.About().MPP != 16/float64(c.side) {
			t.Errorf("%+v: a patch has %d pixels of %v microns", c, p.Grid.Side, p.About().MPP)
		}
	}
	var option *slide.OptionError
	if _, err := lay(0, patches.Options{}); !errors.As(err, &option) ||
		!strings.Contains(err.Error(), "slide-mpp") {
		t.Errorf("a slide without microns: %v", err)
	}
	for _, wrong := range []float64{-1, math.Inf(1), math.NaN()} {
		_, err := lay(.5, patches.Options{SlideMicrons: wrong})
		if !errors.As(err, &option) || option.Option != "slide mpp" {
			t.Errorf("%v microns: %v", wrong, err)
		}
	}
}

// TestBagReadsRuns compares bags that several goroutines read with the patches read one by one.
func TestBagReadsRuns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	p := laid(t)
	if p.Len() < 20 {
		t.Fatalf("only %d patches", p.Len())
	}
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
		if !slices.Equal(bag.Values, want) || len(bag.Boxes) != n {
			t.Errorf("%d patches have other pixels than one by one", n)
		}
	}
}
