package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// slideModels opens a folder with a model of three features, whose card names an encoder of patches
// of 16 pixels, and the encoder.
func slideModels(t *testing.T) *Models { return slideModelsOf(t, 16) }

// slideModelsOf is slideModels for patches of so many pixels.
func slideModelsOf(t *testing.T, side int) *Models {
	t.Helper()
	folder := t.TempDir()
	for name, data := range map[string][]byte{"head.onnx": ot.MeanHead(3).Bytes(),
		"means.onnx": ot.MeanEncoder(side).Bytes(),
		"head.bagscope.json": []byte(`{"encoder": "means.onnx", "patch": {"mpp": 1},
			"output": "logits"}`)} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	models, err := OpenModels(folder, Limits{}, Processor{})
	if err != nil || len(models.Skipped()) > 0 || len(models.names) != 1 {
		t.Fatalf("%v, skipped %v", err, models.Skipped())
	}
	return models
}

// TestSlidesBelowFolder encodes a slide of the folder of bags, whatever its size, for a request and
// for a job.
func TestSlidesBelowFolder(t *testing.T) {
	root := must.Get(os.OpenRoot("../../../core/slide/testdata"))(t)
	defer root.Close()
	_, url, _ := keeping(t, t.TempDir(), Options{Models: slideModels(t), Bags: root,
		Limits: Limits{Unpacked: 1000}}, jobs.Limits{})
	parts := func(request string) []part {
		return []part{{name: "model", data: []byte("head")},
			{name: "bag", data: []byte("none_big_endian.tif")},
			{name: "request", data: []byte(request)}}
	}
	status, _, body := post(t, url+"/v1/explain", "", parts(`{"methods":["single"]}`)...)
	var got struct {
		Bag   struct{ Instances int }
		Boxes [][4]int
		Slide map[string]any
		Notes []string
	}
	must.Do(t, json.Unmarshal(body, &got))
	must.Equal(t, status, http.StatusOK, body)
	must.Equal(t, got.Bag.Instances != 0, true, got)
	must.Equal(t, len(got.Boxes), got.Bag.Instances, got)
	must.Equal(t, got.Slide["patch_size"], 32., got)
	must.Equal(t, strings.Contains(fmt.Sprint(got.Notes), "encoded by means.onnx"), true, got)
	status, _, body = post(t, url+"/v1/predict", "", parts(`{"background": 3}`)...)
	must.Equal(t, status, http.StatusBadRequest, body)
	must.Equal(t, strings.Contains(string(body), "it is for pictures"), true, status, body)
	status, _, body = post(t, url+"/v1/predict", "", parts(`{"patch_size": 8}`)...)
	must.Equal(t, status, http.StatusUnprocessableEntity, body)
	status, _, body = post(t, url+"/v1/explain", "",
		parts(`{"methods":["single"], "mpp": 0, "overlap": 8}`)...)
	var finer struct{ Boxes [][4]int }
	if err := json.Unmarshal(body, &finer); err != nil || status != http.StatusOK ||
		finer.Boxes[0][2]-finer.Boxes[0][0] != 16 || finer.Boxes[1][0]-finer.Boxes[0][0] != 8 {
		t.Errorf("mpp and overlap of a request: status %d, %.300s", status, body)
	}
	_, answer := postJob(t, url, `{"models": ["head"], "bags": [{"path": "none_big_endian.tif"}]}`)
	var j jobs.Job
	must.Do(t, json.Unmarshal(answer, &j))
	ended(t, url, j.ID)
	// The job has the same result as the request.
	line := results(t, url, j.ID)[0]
	must.Equal(t, line.Problem == nil, true, line.Problem)
	var explained struct {
		Bag   struct{ Instances int }
		Boxes [][4]int
	}
	must.Do(t, json.Unmarshal(line.Result, &explained))
	must.Equal(t, explained.Bag, got.Bag, len(explained.Boxes), len(got.Boxes))
	must.EqualSlices(t, explained.Boxes, got.Boxes, len(explained.Boxes), len(got.Boxes))
}

