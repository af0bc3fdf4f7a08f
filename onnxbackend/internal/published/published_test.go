package published

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/must"
)

// A fact is a published configuration and what the library's own loader makes of it:
// timm.data.resolve_data_config of timm 1.0.31, the image processors of transformers 4.46.3, and by
// arithmetic the steps of torchvision that WSInfer's configurations name.
type fact struct {
	Name       string
	Source     string
	Config     json.RawMessage
	Size       int
	Microns    float64
	Zero, Full []float64 // the inputs of a pixel of 0 and of 255, for each channel or for all
	Classes    []string
	Notes      []string // parts of the notes, one of each
}

// facts returns the published configurations of testdata.
func facts(t testing.TB) []fact {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/published.jsonl"))(t)
	var list []fact
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var f fact
		must.Do(t, json.Unmarshal(lines.Bytes(), &f))
		list = append(list, f)
	}
	must.Equal(t, len(list) >= 30, true, len(list))
	return list
}

// TestPublishedConfigurations compares every card with what the library's loader does.
func TestPublishedConfigurations(t *testing.T) {
	for _, f := range facts(t) {
		t.Run(f.Name, func(t *testing.T) {
			c := must.Get(Read(must.Get(fastjson.ParseBytes(f.Config))(t)))(t)
			must.Equal(t, c != nil, true, "it is not recognised")
			if c.Size != f.Size || !(math.Abs(c.Microns-f.Microns) <= 1e-12) {
				t.Errorf("size %d, microns %v; want %d, %v", c.Size, c.Microns, f.Size, f.Microns)
			}
			must.EqualSlices(t, c.Classes, f.Classes)
			must.Equal(t, len(c.Notes), len(f.Notes), c.Notes, f.Notes)
			for i := range min(len(c.Notes), len(f.Notes)) {
				must.Contain(t, c.Notes[i], f.Notes[i])
			}
			// transformers computes in float32.
			checkInputs(t, c.Preprocess, 0, f.Zero)
			checkInputs(t, c.Preprocess, 255, f.Full)
		})
	}
}

// checkInputs compares what a pixel becomes in each channel.
func checkInputs(t *testing.T, p *Preprocess, pixel float64, want []float64) {
	t.Helper()
	if p == nil || want == nil {
		must.Equal(t, p == nil, true, p, want)
		must.Equal(t, want == nil, true, p, want)
		return
	}
	for c, x := range want {
		mean, std := p.Mean[c%len(p.Mean)], p.Std[c%len(p.Std)]
		must.Equal(t, math.Abs(((pixel*p.Scale-mean)/std)-x) <= 1e-6*max(1, math.Abs(x)), true,
			c, pixel, x)
	}
}

