package ask_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// encoderOf returns an encoder of square pictures: the mean of each colour.
func encoderOf(t *testing.T, side int, card string) *onnxbackend.Encoder {
	t.Helper()
	return must.Get(onnxbackend.OpenEncoder(ot.MeanEncoder(side).Bytes(),
		onnxbackend.Options{Name: "means.onnx", Card: []byte(card)}))(t)
}

// modelOf returns a model of instances of a shape, which sums them.
func modelOf(t *testing.T, card string, instance ...any) *onnxbackend.Model {
	t.Helper()
	return enginetest.Open(t, enginetest.SumModel(card, append([]any{"k"}, instance...)...).Bytes(),
		onnxbackend.Options{Name: "sum.onnx"})
}

// remote is a model whose layers cannot be read.
type remote struct{ ask.Engine }

// TestLayOptions: what a request states counts more than the model's card, that more than the
// encoder's, and that more than the shape of the encoder's input.
func TestLayOptions(t *testing.T) {
	const half = `{"patch": {"mpp": 0.5}}`
	const quarter = `{"patch": {"size": 8, "stride": 6, "mpp": 0.25}}`
	encoder := func(card string) *onnxbackend.Encoder { return encoderOf(t, 16, card) }
	for _, c := range []struct {
		name          string
		lay           ask.Lay
		encoder       *onnxbackend.Encoder
		engine        ask.Engine
		size, overlap int
		microns       float64
		channels      int
	}{
		{"the encoder's shape", ask.Lay{Microns: new(1.)}, encoder(""), nil, 16, 0, 1, 3},
		{"the encoder's card", ask.Lay{}, encoder(half), nil, 16, 0, .5, 3},
		{"the model's card", ask.Lay{}, encoder(half), modelOf(t, quarter, 3), 8, 2, .25, 3},
		{"microns of the request", ask.Lay{Microns: new(2.)}, encoder(half),
			modelOf(t, quarter, 3), 8, 2, 2, 3},
		{"the pixels of level 0", ask.Lay{Microns: new(0.)}, encoder(half), nil, 16, 0, 0, 3},
		{"the card's overlap is of its size", ask.Lay{PatchSize: new(12)}, encoder(half),
			modelOf(t, quarter, 3), 12, 0, .25, 3},
		{"a size of 0 is not stated", ask.Lay{PatchSize: new(0)}, encoder(half),
			modelOf(t, quarter, 3), 8, 2, .25, 3},
		{"overlap of the request", ask.Lay{Overlap: new(5)}, encoder(half), modelOf(t, quarter, 3),
			8, 5, .25, 3},
		{"a model of pictures", ask.Lay{}, nil, modelOf(t, half, 3, 20, 20), 20, 0, .5, 3},
		{"a model of grey pictures", ask.Lay{}, nil, modelOf(t, half, 1, 20, 20), 20, 0, .5, 1},
		{"sides of any length", ask.Lay{PatchSize: new(7)}, nil, modelOf(t, half, 3, "h", "h"), 7,
			0, .5, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.lay.WholeSlide, c.lay.Threshold, c.lay.MinTissue = true, 77, .25
			c.lay.SlideMPP = new(.75)
			o := must.Get(c.lay.Options(c.encoder, c.engine))(t)
			if o.PatchSize != c.size || o.Overlap != c.overlap || o.Microns != c.microns ||
				o.Channels != c.channels {
				t.Errorf("patches of %d pixels that overlap by %d, of %v µm and %d channels, want "+
					"%d, %d, %v and %d", o.PatchSize, o.Overlap, o.Microns, o.Channels, c.size,
					c.overlap, c.microns, c.channels)
			}
			if !o.WholeSlide || o.Threshold != 77 || o.MinTissue != .25 || o.SlideMicrons != .75 {
				t.Errorf("options %+v do not have those of the request", o)
			}
		})
	}
	for _, c := range []struct {
		name    string
		encoder *onnxbackend.Encoder
		engine  ask.Engine
		setting string
	}{
		{"no size", nil, modelOf(t, half, 3), "patch size"},
		{"sides of any length", nil, modelOf(t, half, 3, "h", "h"), "patch size"},
		{"pictures of 30 x 20 pixels", nil, modelOf(t, half, 3, 20, 30), "encoder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ask.Lay{}.Options(c.encoder, c.engine)
			var wrong *core.SettingError
			if !errors.As(err, &wrong) || wrong.Setting != c.setting ||
				c.setting == "encoder" && !strings.Contains(wrong.Reason, c.name) {
				t.Errorf("error %v, want one of %s", err, c.setting)
			}
		})
	}
	// Tiles need no microns, so that a slide shows whether they are missing.
	data := must.Get(os.ReadFile("../../core/slide/testdata/none_big_endian.tif"))(t)
	unknown := must.Get(ask.Lay{}.Options(encoder(""), nil))(t)
	_, err := ask.Lay{}.Open(t.Context(), "a.tif", "a.tif", bytes.NewReader(data),
		int64(len(data)), nil, unknown)
	var missing *core.SettingError
	must.As(t, err, &missing, "neither the options nor a model card")
	must.Equal(t, missing.Setting, "mpp")
	o := must.Get(ask.Lay{}.Options(encoder(half), modelOf(t, `{"slide_mpp": 0.3}`, 3)))(t)
	must.Equal(t, o.UsualMicrons, .3)
}

