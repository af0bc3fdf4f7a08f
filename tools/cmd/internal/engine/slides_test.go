package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/wasm/wire"
)

// smallSlide is a slide of 200 x 150 pixels of .5 microns.
const smallSlide = "../../../../core/slide/testdata/none_big_endian.tif"

// written writes a model to a file and returns its path.
func written(t *testing.T, name string, m ot.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, m.Bytes(), 0o600))
	return path
}

// The bag of a slide has the features of the file that WriteTiles writes, and both report progress.
func TestSlides(t *testing.T) {
	c := newClient(t)
	encoder, micron := written(t, "means.onnx", ot.MeanEncoder(16)), 1.
	e := wire.Encoding{Encoder: encoder, Microns: &micron, MinTissue: .1}
	out := filepath.Join(t.TempDir(), "bag.h5")
	c.send(wire.WriteTiles{Path: smallSlide, Out: out, Encoding: e, Watch: true})
	tiles, last := await[wire.TilesWritten](c)
	var report struct{ Patches, Features int }
	must.Do(t, json.Unmarshal(tiles.Report, &report))
	if report.Patches != len(tiles.X) || len(tiles.X) != len(tiles.Y) || report.Features != 3 ||
		last.Completed != report.Patches || last.Total != report.Patches || !last.Instances ||
		!strings.Contains(strings.Join(c.noted, ""), "states no preprocessing") {
		t.Errorf("%s, %d places, last progress %+v", tiles.Report, len(tiles.X), last)
	}

	m := get[wire.ModelOpened](c, wire.OpenModelFile{Path: written(t, "head.onnx", ot.MeanHead(3))})
	c.send(wire.ReadBagFile{Path: smallSlide, Model: m.Handle, Encoding: &e, Watch: true})
	read, last := await[wire.BagsRead](c)
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: read.Handle})
	if n := bag.Info.Instances; n != report.Patches || last.Completed != n {
		t.Errorf("%+v, last progress %+v", bag.Info, last)
	}
	file := c.open(wire.ReadBagFile{Path: out, Model: m.Handle})
	got, want := get[wire.Values](c, wire.GetValues{Bag: bag.Handle}),
		get[wire.Values](c, wire.GetValues{Bag: file.Handle})
	must.EqualSlices(t, got.Values, want.Values, len(want.Values))
	must.Equal(t, len(got.Values), 3*report.Patches, len(want.Values))
}

// await returns the next message of type T and the last progress before it.
func await[T any](c *client) (answer T, last wire.Progress) {
	c.t.Helper()
	for {
		switch m := c.next().(type) {
		case wire.Progress:
			last = m
		case wire.Noted:
			c.noted = append(c.noted, m.Notes...)
		case T:
			return m, last
		default:
			c.t.Fatalf("%+v", m)
		}
	}
}

// The card of a model names the encoder beside it.
func TestEncoderBesideModel(t *testing.T) {
	c := newClient(t)
	encoder := written(t, "means.onnx", ot.MeanEncoder(16))
	m := get[wire.ModelOpened](c, wire.OpenModel{Bytes: ot.MeanHead(3).Bytes(),
		Card: `{"encoder": "means.onnx", "patch": {"size": 16, "mpp": 1}}`})
	e := wire.Encoding{Folder: filepath.Dir(encoder)}
	bag := c.open(wire.ReadBagFile{Path: smallSlide, Model: m.Handle, Encoding: &e})
	must.Equal(t, bag.Info.Slide != nil, true, bag.Info)
	must.Equal(t, bag.Info.Slide.PatchSize, 32, bag.Info)
}

// Invalid requests fail with the names of Python's arguments.
func TestSlideErrors(t *testing.T) {
	c := newClient(t)
	encoder, micron, none := written(t, "means.onnx", ot.MeanEncoder(16)), 1., -1.
	head := written(t, "two.onnx", ot.MeanHead(2))
	two := get[wire.ModelOpened](c, wire.OpenModelFile{Path: head})
	function := get[wire.ModelOpened](c, wire.OpenCallable{Name: "f", Classes: []string{"a"},
		Scale: "raw", Negative: -1})
	file := filepath.Join(t.TempDir(), "bag.csv")
	must.Do(t, os.WriteFile(file, []byte("bag,f1,f2\na,1,2\n"), 0o600))
	out := filepath.Join(t.TempDir(), "bag.h5")
	read := func(path string, m wire.ModelOpened, e wire.Encoding) wire.ReadBagFile {
		return wire.ReadBagFile{Path: path, Model: m.Handle, Encoding: &e}
	}
	for name, x := range map[string]struct {
		request any
		kind    string
		want    string
	}{
		"no slide": {read(file, two, wire.Encoding{Encoder: encoder}), "setting",
			"encoder: it encodes whole slides, but bag.csv is none"},
		"features": {read(smallSlide, two, wire.Encoding{Encoder: encoder, Microns: &micron}),
			"setting", "encoder: it returns 3 features"},
		"function": {read(smallSlide, function, wire.Encoding{Encoder: encoder}), "unavailable",
			"the model is a function"},
		"no encoder": {read(smallSlide, two, wire.Encoding{Encoder: file + "x"}), "missing",
			"does not exist"},
		"threshold": {wire.WriteTiles{Path: smallSlide, Out: out, Encoding: wire.Encoding{
			PatchSize: 16, Microns: &micron, Threshold: 256}}, "setting", "tissue_threshold: "},
		"microns": {wire.WriteTiles{Path: smallSlide, Out: out, Encoding: wire.Encoding{
			PatchSize: 16, Microns: &none}}, "setting", "mpp: "},
		"memory": {wire.WriteTiles{Path: smallSlide, Out: out, Memory: 1000,
			Encoding: wire.Encoding{PatchSize: 16, Microns: &micron}},
			"memory", "memory raises the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			f := get[wire.Failure](c, x.request)
			must.Equal(t, f.Kind, x.kind)
			must.Contain(t, f.Message, x.want)
		})
	}
}