// TestValues compares cards with values computed by hand: size, microns, preprocessing, classes,
// and a part of each note.
func TestValues(t *testing.T) {
	const (
		slide    = `"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":1`
		grey     = `"image_mean":0.5,"image_std":2,"rescale_factor":0.25`
		greyRead = ` 0 {0.25 [0.5] [2]} []`
		power    = `"input_resolutions":[{"units":"power","resolution":20}]`
		monai    = `{"network_data_format":{"inputs":{"image":{"value_range":[-1,254],` +
			`"spatial_shape":%s}},"outputs":{"pred":{"num_channels":%d,"channel_def":{"0":"a"}}}}}`
		monaiRead = ` 0 {1 [1] [1]} `
		scaled    = "{0.00392156862745098 "
	)
	for _, c := range []struct {
		config, want string
		notes        []string
	}{
		{`{` + slide + `}`, `8 1 ` + scaled + `[0] [1]} [a]`, nil},
		{`{` + slide + `,"transform":{"resize_size":4,"mean":[3],"std":[2]}}`,
			`4 2 ` + scaled + `[3] [2]} [a]`, nil},
		{`{` + slide + `,"transform":[{"name":"Resize","arguments":{"size":[16]}},
			{"name":"ToTensor"},{"name":"Normalize"},{"name":"Resize"}]}`,
			`16 0.5 ` + scaled + `[0] [1]} [a]`, nil},
		{`{"class_names":["a"],"patch_size_pixels":8192,"spacing_um_px":1e-6}`, `8192 1e-06 ` +
			scaled + `[0] [1]} [a]`, nil},
		{`{"class_names":["a"],"patch_size_pixels":1,"spacing_um_px":1e6}`, `1 1e+06 ` +
			scaled + `[0] [1]} [a]`, nil},
		{`{"class_names":["a"],"spec_version":"1","feature_extractor":"b"}`, `0 0 nil [a]`, nil},
		{`{"input_size":[3,8,8],"std":[1,2,4]}`, `8 0 ` + scaled +
			`[0.485 0.456 0.406] [1 2 4]} []`, []string{"to 9 pixels", "bicubic"}},
		{`{"input_size":[3,8,8],"mean":0,"crop_pct":2,"interpolation":"bilinear"}`, `8 0 ` +
			scaled + `[0] [0.229 0.224 0.225]} []`, []string{"to 4 pixels"}},
		{`{"label_names":["a"],"labels":["c"],"pretrained_cfg":{"input_size":[3,8,8],"mean":0,
			"std":1,"crop_pct":1,"interpolation":"bilinear","label_names":["b"]}}`,
			`8 0 ` + scaled + `[0] [1]} [a]`, nil},
		{`{` + grey + `,"size":8}`, `8` + greyRead, nil},
		{`{` + grey + `,"size":8,"crop_pct":1,"resample":5}`, `8` + greyRead, []string{"Hamming"}},
		{`{` + grey + `,"size":8,"do_resize":false,"resample":5}`, `0` + greyRead, nil},
		{`{` + grey + `,"size":383,"crop_pct":0.5}`, `383` + greyRead, []string{"to 766 pixels"}},
		{`{` + grey + `,"size":384,"crop_pct":0.5}`, `384` + greyRead, nil},
		{`{` + grey + `,"crop_size":8,"crop_pct":0.5}`, `8` + greyRead, nil},
		{`{` + grey + `,"crop_size":4,"size":{"shortest_edge":8}}`, `4` + greyRead,
			[]string{"to 8 pixels and keeps the middle 4"}},
		{`{` + grey + `,"crop_size":4,"size":8,"do_center_crop":false}`, `8` + greyRead, nil},
		{`{` + grey + `,"do_rescale":false}`, `0 0 {1 [0.5] [2]} []`, nil},
		{`{` + grey + `,"do_normalize":false}`, `0 0 {0.25 [0] [1]} []`, nil},
		{`{` + grey + `,"rescale_offset":true,"include_top":true}`, `0 0 {0.25 [1.5] [4]} []`, nil},
		{`{"image_mean":1}`, `0 0 nil []`, []string{"does not state"}},
		{`{"model_type":"vit","id2label":{"0":"LABEL_0","1":"LABEL_1"}}`, `0 0 nil []`, nil},
		{`{"model_type":"vit","id2label":{"0":"LABEL_0","1":"b"}}`, `0 0 nil [LABEL_0 b]`, nil},
		{fmt.Sprintf(monai, `[8,8]`, 1), `8` + monaiRead + `[a]`, []string{"255 becomes 254"}},
		{fmt.Sprintf(monai, `["16*n",8]`, 2), `0` + monaiRead + `[]`, []string{"0 becomes -1"}},
		{fmt.Sprintf(monai, `[8,"16*n"]`, 0), `0` + monaiRead + `[]`, []string{"-1 to 254"}},
		{fmt.Sprintf(monai, `[8,8,8]`, 1), `0 0 nil [a]`, nil},
		{`{"network_data_format":{"inputs":{"slide":{"spatial_shape":[8,8]}},
			"outputs":{"label":{"channel_def":{"0":"b"}}}}}`, `8 0 nil [b]`, nil},
		{`{"network_data_format":{"inputs":{"slide":{"spatial_shape":[8,8]},"mask":{}}}}`,
			`0 0 nil []`, nil},
		{`{"patch_input_shape":[8],` + power + `}`, `8 0.5 nil []`, []string{"of 20", "the class"}},
		{`{"ioconfig":{"patch_input_shape":8,"input_resolutions":[{"units":"level"}]}}`,
			`8 0 nil []`, []string{`"level"`, "the class"}},
	} {
		got := must.Get(Read(must.Get(fastjson.Parse(c.config))(t)))(t)
		preprocess := "nil"
		if got.Preprocess != nil {
			preprocess = fmt.Sprint(*got.Preprocess)
		}
		must.Equal(t, fmt.Sprint(got.Size, " ", got.Microns, " ", preprocess, " ", got.Classes),
			c.want, c.config)
		must.Equal(t, len(got.Notes), len(c.notes), c.config, got.Notes)
		for i, part := range c.notes {
			must.Contain(t, got.Notes[i], part)
		}
	}
}

