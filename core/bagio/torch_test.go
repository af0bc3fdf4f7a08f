package bagio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// readTorch reads bag 0 of a file of testdata/torch.
func readTorch(t *testing.T, name string, o Options) (*Set, error) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata/torch", name)))(t)
	return Read(name, data, o)
}

// TestTorchFiles checks the features that make.py wrote, in all data types and both file forms.
func TestTorchFiles(t *testing.T) {
	for _, c := range []struct {
		file   string
		o      Options
		places bool
	}{
		{file: "f64.pt"}, {file: "f32.pt"}, {file: "f16.pt"}, {file: "bf16.pt"},
		{file: "i64.pt"}, {file: "i32.pt"}, {file: "i16.pt"}, {file: "i8.pt"},
		{file: "legacy_f64.pt"}, {file: "legacy_f32.pt"}, {file: "legacy_f16.pt"},
		{file: "legacy_bf16.pt"}, {file: "legacy_i64.pt"}, {file: "legacy_i32.pt"},
		{file: "legacy_i16.pt"}, {file: "legacy_i8.pt"},
		{file: "strided.pt"}, {file: "legacy_strided.pt"},
		{file: "rows.pt"}, {file: "legacy_rows.pt"},
		{file: "dict.pt", places: true}, {file: "legacy_dict.pt", places: true},
		{file: "batch.pt", places: true},
		{file: "protocol1.pt"}, {file: "legacy_protocol1.pt"}, {file: "legacy_protocol3.pt"},
		{file: "legacy_protocol4.pt"}, {file: "legacy_protocol5.pt"},
		{file: "plain.pt"}, {file: "tagged.pt"}, {file: "legacy_tagged.pt"},
		{file: "legacy_parameter.pt"},
		{file: "list.pt"}, {file: "ordered.pt"}, {file: "parameter.pt"}, {file: "shared.pt"},
		{file: "nested.pt", o: Options{Array: "slide/uni/features"}},
		{file: "two.pt", o: Options{Array: "b"}},
		{file: "bf16.safetensors"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must.Get(readTorch(t, c.file, c.o))(t)
			b := must.Get(s.Bag(0))(t)
			if s.Len() != 1 || b.Len() != 5 || b.Stride() != 4 {
				t.Fatalf("%d bags, bag 0 of %d instances of %v", s.Len(), b.Len(), b.Shape)
			}
			for i := range 5 {
				for j, v := range b.Instance(i) {
					if want := float32((7*i + 3*j) % 100); v != want {
						t.Errorf("value %d of instance %d is %v, want %v", j, i, v, want)
					}
				}
			}
			must.Equal(t, b.Boxes != nil, c.places, b.Boxes)
			if c.places && b.Boxes[1] != image.Rect(256, 256, 512, 512) {
				t.Errorf("instance 1 is at %v", b.Boxes[1])
			}
		})
	}
}

func TestTorchExpandedTensor(t *testing.T) {
	s := must.Get(readTorch(t, "expanded.pt", Options{}))(t)
	b := must.Get(s.Bag(0))(t)
	must.Equal(t, b.Len(), 5, b.Instance(4))
	must.Equal(t, b.Instance(4)[3], 9, b.Len(), b.Instance(4))
}

// TestSafetensorsPlaces checks that a lower level's patches are as large as their downsampling
// says.
func TestSafetensorsPlaces(t *testing.T) {
	s := must.Get(readTorch(t, "clam.safetensors", Options{}))(t)
	b := must.Get(s.Bag(0))(t)
	must.Equal(t, b.Boxes[1], image.Rect(256, 256, 1280, 1280))
	if b.Slide == nil || b.Slide.MPP != .25 || b.Slide.PatchSize != 1024 {
		t.Errorf("the slide is %+v", b.Slide)
	}
}

func TestTorchRefusals(t *testing.T) {
	for file, want := range map[string]string{
		"nested.pt":  "2 of its arrays are called features",
		"two.pt":     "several of its arrays could be the features",
		"numpy.pt":   "numpy.core.multiarray._reconstruct, which bagscope does not run",
		"module.pt":  "torch.nn.modules.linear.Linear, which bagscope does not run",
		"sparse.pt":  "torch._utils._rebuild_sparse_tensor, which bagscope does not run",
		"complex.pt": "data type ComplexFloatStorage is not supported",
		"script.pt":  "it is a TorchScript program",
		"negated.pt": "it is a negated or conjugated view",
		"none.pt":    "it has no instances",
	} {
		t.Run(file, func(t *testing.T) {
			s, err := readTorch(t, file, Options{})
			if err == nil {
				_, err = s.Bag(0)
			}
			must.Equal(t, err != nil, true, err, want)
			must.Contain(t, err.Error(), want)
		})
	}
	_, err := readTorch(t, "dict.pt", Options{Array: "missing"})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "features (5, 4)")
}

// TestWeightsAreNoBag checks that the weights of a model are named, and that one array of them is
// still a bag if it is chosen.
func TestWeightsAreNoBag(t *testing.T) {
	header := `{"fc.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},` +
		`"fc.bias":{"dtype":"F32","shape":[2],"data_offsets":[24,32]}}`
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file = append(append(file, header...), make([]byte, 32)...)
	_, err := Read("model.safetensors", file, Options{})
	wantError(t, err, "model.safetensors: its arrays are called as the weights of a model are (it "+
		"holds fc.weight (2, 3), fc.bias (2,)); models are opened from ONNX files, which "+
		"bagscope.export or torch.onnx.export write in Python; "+
		"for features, choose the array by its name")
	s := must.Get(Read("model.safetensors", file, Options{Array: "fc.weight"}))(t)
	must.Equal(t, s.Len(), 1)
}

