package host

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/wasm/wire"
)

// encoderFile returns an encoder of pictures of 16 pixels: four features of a convolution.
func encoderFile() []byte {
	return ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("x", "n", 3, 16, 16)},
		Outputs:      []ot.Value{ot.In("y", "n", 4)},
		Initializers: []ot.Tensor{encoderWeights()}, Nodes: encoderNodes()}.Bytes()
}

func encoderWeights() ot.Tensor {
	weights := make([]float32, 4*3*3*3)
	for i := range weights {
		weights[i] = float32(i%7) / 100
	}
	return ot.F("w", weights, 4, 3, 3, 3)
}

func encoderNodes() []ot.Node {
	return ot.Nodes(`c = Conv(x, w); r = Relu(c); p = GlobalAveragePool(r); y = Flatten(p)`)
}

const encoderCard = `{"patch": {"size": 16, "mpp": 0.5}, "preprocess": {"scale": 0.004}}`

// openEncoded opens a slide and an encoder, and lays patches on the whole slide.
func openEncoded(t *testing.T, c *client) (lay wire.LayPatches, laid wire.PatchesLaid) {
	t.Helper()
	opened, _ := openSlide(t, c, slideFile(t, "none_big_endian.tif"))
	e := get[wire.ModelOpened](c, wire.OpenEncoder{Name: "e.onnx", Card: encoderCard,
		Bytes: encoderFile()})
	must.Equal(t, e.Patch.Microns, .5, e.Patch)
	must.Equal(t, e.Patch.Size, 16, e.Patch)
	lay = wire.LayPatches{Encoder: e.Handle, Grid: wire.PlaceGrid{Slide: opened.Handle,
		PatchSize: 16, Microns: .5}}
	return lay, get[wire.PatchesLaid](c, lay)
}

// TestPatchesNotePixels says when patches are laid, and again when some are encoded, that no card
// states the preprocessing.
func TestPatchesNotePixels(t *testing.T) {
	c := newClient(t, nil)
	lay, laid := openEncoded(t, c)
	must.Equal(t, laid.Notes == nil, true, laid.Notes)
	lay.Encoder = get[wire.ModelOpened](c, wire.OpenEncoder{Name: "e.onnx",
		Bytes: encoderFile()}).Handle
	laid = get[wire.PatchesLaid](c, lay)
	encoded := get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle, Until: 1})
	for _, notes := range [][]string{laid.Notes, encoded.Notes} {
		must.Equal(t, len(notes), 1, notes)
		must.Equal(t, strings.Contains(notes[0], "states no preprocessing"), true, notes)
	}
}

// TestPatchesOfBands lays patches on the bands that the card of an encoder states. A slide of bands
// is shown, but an encoder of colours refuses it.
func TestPatchesOfBands(t *testing.T) {
	c := newClient(t, nil)
	opened, _ := openSlide(t, c, slideFile(t, "bands/16.tif"))
	encoder := func(channels int, card string) int {
		return get[wire.ModelOpened](c, wire.OpenEncoder{Name: "e.onnx", Card: card,
			Bytes: ot.MeanEncoderOf(channels, 8).Bytes()}).Handle
	}
	lay := wire.LayPatches{Grid: wire.PlaceGrid{Slide: opened.Handle, PatchSize: 8}}
	lay.Encoder = encoder(2, `{"bands": {"use": [5, 2]}, "preprocess": {"scale": 0.001}}`)
	laid := get[wire.PatchesLaid](c, lay)
	if len(laid.Grid.X) != 5*4 || len(laid.Notes) != 1 ||
		!strings.Contains(laid.Notes[0], "band 5 is drawn") {
		t.Errorf("%d patches, notes %q", len(laid.Grid.X), laid.Notes)
	}
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle, Until: 20})
	p := must.Get(c.host.patches(laid.Handle))(t)
	bag := must.Get(p.FeatureBag(nil))(t)
	if v := bag.Instance(0); !(math.Abs(float64(v[0])-5.035) <= 1e-5) ||
		!(math.Abs(float64(v[1])-2.035) <= 1e-5) {
		t.Errorf("features %v of the first patch, want 5.035 and 2.035", v)
	}
	lay.Encoder = encoder(3, "")
	must.Contain(t, c.fails(kind.Unsupported, lay).Message, "5 channels")
}