// TestOtherObjects reads objects that are no configurations of the five libraries.
func TestOtherObjects(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `1`, `{"classes": ["a"], "patch": {"size": 8}}`,
		`{"name": "a", "version": "1.0", "scripts": {}}`, `{"model_max_length": 512}`,
		`{"pretrained_cfg": 1}`, `{"pretrained_cfg": null, "input_size": 3}`,
		`{"input_size": 224, "mean": 0}`, `{"size": 3}`,
		`{"do_normalize": true, "feature_size": 1, "sampling_rate": 16000}`} {
		c, err := Read(must.Get(fastjson.Parse(text))(t))
		must.Equal(t, c == nil, true, text, c, err)
		must.Do(t, err, text, c)
	}
}

// TestWrongValues reads configurations with a value that is wrong or that no card can state.
func TestWrongValues(t *testing.T) {
	const slide = `"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":1`
	for _, c := range [][2]string{
		{`{"class_names":["a"],"patch_size_pixels":8.5,"spacing_um_px":1}`, "patch_size_pixels"},
		{`{"class_names":["a"],"patch_size_pixels":0,"spacing_um_px":1}`, "patch_size_pixels"},
		{`{"class_names":["a"],"patch_size_pixels":8193,"spacing_um_px":1}`, "patch_size_pixels"},
		{`{"class_names":"a","patch_size_pixels":8,"spacing_um_px":1}`, "class_names"},
		{`{"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":0}`, "spacing_um_px"},
		{`{"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":9e-7}`, "spacing_um_px"},
		{`{"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":1000001}`, "spacing_um_px"},
		{`{"class_names":["a"],"patch_size_pixels":1e9,"spacing_um_px":1}`, "patch_size_pixels"},
		{`{"class_names":[1],"patch_size_pixels":8,"spacing_um_px":1}`, "class_names"},
		{`{` + slide + `,"num_classes":2}`, "class_names"},
		{`{` + slide + `,"transform":{"mean":"sample","std":"sample"}}`, "transform.mean"},
		{`{` + slide + `,"transform":{"mean":[0],"std":[0]}}`, "transform.std"},
		{`{` + slide + `,"transform":{"mean":[0,1],"std":[1,1,1]}}`, "transform.std"},
		{`{` + slide + `,"transform":[{"name":"CenterCrop"}]}`, "transform.name"},
		{`{` + slide + `,"transform":[{"name":"Resize","arguments":{"size":[8,9]}}]}`,
			"transform.arguments.size"},
		{`{"input_size":[3,8],"mean":0}`, "input_size"},
		{`{"input_size":[3,8,9],"mean":0}`, "input_size"},
		{`{"input_size":[3,8,8],"crop_pct":0}`, "crop_pct"},
		{`{"input_size":[3,8,8],"mean":[],"std":1}`, "mean"},
		{`{"image_mean":0,"image_std":1,"do_flip_channel_order":true}`, "do_flip_channel_order"},
		{`{"image_mean":0,"image_std":1,"size":8,"resample":9}`, "resample"},
		{`{"image_mean":0,"image_std":1,"size":{"longest_edge":8}}`, "size"},
		{`{"image_mean":0,"image_std":1,"size":8,"do_resize":"yes"}`, "do_resize"},
		{`{"image_mean":0,"image_std":1,"size":8,"resample":6}`, "resample"},
		{`{"image_mean":0,"image_std":1,"size":8,"resample":-1}`, "resample"},
		{`{"image_mean":0,"image_std":1,"size":8,"resample":0.5}`, "resample"},
		{`{"image_mean":"0","image_std":1}`, "image_mean"},
		{`{"image_mean":NaN,"image_std":1}`, "image_mean"},
		{`{"image_mean":0,"image_std":[1,0]}`, "image_std"},
		{`{"image_mean":0,"image_std":1,"rescale_factor":1e999}`, "rescale_factor"},
		{`{"input_size":[3,8,8],"mean":0,"interpolation":1}`, "interpolation"},
		{`{"id2label":{"1":"a"},"model_type":"vit"}`, "id2label"},
		{`{"id2label":{"0":1},"model_type":"vit"}`, "id2label"},
		{`{"id2label":["a"],"model_type":"vit"}`, "id2label"},
		{`{"network_data_format":{"inputs":{"image":{"spatial_shape":[8,8],
			"value_range":[1,0]}}}}`, "network_data_format.inputs.image.value_range"},
		{`{"network_data_format":{"inputs":{"image":{"spatial_shape":[8,8],
			"value_range":[1,1]}}}}`, "network_data_format.inputs.image.value_range"},
		{`{"network_data_format":{"inputs":3}}`, "network_data_format.inputs"},
		{`{"patch_input_shape":[8,8],"input_resolutions":[]}`, "input_resolutions"},
		{`{"patch_input_shape":[8,8],"input_resolutions":[{"units":1,"resolution":1}]}`,
			"input_resolutions.units"},
		{`{"patch_input_shape":[8,8],"input_resolutions":[{"units":"power","resolution":0}]}`,
			"input_resolutions.resolution"},
	} {
		card, err := Read(must.Get(fastjson.Parse(c[0]))(t))
		wrong, ok := err.(*Error)
		if card != nil || !ok || wrong.Key != c[1] {
			t.Errorf("%s: %+v, %v; want an error of key %s", c[0], card, err, c[1])
		}
	}
}