// TestTorchStorageBehindEnd checks an empty storage whose header says that it begins behind the end
// of the file.
func TestTorchStorageBehindEnd(t *testing.T) {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	program := "\x80\x02" + strings.Replace(oneTensor, "J\x00\x00\x00\x10", "K\x01", 1)
	for name, data := range map[string]string{"a/data.pkl": program, "a/data/0": ""} {
		m := must.Get(w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))(t)
		m.Write([]byte(data))
	}
	w.Close()
	// A local header has 30 bytes; the last two are the length of the field behind the name.
	name := bytes.Index(file.Bytes(), []byte("a/data/0"))
	binary.LittleEndian.PutUint16(file.Bytes()[name-2:], 0xffff)
	must.Fail(t, must.Err(Read("x.pt", file.Bytes(), Options{})))
}

// TestTorchLegacyType checks a legacy file whose storage has no data type, and so no size.
func TestTorchLegacyType(t *testing.T) {
	data := testdata(t, "torch/legacy_f32.pt")
	data = bytes.Replace(data, []byte("ctorch\nFloatStorage\n"),
		[]byte("X\x0f\x00\x00\x00torch.no.number"), 1)
	_, err := Read("x.pt", data, Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "data type without a name is not supported")
}

// TestTorchModule checks that an object of a class that a file refers to with its source, as legacy
// files do, is refused by its name.
func TestTorchModule(t *testing.T) {
	file := torchArchive(t, "\x80\x02(X\x06\x00\x00\x00modulecpackage\nModel\nNNtQ)\x81}b.")
	_, err := Read("x.pt", file, Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "package.Model, which bagscope does not run")
}

// TestArrayOfOtherFormats checks the choice in an .npz file, and the refusals of a missing array
// and of a format that does not name arrays.
func TestArrayOfOtherFormats(t *testing.T) {
	two := npz(t, floats("a", 4, 2, 2), floats("b", 3, 1, 3))
	s := must.Get(Read("two.npz", two, Options{Array: "b"}))(t)
	if b, err := s.Bag(0); err != nil || b.Len() != 1 || b.Stride() != 3 {
		t.Errorf("the bag is %v, %v", b, err)
	}
	for file, data := range map[string][]byte{"two.npz": two, "a.csv": []byte("bag,f1\n0,1\n")} {
		_, err := Read(file, data, Options{Array: "c"})
		must.Equal(t, err != nil, true, file, err)
		must.Equal(t, strings.Contains(err.Error(), `array "c"`), true, file, err)
	}
}

// TestArraysToChoose checks that an error about a choice offers the arrays that can be chosen, and
// that each of them opens the file.
func TestArraysToChoose(t *testing.T) {
	for _, c := range []struct {
		file, array string
		count       int
	}{{"nested.pt", "", 3}, {"two.pt", "", 3}, {"two.pt", "nothing", 3}, {"module.pt", "", 0}} {
		_, err := readTorch(t, c.file, Options{Array: c.array})
		var e *FormatError
		if !errors.As(err, &e) || len(e.Arrays) != c.count {
			t.Errorf("%s: %v offers %v, want %d", c.file, err, e, c.count)
			continue
		}
		for _, a := range e.Arrays {
			if _, err := readTorch(t, c.file, Options{Array: a.Name}); err != nil {
				t.Errorf("%s: the choice %s: %v", c.file, a, err)
			}
		}
	}
	n := &namedArrays{file: "a.h5"}
	for range 2 * mostChoices {
		n.arrays = append(n.arrays, namedArray{name: "a", shape: []int{2, 3}},
			namedArray{name: "b\nc", shape: []int{2, 3}}, namedArray{name: "coords",
				shape: []int{2, 2}})
	}
	e := n.choose("choose")
	must.Equal(t, len(e.Arrays), mostChoices, e.Arrays[1])
	must.Equal(t, e.Arrays[1].String(), "a (2, 3)", len(e.Arrays), e.Arrays[1])
}

// TestSafetensorsRefusals has headers whose entries do not describe the four bytes behind them.
func TestSafetensorsRefusals(t *testing.T) {
	entry := func(kind, shape, span string) string {
		return `"x":{"dtype":"` + kind + `","shape":` + shape + `,"data_offsets":` + span + `}`
	}
	sound := entry("F32", "[1,1]", "[0,4]")
	const outside = "a.safetensors/x: its data_offsets do not lie in the file"
	for name, c := range map[string]struct{ header, want string }{
		"twice": {sound + "," + sound, `a.safetensors, byte 8: its header names "x" twice`},
		"before a sound one": {`"a":{},` + sound,
			"a.safetensors/a: its shape: it is missing"},
		"behind the end": {entry("F32", "[1,1]", "[4,8]"), outside},
		"backwards":      {entry("F32", "[1,1]", "[4,0]"), outside},
		"one offset":     {entry("F32", "[1,1]", "[0]"), outside},
		"too few": {entry("F32", "[1,2]", "[0,4]"),
			"a.safetensors/x: shape (1, 2) of F32 needs 8 bytes, and it has 4"},
		"too many": {entry("F16", "[1,1]", "[0,4]"),
			"a.safetensors/x: shape (1, 1) of F16 needs 2 bytes, and it has 4"},
		"negative": {entry("F32", "[-1,1]", "[0,4]"),
			"a.safetensors/x: its shape: -1 is not a length"},
		"unknown type": {entry("F8", "[1,4]", "[0,4]"),
			`a.safetensors/x: its data type "F8" is not supported`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("a.safetensors", jsonOf("{"+c.header+"}"), Options{})
			wantError(t, err, c.want)
		})
	}
	s := must.Get(Read("a.safetensors", jsonOf("{"+sound+"}"), Options{}))(t)
	must.Equal(t, must.Get(s.Bag(0))(t).Values[0], 1)
}