// wantFile returns the file that bagscope tiles writes of the same patches.
func wantFile(t *testing.T) []byte {
	t.Helper()
	data := slideFile(t, "none_big_endian.tif")
	s := must.Get(slide.Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
	p := must.Get(patches.Open(t.Context(), "a", s, patches.Options{WholeSlide: true,
		GridOptions: slide.GridOptions{PatchSize: 16, Microns: .5}}))(t)
	e := must.Get(onnxbackend.OpenEncoder(encoderFile(), onnxbackend.Options{Name: "e.onnx",
		Card: []byte(encoderCard)}))(t)
	bag := must.Get(p.Features(t.Context(), e, nil))(t)
	info := e.Info()
	head := must.Get(p.File(4, core.Setting{Name: "encoder", Value: info.Name},
		core.Setting{Name: "encoder_sha256", Value: info.SHA256}).Head())(t)
	return append(head, bagio.Float32Bytes(bag.Values)...)
}

// TestPatchesEqualTiles encodes a slide in stages, alone and with a helper, and compares the file
// with that of the command, byte by byte.
func TestPatchesEqualTiles(t *testing.T) {
	want := wantFile(t)
	for _, helpers := range []int{0, 1} {
		c, helper := newClient(t, nil), newClient(t, nil)
		theirs := get[wire.ModelOpened](helper, wire.OpenEncoder{Name: "e.onnx",
			Card: encoderCard, Bytes: encoderFile()}).Handle
		_, laid := openEncoded(t, c)
		if len(laid.Stages) < 2 || laid.Method != "whole slide" || laid.Share != 1 {
			t.Fatalf("stages %v, %s, %v", laid.Stages, laid.Method, laid.Share)
		}
		tasks := 0
		for _, until := range laid.Stages {
			done, n := getWith[wire.PatchesEncoded](c, helper, theirs, wire.EncodePatches{
				Patches: laid.Handle, Until: until, Watch: true, Helpers: helpers, Eager: true})
			must.Equal(t, len(done.Encoded), until)
			must.EqualSlices(t, done.Shape, []int{4})
			tasks += n
		}
		must.Equal(t, tasks > 0, helpers > 0, tasks, helpers)
		file := get[wire.FeatureFile](c, wire.WriteFeatures{Patches: laid.Handle})
		must.EqualSlices(t, file.Bytes, want, helpers)
		bag := get[wire.BagOpened](c, wire.OpenPatches{Patches: laid.Handle})
		must.Equal(t, bag.Info.Instances, len(laid.Grid.X), bag.Info)
		must.Equal(t, bag.Info.Slide.MPP, .5, bag.Info)
	}
}

// TestAnnotatedPatches labels patches, and names them, by the annotations that their centres lie
// in: in that of the file's first class 1, in the second 2, outside 0. GeoJSON that is none is
// refused.
func TestAnnotatedPatches(t *testing.T) {
	c := newClient(t, nil)
	_, laid := openEncoded(t, c)
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle, Until: len(laid.Order)})
	square := func(class string, x0, y0, x1, y1 int) string {
		return fmt.Sprintf(`{"type":"Feature","properties":{"classification":{"name":%q}},`+
			`"geometry":{"type":"Polygon","coordinates":[[[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]}}`,
			class, x0, y0, x1, y0, x1, y1, x0, y1)
	}
	side := laid.Grid.Side
	file := "[" + square("b", 0, 0, side, side) + "," + square("a", side, 0, 3*side, side) + "]"
	plain := get[wire.BagOpened](c, wire.OpenPatches{Patches: laid.Handle})
	bag := get[wire.BagOpened](c, wire.LabelBag{Bag: plain.Handle, Annotations: []byte(file)})
	want := make([]int, len(laid.Grid.X))
	want[0], want[1], want[2] = 1, 2, 2
	must.Equal(t, bag.Info.Labels != nil, true, bag.Info.Labels, want)
	must.EqualSlices(t, *bag.Info.Labels, want, bag.Info.Labels)
	must.Equal(t, plain.Info.Labels == nil, true, "without annotations")
	found := get[wire.ConceptsFound](c, wire.FindConcepts{Bag: plain.Handle, Name: "a.geojson",
		Bytes: []byte(file)})
	must.Equal(t, found.Text, "b=0; a=1-2")
	c.fails(kind.Format, wire.FindConcepts{Bag: plain.Handle, Bytes: []byte("[")})
	c.fails(kind.Setting, wire.FindConcepts{Bag: 999, Bytes: []byte(file)})
	c.fails(kind.Format, wire.LabelBag{Bag: bag.Handle, Annotations: []byte("[")})
	c.fails(kind.Setting, wire.LabelBag{Bag: 999, Annotations: []byte(file)})
	c.host.config.Room = func() int64 { return 1000 }
	c.fails(kind.Memory, wire.LabelBag{Bag: plain.Handle, Annotations: []byte(file)})
	c.fails(kind.Memory, wire.FindConcepts{Bag: plain.Handle, Name: "a.geojson",
		Bytes: []byte(file)})
}