// TestLayStreams: a slide is encoded by a model of pictures on this machine whose microns are
// known, and is a picture for others.
func TestLayStreams(t *testing.T) {
	const half = `{"patch": {"mpp": 0.5}}`
	pictures := modelOf(t, "", 3, 8, 8)
	for _, c := range []struct {
		name   string
		lay    ask.Lay
		engine ask.Engine
		want   bool
	}{
		{"microns of the card", ask.Lay{}, modelOf(t, half, 3, 8, 8), true},
		{"microns of the request", ask.Lay{Microns: new(1.)}, pictures, true},
		{"no microns", ask.Lay{}, pictures, false},
		{"a card of sizes", ask.Lay{}, modelOf(t, `{"patch": {"size": 8}}`, 3, 8, 8), false},
		{"a model of features", ask.Lay{}, modelOf(t, half, 3), false},
		{"a model on a server", ask.Lay{Microns: new(1.)}, remote{pictures}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Equal(t, c.lay.Streams(c.engine), c.want)
		})
	}
}

// readSlide reads the bag of a slide of 150 x 110 pixels of .5 µm for a model.
func readSlide(t *testing.T, s ask.Slides, m ask.Engine) (*bagio.Set, error) {
	t.Helper()
	data := must.Get(os.ReadFile("../../core/slide/testdata/none_big_endian.tif"))(t)
	s.Lay.WholeSlide = true
	return s.Reader(t.Context(), m)("folder/none.tif", bytes.NewReader(data), int64(len(data)))
}

// TestSlidesMakeBags: a bag has the features of an encoder, the places of its patches, and notes on
// both. Features are kept under a description that names the slide and the encoder.
func TestSlidesMakeBags(t *testing.T) {
	encoder := encoderOf(t, 16, `{"patch": {"mpp": 1}}`)
	var description []byte
	var done, total int
	var noted []string
	s := ask.Slides{Encoder: encoder, Lay: ask.Lay{Overlap: new(4)},
		Noted:    func(notes []string) { noted = append(noted, notes...) },
		Progress: func(d, n int) { done, total = d, n },
		Keep: func(d []byte) ask.Keeper {
			description = d
			return nil
		}}
	set := must.Get(readSlide(t, s, modelOf(t, "", 3)))(t)
	bag := must.Get(set.Bag(0))(t)
	// Patches of 32 pixels of level 0, 24 from one to the next.
	if bag.Name != "none" || bag.Boxes[0] != image.Rect(0, 0, 32, 32) ||
		bag.Boxes[1] != image.Rect(24, 0, 56, 32) || bag.Stride() != 3 {
		t.Errorf("bag %q: boxes %v, %d features", bag.Name, bag.Boxes[:2], bag.Stride())
	}
	must.Equal(t, done, bag.Len())
	must.Equal(t, total, done)
	if sum := encoder.Info().SHA256; sum == "" || !bytes.Contains(description, []byte(sum)) {
		t.Errorf("the description of features %q does not name the encoder %s", description, sum)
	}
	notes := set.Notes()
	if len(notes) < 2 || !strings.HasPrefix(notes[0], "The bag is ") ||
		!strings.Contains(notes[0],
			" patches of 16 pixels of 1 µm, encoded by means.onnx; tissue: ") {
		t.Errorf("notes %q", notes)
	}
	must.Equal(t, len(noted), 1, noted, notes)
	must.Equal(t, strings.Contains(noted[0], "states no preprocessing"), true, noted, notes)
	must.Equal(t, slices.Contains(notes, noted[0]), true, noted, notes)
}