// TestDeepZoomBelowFolder encodes a Deep Zoom picture, whose tiles lie in a folder beside it. One
// that is sent has no folder, and jobs refuse it.
func TestDeepZoomBelowFolder(t *testing.T) {
	folder := t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 64, 32))
	for i := range m.Pix {
		m.Pix[i] = uint8(i % 4 / 3 * 255) // black
	}
	draw.Draw(m, image.Rect(0, 0, 32, 32), image.NewUniform(color.RGBA{200, 20, 120, 255}),
		image.Point{}, draw.Src)
	var tile bytes.Buffer
	must.Do(t, png.Encode(&tile, m))
	about := []byte(`<Image TileSize="64" Overlap="0" Format="png">` +
		`<Size Width="64" Height="32"/></Image>`)
	must.Do(t, os.MkdirAll(filepath.Join(folder, "in/x_files/6"), 0o700))
	for name, data := range map[string][]byte{"in/x.dzi": about,
		"in/x_files/6/0_0.png": tile.Bytes()} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	_, url, _ := keeping(t, t.TempDir(), Options{Models: slideModels(t), Bags: root}, jobs.Limits{})
	request := part{name: "request", data: []byte(`{"methods":["single"], "mpp": 0}`)}
	head := part{name: "model", data: []byte("head")}
	status, _, body := post(t, url+"/v1/explain", "", head, request,
		part{name: "bag", data: []byte("in/x.dzi")})
	must.Equal(t, status, http.StatusOK, body)
	status, _, body = post(t, url+"/v1/explain", "", head, request,
		part{name: "bag", file: "x.dzi", data: about})
	must.Equal(t, status != http.StatusOK, true, status, body)
	must.Equal(t, strings.Contains(string(body), "a folder of tiles beside this file"), true,
		status, body)
	_, answer := postJob(t, url, `{"models": ["head"], "bags": [{"path": "in/x.dzi"}]}`)
	var j jobs.Job
	must.Do(t, json.Unmarshal(answer, &j))
	ended(t, url, j.ID)
	if line := results(t, url, j.ID)[0]; line.Problem == nil ||
		!strings.Contains(line.Problem.Detail, "explain it by /v1/explain") {
		t.Errorf("a job: %s %+v", line.Result, line.Problem)
	}
}

// TestMissingEncoder names the encoder that a card names and that is not there or is a folder. An
// encoder whose card cannot be read is not opened.
func TestMissingEncoder(t *testing.T) {
	for made, says := range map[string]string{"": "names the encoder none.onnx",
		"none.onnx": "not a regular file", "none.bagscope.json": ""} {
		folder := t.TempDir()
		for name, data := range map[string][]byte{"head.onnx": ot.MeanHead(3).Bytes(),
			"head.bagscope.json": []byte(`{"encoder": "none.onnx", "output": "logits"}`)} {
			must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
		}
		if made != "" {
			must.Do(t, os.Mkdir(filepath.Join(folder, made), 0o700))
		}
		if says == "" {
			must.Do(t, os.WriteFile(filepath.Join(folder, "none.onnx"), ot.MeanEncoder(16).Bytes(),
				0o600))
		}
		models, err := OpenModels(folder, Limits{}, Processor{})
		if says != "" {
			must.Fail(t, err, says)
			continue
		}
		must.Do(t, err)
		must.Fail(t, must.Err(models.encoders["none.onnx"](nil)))
		must.Do(t, os.Remove(filepath.Join(folder, made)))
		must.Get(models.encoders["none.onnx"](nil))(t)
	}
}

// TestDICOMSlideBelowFolder encodes a slide of DICOM with the file of another level beside it. One
// that is sent has one file, and jobs refuse it.
func TestDICOMSlideBelowFolder(t *testing.T) {
	folder := t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 64, 32))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(0, 0, 32, 32), image.NewUniform(color.RGBA{200, 20, 120, 255}),
		image.Point{}, draw.Src)
	file := dicomtest.SlideFile{Kind: "VOLUME", Picture: m, Tile: image.Pt(32, 32),
		Series: "1.2.3", Spacing: `0.0005\0.0005`}
	label := file
	label.Kind = "LABEL"
	for name, f := range map[string]dicomtest.SlideFile{"a.dcm": label, "b.dcm": file} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), f.File(), 0o600))
	}
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	_, url, _ := keeping(t, t.TempDir(), Options{Models: slideModels(t), Bags: root}, jobs.Limits{})
	request := part{name: "request", data: []byte(`{"methods":["single"], "mpp": 0}`)}
	head := part{name: "model", data: []byte("head")}
	var scores [][]float64
	for _, bag := range []part{{name: "bag", data: []byte("a.dcm")},
		{name: "bag", file: "b.dcm", data: file.File()}} {
		status, _, body := post(t, url+"/v1/explain", "", head, request, bag)
		must.Equal(t, status, http.StatusOK, body)
		var got struct{ Explanations []struct{ Scores []float64 } }
		must.Do(t, json.Unmarshal(body, &got))
		scores = append(scores, got.Explanations[0].Scores)
	}
	must.Equal(t, len(scores[0]), 4)
	must.EqualSlices(t, scores[0], scores[1])
	_, answer := postJob(t, url, `{"models": ["head"], "bags": [{"path": "b.dcm"}]}`)
	var j jobs.Job
	must.Do(t, json.Unmarshal(answer, &j))
	ended(t, url, j.ID)
	if line := results(t, url, j.ID)[0]; line.Problem == nil ||
		!strings.Contains(line.Problem.Detail, "one of the files of a slide") {
		t.Errorf("a job: %s %+v", line.Result, line.Problem)
	}
}

