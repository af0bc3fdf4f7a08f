package cohort

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// slideFolder returns the path of a model of three features in a folder with its encoder, which
// scales the mean colours of a patch.
func slideFolder(t *testing.T, scale float32) string {
	t.Helper()
	folder := t.TempDir()
	encoder := ot.MeanEncoder(16)
	encoder.Initializers = []ot.Tensor{ot.F("scale", []float32{scale}, 1)}
	encoder.Nodes = append(encoder.Nodes, ot.N("Mul", []string{"y", "scale"}, []string{"f"}))
	encoder.Outputs[0].Name = "f"
	for name, data := range map[string][]byte{
		"head.onnx": ot.MeanHead(3).Bytes(), "means.onnx": encoder.Bytes(),
		"head.bagscope.json": []byte(`{"encoder": "means.onnx", "patch": {"mpp": 1}}`)} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	return filepath.Join(folder, "head.onnx")
}

// TestSlides encodes slides by the encoder of the model's card. Another encoder gives another hash,
// so that stored results of the first one are not reused.
func TestSlides(t *testing.T) {
	const slide = "../../core/slide/testdata/none_big_endian.tif"
	var values [2][]float32
	var hashes [2]string
	for i, scale := range []float32{1, 2} {
		m := must.Get(openModel(t.Context(), slideFolder(t, scale)))(t)
		hashes[i] = m.hash
		file := must.Get(readBags(t.Context(), slide, m, Layout{}))(t)
		set := must.Get(file.set())(t)
		bag := must.Get(set.Bag(0))(t)
		if !slices.Equal(bag.Shape, []int{3}) || bag.Slide.PatchSize != 32 || bag.Boxes == nil {
			t.Errorf("shape %v on %+v", bag.Shape, bag.Slide)
		}
		values[i] = bag.Values
	}
	must.Equal(t, hashes[0] != hashes[1], true, "models with different encoders have one hash")
	for i, v := range values[0] {
		must.Equal(t, values[1][i], 2*v, i, v)
	}
	stride := 3
	m := must.Get(openModel(t.Context(), slideFolder(t, 1)))(t)
	file, err := readBags(t.Context(), slide, m,
		Layout{ReadOptions: ask.ReadOptions{Stride: &stride}})
	if err == nil {
		_, err = file.set()
	}
	must.Fail(t, err)
	must.Contain(t, err.Error(), "it is for pictures")
}

// TestDeepZoom reads a Deep Zoom picture with its folder of tiles. A changed tile changes the hash,
// a missing folder is named, and in a bucket the picture is refused.
func TestDeepZoom(t *testing.T) {
	m := must.Get(openModel(t.Context(), slideFolder(t, 1)))(t)
	// Tiles of 64 x 64 pixels: the left one has tissue, the right one is glass.
	folder := t.TempDir()
	name := filepath.Join(folder, "x.dzi")
	write := func(name string, data []byte) {
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.WriteFile(name, data, 0o600))
	}
	about := []byte(
		`<Image TileSize="64" Overlap="0" Format="png"><Size Width="128" Height="64"/></Image>`)
	write(name, about)
	tile := func(column int, c color.RGBA) {
		picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
		draw.Draw(picture, picture.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		var data bytes.Buffer
		must.Do(t, png.Encode(&data, picture))
		write(filepath.Join(folder, "x_files", "7", fmt.Sprint(column)+"_0.png"), data.Bytes())
	}
	tile(1, color.RGBA{240, 240, 240, 255})
	var hashes []string
	none := 0.
	whole := Layout{Tiling: ask.Tiling{Microns: &none}} // the picture does not state its microns
	// load reads the picture with a left tile of a colour, and keeps its hash.
	load := func(red byte) *bagFile {
		tile(0, color.RGBA{red, 20, 120, 255})
		file := must.Get(loadBags(t.Context(), name, m, whole))(t)
		hashes = append(hashes, file.hash)
		return file
	}
	for _, red := range []byte{200, 210} {
		set := must.Get(load(red).set())(t)
		bag, err := set.Bag(0)
		if err != nil || bag.Len() != 16 || bag.Values[0] != float32(red) {
			t.Fatalf("%+v, %v", bag, err)
		}
	}
	// Folders may be symbolic links to where the tiles are.
	tiles := filepath.Join(folder, "x_files")
	for _, link := range []string{tiles, filepath.Join(tiles, "7")} {
		elsewhere := filepath.Join(t.TempDir(), "tiles")
		must.Do(t, os.Rename(link, elsewhere))
		must.Do(t, os.Symlink(elsewhere, link))
		load(200)
		load(210)
	}
	for i := 0; i < len(hashes); i += 2 {
		if hashes[i] != hashes[0] || hashes[i+1] != hashes[1] || hashes[0] == hashes[1] {
			t.Errorf("the hashes of two tiles are %q", hashes[i:i+2])
		}
	}
	must.Do(t, os.RemoveAll(tiles))
	var missing *FileError
	if _, err := loadBags(t.Context(), name, m, Layout{}); !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), "x_files") {
		t.Error(err)
	}
	if r := m.slideReader(t.Context(), "gs://bucket/x.dzi", Layout{}); r == nil {
		t.Error("the model does not encode slides")
	} else if _, err := r("x.dzi", bytes.NewReader(about), int64(len(about))); err == nil ||
		!strings.Contains(err.Error(), "a folder of tiles beside this file") {
		t.Error(err)
	}
}

// TestSlideTissue lays patches on the tissue of a file beside the slide. Another drawing gives
// another hash, so that stored results of the first one are not reused.
func TestSlideTissue(t *testing.T) {
	folder := t.TempDir()
	data := must.Get(os.ReadFile("../../core/slide/testdata/none_big_endian.tif"))(t)
	slide := filepath.Join(folder, "slide.tif")
	must.Do(t, os.WriteFile(slide, data, 0o600))
	m := must.Get(openModel(t.Context(), slideFolder(t, 1)))(t)
	drawn := "drawn/slide.xml"
	must.Do(t, os.Mkdir(filepath.Join(folder, "drawn"), 0o700))
	var lengths []int
	var hashes []string
	for _, right := range []int{32, 64} {
		must.Do(t, os.WriteFile(filepath.Join(folder, drawn), fmt.Appendf(nil, `<Annotations>`+
			`<Annotation><Regions><Region Type="Rectangle"><Vertices><V X="0" Y="0"/>`+
			`<V X="%d" Y="32"/></Vertices></Region></Regions></Annotation></Annotations>`, right),
			0o600))
		name := []string{drawn, "drawn"}[len(hashes)]
		file := must.Get(loadBags(t.Context(), slide, m,
			Layout{Tiling: ask.Tiling{Tissue: &name}}))(t)
		bag := must.Get(must.Get(file.set())(t).Bag(0))(t)
		lengths, hashes = append(lengths, bag.Len()), append(hashes, file.hash)
	}
	must.EqualSlices(t, lengths, []int{1, 2}, hashes)
	must.Equal(t, hashes[0] != hashes[1], true, lengths, hashes)
}