// TestCancelledPatchesGoOn cancels an encoding, and continues it: in place, in a new grid, and from
// its file.
func TestCancelledPatchesGoOn(t *testing.T) {
	var stepwise atomic.Bool
	step := make(chan struct{})
	c := newClient(t, func() {
		if stepwise.Load() {
			<-step
		}
	})
	lay, laid := openEncoded(t, c)
	// The encoding advances by one look at its context at a time, until its first report.
	stepwise.Store(true)
	id := c.send(wire.EncodePatches{Patches: laid.Handle, Until: len(laid.Order), Watch: true})
	var report any
	for report == nil {
		select {
		case step <- struct{}{}:
		case report = <-c.inbox(id):
		}
	}
	if p, ok := report.(wire.Progress); !ok || p.Completed != 4 || !p.Instances {
		t.Fatalf("the first report is %+v", p)
	}
	get[wire.Done](c, wire.Cancel{Request: int(id)})
	stepwise.Store(false)
	close(step)
	if f, ok := c.wait(id).(wire.Failure); !ok || f.Kind != kind.Cancelled {
		t.Fatalf("the answer is %+v", f)
	}
	some := get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle})
	if n := len(some.Encoded); n < 4 || n == len(laid.Order) {
		t.Fatalf("%d patches are done", n)
	}
	file := get[wire.FeatureFile](c, wire.WriteFeatures{Patches: laid.Handle})
	lay.From = laid.Handle
	must.EqualSlices(t, get[wire.PatchesLaid](c, lay).Encoded, some.Encoded)
	lay.From = 0
	fresh := get[wire.PatchesLaid](c, lay)
	next := get[wire.PatchesEncoded](c, wire.ContinuePatches{Patches: fresh.Handle, Name: "a.h5",
		Bytes: file.Bytes})
	must.EqualSlices(t, next.Encoded, some.Encoded)
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: fresh.Handle, Until: len(laid.Order)})
	whole := get[wire.FeatureFile](c, wire.WriteFeatures{Patches: fresh.Handle})
	must.EqualSlices(t, whole.Bytes, wantFile(t),
		"the continued file differs from one that was encoded at once")
}

// oneFile returns a model of pictures of 16 pixels: the encoder of encoderFile, and the mean of its
// features.
func oneFile() []byte {
	return ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("x", "n", 3, 16, 16)},
		Outputs:      []ot.Value{ot.In("s", 4)},
		Initializers: []ot.Tensor{encoderWeights()},
		Nodes: append(encoderNodes(), ot.N("ReduceMean", []string{"y"}, []string{"s"},
			ot.Ints("axes", 0), ot.Int("keepdims", 0)))}.Bytes()
}

// TestModelEncodesPatches streams patches through the layers of one file that holds encoder and
// pooling model, alone and with a helper. Its features are those of the encoder in a file of its
// own, and its scores those of the pictures.
func TestModelEncodesPatches(t *testing.T) {
	for _, helpers := range []int{0, 1} {
		c, helper := newClient(t, nil), newClient(t, nil)
		open := wire.OpenModel{Name: "m.onnx", Card: encoderCard, Bytes: oneFile()}
		theirs := get[wire.ModelOpened](helper, open).Handle
		model := get[wire.ModelOpened](c, open).Handle
		lay, byEncoder := openEncoded(t, c)
		get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: byEncoder.Handle, Until: 20})
		lay.Encoder, lay.Model = 0, model
		laid := get[wire.PatchesLaid](c, lay)
		done, tasks := getWith[wire.PatchesEncoded](c, helper, theirs, wire.EncodePatches{
			Patches: laid.Handle, Until: 20, Helpers: helpers, Eager: true})
		must.Equal(t, len(done.Encoded), 20)
		must.EqualSlices(t, done.Shape, []int{4})
		must.Equal(t, tasks > 0, helpers > 0, tasks, helpers)
		bag := get[wire.BagOpened](c, wire.OpenPatches{Patches: laid.Handle})
		want := get[wire.BagOpened](c, wire.OpenPatches{Patches: byEncoder.Handle})
		values := func(bag int) []float32 {
			return get[wire.Values](c, wire.GetValues{Bag: bag}).Values
		}
		must.EqualSlices(t, values(bag.Handle), values(want.Handle),
			"the features differ from those of the encoder")
		explained := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag.Handle,
			Methods: new([]string{"one_removed"})})
		must.Equal(t, len(explained.Explanations), 4, "no explanation")
		lay.From = laid.Handle
		must.EqualSlices(t, get[wire.PatchesLaid](c, lay).Encoded, done.Encoded)
	}
}