// TestStatedParts names what a configuration states.
func TestStatedParts(t *testing.T) {
	c := must.Get(Read(must.Get(fastjson.Parse(`{"image_mean":0,"do_normalize":true}`))(t)))(t)
	must.Equal(t, len(c.Stated()), 0, c.Notes)
	must.Equal(t, len(c.Notes), 1, c.Notes)
	c = must.Get(Read(must.Get(fastjson.Parse(
		`{"class_names":["a"],"patch_size_pixels":8,"spacing_um_px":1}`))(t)))(t)
	must.Equal(t, len(c.Stated()), 4)
}

// TestFits compares the pictures of a configuration with those that a model takes.
func TestFits(t *testing.T) {
	c := &Card{Size: 8, Preprocess: &Preprocess{1, []float64{0, 0, 0}, []float64{1}}}
	for _, shape := range [][]int{{3, 8, 8}, {-1, -1, 0}, {3, 8, -1}, {-1, 8, 8}} {
		must.Equal(t, c.Fits(shape), "", shape)
	}
	for _, shape := range [][]int{{1, 8, 8}, {3, 9, 8}, {3, -1, 9}} {
		must.Equal(t, c.Fits(shape) != "", true, shape)
	}
}

// FuzzRead reads damaged configurations: no panic, and finite values within their ranges.
func FuzzRead(f *testing.F) {
	for _, one := range facts(f) {
		f.Add([]byte(one.Config))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := fastjson.ParseBytes(data)
		if err != nil {
			return
		}
		c, err := Read(v)
		if c == nil || err != nil {
			return
		}
		if c.Size < 0 || c.Size > mostSide || !(c.Microns >= 0 && c.Microns < 1e12) {
			t.Fatalf("%+v", c)
		}
		if p := c.Preprocess; p != nil && (slices.Contains(p.Std, 0) || len(p.Mean) == 0) {
			t.Fatalf("%+v", p)
		}
		_, _ = c.Fits([]int{3, 8, 8}), c.Stated()
	})
}