// TestAreasBelowFolder lays patches of a slide by files beside it: on the tissue of one, without
// what another one excludes, and at the places of a third. It refuses files that are not there, and
// those outside of the slide's folder.
func TestAreasBelowFolder(t *testing.T) {
	folder := t.TempDir()
	data := must.Get(os.ReadFile("../../../core/slide/testdata/none_big_endian.tif"))(t)
	box := func(x0, y0, x1, y1 int) []byte {
		return fmt.Appendf(nil, `<Annotations><Annotation Name="A"><Regions>`+
			`<Region Type="Rectangle"><Vertices><V X="%d" Y="%d"/><V X="%d" Y="%d"/></Vertices>`+
			`</Region></Regions></Annotation></Annotations>`, x0, y0, x1, y1)
	}
	for name, data := range map[string][]byte{"in/a.tif": data, "in/tissue.xml": box(0, 0, 64, 32),
		"in/pen/a.xml": box(0, 0, 16, 32), "above.xml": box(0, 0, 99, 99),
		"in/places.csv": []byte("x,y,width,height\n70,3,16,16\n5,9,16,16\n")} {
		name = filepath.Join(folder, name)
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.WriteFile(name, data, 0o600))
	}
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	_, url, _ := keeping(t, t.TempDir(), Options{Models: slideModels(t), Bags: root}, jobs.Limits{})
	for request, want := range map[string][]int{
		`{"mpp": 0, "tissue": "tissue.xml"}`:                                 {0, 16, 32, 48},
		`{"mpp": 0, "tissue": "tissue.xml", "exclude": "pen"}`:               {16, 32, 48},
		`{"places": "places.csv"}`:                                           {70, 5},
		`{"mpp": 0, "tissue": "none.xml"}`:                                   nil,
		`{"mpp": 0, "tissue": "../above.xml"}`:                               nil,
		`{"places": "places.csv", "tissue": "tissue.xml", "exclude": "pen"}`: nil,
	} {
		status, _, body := post(t, url+"/v1/explain", "",
			part{name: "model", data: []byte("head")},
			part{name: "bag", data: []byte("in/a.tif")},
			part{name: "request", data: []byte(request)})
		var got struct{ Boxes [][4]int }
		must.Do(t, json.Unmarshal(body, &got))
		var x []int
		for _, b := range got.Boxes {
			if b[1] < 16 {
				x = append(x, b[0])
			}
		}
		must.Equal(t, status == http.StatusOK, want != nil, request, status, body)
		must.EqualSlices(t, x, want, request, status, body)
	}
}

// TestSlideReadAgain hides the bands of the first patch of a slide whose decoded pixels exceed the
// memory for them, so that the file is read while the question is answered. It is still there
// afterwards.
func TestSlideReadAgain(t *testing.T) {
	const side, tiles = 256, 17 // 72 MB of pixels
	le := binary.LittleEndian
	file := append([]byte("II*\x00\x08\x00\x00\x00"), 10, 0)
	data := uint32(8 + 2 + 10*12 + 4)
	lengths := data + 4*tiles*tiles
	for _, tag := range [][3]uint32{{256, 1, side * tiles}, {257, 1, side * tiles}, {258, 1, 8},
		{259, 1, 1}, {262, 1, 1}, {277, 1, 1}, {322, 1, side}, {323, 1, side},
		{324, tiles * tiles, data}, {325, tiles * tiles, lengths}} {
		file = le.AppendUint16(le.AppendUint16(file, uint16(tag[0])), 4)
		file = le.AppendUint32(le.AppendUint32(file, tag[1]), tag[2])
	}
	file = append(file, 0, 0, 0, 0)
	// All tiles are one.
	for _, value := range []uint32{lengths + 4*tiles*tiles, side * side} {
		for range tiles * tiles {
			file = le.AppendUint32(file, value)
		}
	}
	file = append(file, bytes.Repeat([]byte{0, 90}, side*side/2)...)
	places := []byte("x,y,width,height\n")
	for i := range tiles * tiles {
		places = fmt.Appendf(places, "%d,%d,%d,%d\n", i%tiles*side, i/tiles*side, side, side)
	}
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "a.tif"), file, 0o600))
	must.Do(t, os.WriteFile(filepath.Join(folder, "places.csv"), places, 0o600))
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	_, url := serve(t, Options{Models: slideModelsOf(t, side), Bags: root})
	status, _, body := post(t, url+"/v1/inside", "", part{name: "model", data: []byte("head")},
		part{name: "bag", data: []byte("a.tif")}, part{name: "request", data: []byte(
			`{"groups": "bands", "instance": 1, "mpp": 0, "places": "places.csv"}`)})
	must.Equal(t, status, http.StatusOK, string(body))
	must.Get(root.Stat("a.tif"))(t)
}