// TestPixelsOfPatches makes a bag of the pictures themselves, for a model that contains no encoder.
func TestPixelsOfPatches(t *testing.T) {
	c := newClient(t, nil)
	lay, _ := openEncoded(t, c)
	lay.Encoder = 0
	lay.Model = get[wire.ModelOpened](c, wire.OpenModel{Bytes: ot.Model{Opset: 17,
		Inputs: []ot.Value{ot.In("x", "n", 3, 16, 16)}, Outputs: []ot.Value{ot.In("s", 3)},
		Nodes: ot.Nodes(`m = ReduceMean<axes=[0], keepdims=0>(x)
			s = ReduceMean<axes=[1, 2], keepdims=0>(m)`)}.Bytes()}).Handle
	laid := get[wire.PatchesLaid](c, lay)
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle, Until: 9})
	bag := get[wire.BagOpened](c, wire.OpenPatches{Patches: laid.Handle})
	if bag.Info.Instances != 9 || !bag.Info.Raw || !slices.Equal(bag.Info.Shape, []int{3, 16, 16}) {
		t.Errorf("the bag is %+v", bag.Info)
	}
	f := c.fails(kind.Bag, wire.WriteFeatures{Patches: laid.Handle})
	must.Contain(t, f.Message, "pictures")
}

// TestHostilePatches expects failures in words.
func TestHostilePatches(t *testing.T) {
	c := newClient(t, nil)
	lay, laid := openEncoded(t, c)
	c.fails(kind.Bag, wire.OpenPatches{Patches: laid.Handle})
	c.fails(kind.Setting, wire.EncodePatches{Patches: lay.Encoder, Until: 1})
	c.fails(kind.Format, wire.ContinuePatches{Patches: laid.Handle, Name: "a.h5",
		Bytes: []byte("no file")})
	c.fails(kind.Unsupported, wire.OpenEncoder{Bytes: testdata(t, "tiny.onnx")})
	for name, change := range map[string]func(*wire.LayPatches){
		"encoder": func(r *wire.LayPatches) { r.Encoder = r.Grid.Slide },
		"model":   func(r *wire.LayPatches) { r.Encoder, r.Model = 0, 99 },
		"slide":   func(r *wire.LayPatches) { r.Grid.Slide = 99 },
		"size":    func(r *wire.LayPatches) { r.Grid.PatchSize = 1 << 40 },
		"from":    func(r *wire.LayPatches) { r.From = 99 },
		"threshold": func(r *wire.LayPatches) {
			r.Grid.Tissue = &wire.FindTissue{Threshold: 1000}
		},
	} {
		wrong := lay
		change(&wrong)
		must.Equal(t, c.fails(kind.Setting, wrong).Message != "", true, name)
	}
}

// TestPatchesOfFiles lays patches on the tissue of a file, without what another one excludes, and
// at the places of a third.
func TestPatchesOfFiles(t *testing.T) {
	c := newClient(t, nil)
	lay, whole := openEncoded(t, c)
	area := func(x, y int) *wire.File {
		return &wire.File{Name: "drawn.xml", Bytes: fmt.Appendf(nil, `<Annotations><Annotation>`+
			`<Regions><Region Type="Rectangle"><Vertices><V X="0" Y="0"/><V X="%d" Y="%d"/>`+
			`</Vertices></Region></Regions></Annotation></Annotations>`, x, y)}
	}
	tissue := lay
	tissue.Tissue, tissue.Exclude = area(48, 16), []wire.File{*area(16, 16)}
	tissue.From = whole.Handle
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: whole.Handle, Until: 2})
	laid := get[wire.PatchesLaid](c, tissue)
	if !slices.Equal(laid.Grid.X, []int{16, 32}) || !slices.Equal(laid.Grid.Y, []int{0, 0}) ||
		laid.Method != "the file drawn.xml, without drawn.xml" || len(laid.Notes) != 1 {
		t.Errorf("%+v", laid)
	}
	places := lay
	places.Places = &wire.File{Name: "places.csv",
		Bytes: []byte("x,y,width,height\n70,3,16,16\n5,9,16,16\n")}
	laid = get[wire.PatchesLaid](c, places)
	if !slices.Equal(laid.Grid.X, []int{70, 5}) || !slices.Equal(laid.Grid.Y, []int{3, 9}) ||
		laid.Grid.Side != 16 || laid.Method != "the places of places.csv" {
		t.Errorf("%+v", laid)
	}
	for _, known := range []struct {
		file *wire.File
		kind string
	}{{area(48, 16), "annotations"}, {places.Places, "places"}} {
		asked := wire.RecogniseFile{Slide: lay.Grid.Slide, File: *known.file}
		must.Equal(t, get[wire.FileRecognised](c, asked).Kind, known.kind)
	}
	c.fails(kind.Setting, wire.RecogniseFile{Slide: 999, File: *area(1, 1)})
	places.Places = &wire.File{Name: "places.csv", Bytes: []byte("a,b\n1,2\n")}
	must.Contain(t, c.fails(kind.Format, places).Message, "no columns of places")
}