// TestSlidesOfBands encodes the bands that the card states: they are preprocessed as pixels are,
// and a missing number becomes what the mean is. The notes say what is drawn.
func TestSlidesOfBands(t *testing.T) {
	const prepared = `"preprocess": {"scale": 0.001, "mean": [3, 1], "std": [2, 4]}`
	read := func(name, card string, channels int) (*bagio.Set, error) {
		data := must.Get(os.ReadFile("../../core/slide/testdata/bands/" + name))(t)
		e := must.Get(onnxbackend.OpenEncoder(ot.MeanEncoderOf(channels, 8).Bytes(),
			onnxbackend.Options{Name: "means.onnx", Card: []byte(card)}))(t)
		return ask.Slides{Encoder: e}.Reader(t.Context(), modelOf(t, "", channels))(name,
			bytes.NewReader(data), int64(len(data)))
	}
	set := must.Get(read("planes.tif", `{"bands": {"use": [3, 1], "draw": [4], "nodata": 1003}, `+
		prepared+`}`, 2))(t)
	bag := must.Get(set.Bag(0))(t)
	// 8 x 8 pixels: 1000 for each band, and on average 3 * 3.5 + 7 * 3.5. Pixel 1, 0 of band 1
	// is 1000 instead of 1003.
	want := []float64{(3.035 - 3) / 2, (1.035 - .003/64 - 1) / 4}
	for c, v := range want {
		must.Equal(t, math.Abs(float64(bag.Instance(0)[c])-v) <= 1e-6, true, c, v)
	}
	notes := strings.Join(set.Notes(), "\n")
	must.Equal(t, bag.Len(), 5*4)
	must.Equal(t, bag.Slide.MPP, 0)
	must.Contain(t, notes, "band 4 is drawn as grey", "tissue: pixels with data.")
	_, err := onnxbackend.OpenEncoder(ot.MeanEncoder(8).Bytes(),
		onnxbackend.Options{Card: []byte(`{"bands": {"draw": [1, 2]}}`)})
	must.Fail(t, err, "2 bands are drawn")
	for want, c := range map[string]struct {
		card     string
		channels int
	}{
		"states 2 bands, but the pictures": {`{"bands": {"use": [3, 1]}}`, 4},
		"has bands 1 to 4 and no band 9":   {`{"bands": {"use": [9]}}`, 1},
		"has 4 bands and the encoder":      {"", 2},
	} {
		if _, err = read("planes.tif", c.card, c.channels); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// The card of the advice has three bands.
	_, err = read("planes.tif", `{"bands": {}}`, 3)
	must.Fail(t, err)
	advice.Of(t).Read(t, err.Error(), "")
	must.Get(read("planes.tif", `{"bands": {"use": [4, 3, 2]}}`, 3))(t)
}

// TestSlidesOfUnknownMicrons lays patches in pixels: the note has no microns.
func TestSlidesOfUnknownMicrons(t *testing.T) {
	var m bytes.Buffer
	must.Do(t, png.Encode(&m, image.NewGray(image.Rect(0, 0, 32, 32))))
	files := fstest.MapFS{"x_files/5/0_0.png": &fstest.MapFile{Data: m.Bytes()}}
	const text = `<Image xmlns="http://schemas.microsoft.com/deepzoom/2008" TileSize="254" ` +
		`Overlap="1" Format="png"><Size Width="32" Height="32"/></Image>`
	s := ask.Slides{Encoder: encoderOf(t, 16, `{"preprocess": {"scale": 1}}`), Beside: files,
		Lay: ask.Lay{Microns: new(0.), WholeSlide: true}}
	set := must.Get(s.Reader(t.Context(), modelOf(t, "", 3))("x.dzi", strings.NewReader(text),
		int64(len(text))))(t)
	bag := must.Get(set.Bag(0))(t)
	must.Equal(t, bag.Len(), 4)
	must.EqualSlices(t, bag.Values, make([]float32, 12))
	must.Equal(t, strings.HasPrefix(set.Notes()[0], "The bag is 4 patches of 16 pixels, "), true)
}

// TestSlidesRefused: the errors of each step are returned.
func TestSlidesRefused(t *testing.T) {
	encoder := encoderOf(t, 16, `{"patch": {"mpp": 1}}`)
	short := func(s ask.Slides, m ask.Engine) error {
		_, err := s.Reader(t.Context(), m)("none.tif", strings.NewReader("II*\x00"), 4)
		return err
	}
	read := func(s ask.Slides, m ask.Engine) error {
		_, err := readSlide(t, s, m)
		return err
	}
	features := modelOf(t, "", 3)
	for _, c := range []struct {
		name string
		err  error
		kind string
		says string
	}{
		{"a cut file", short(ask.Slides{Encoder: encoder}, features), kind.Format, "none.tif"},
		{"no microns", read(ask.Slides{Encoder: encoderOf(t, 16, "")}, features), kind.Setting,
			"mpp"},
		{"a patch larger than the slide", read(ask.Slides{Encoder: encoder,
			Lay: ask.Lay{PatchSize: new(4000)}}, features), kind.Bag, ""},
		{"other features", read(ask.Slides{Encoder: encoder}, modelOf(t, "", 4)), kind.Setting,
			"it returns 3 features of a patch, but the model takes instances of shape [4]"},
		{"features of a server", read(ask.Slides{Lay: ask.Lay{Microns: new(1.),
			PatchSize: new(16)}}, remote{features}), kind.Setting,
			"a model on a server needs one for slides"},
		{"patches of another size than the encoder takes", read(ask.Slides{Encoder: encoder,
			Lay: ask.Lay{PatchSize: new(8)}}, features), kind.Bag, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Equal(t, kind.Of(c.err), c.kind)
			must.Fail(t, c.err, c.says)
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	data := must.Get(os.ReadFile("../../core/slide/testdata/none_big_endian.tif"))(t)
	if _, err := (ask.Slides{Encoder: encoder}).Reader(ctx, features)("none.tif",
		bytes.NewReader(data), int64(len(data))); err != enough {
		t.Errorf("after the end of the work: %v", err)
	}
}
