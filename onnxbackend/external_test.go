package onnxbackend_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// external is attentionModel with its weights in m.onnx.data, one after another as PyTorch lays
// them, behind 64 bytes of something else.
func external() ot.Model {
	m := enginetest.AttentionModel()
	at := 64
	for i := range m.Initializers[:4] {
		w := &m.Initializers[i]
		n := 4 * len(w.Floats)
		w.Floats, w.File = nil, "m.onnx.data"
		w.Place = map[string]string{"offset": strconv.Itoa(at), "length": strconv.Itoa(n),
			"checksum": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}
		at += n
	}
	return m
}

// externalFloats is m.onnx.data.
func externalFloats() []byte {
	data := bytes.Repeat([]byte{0xff}, 64)
	for _, w := range enginetest.AttentionModel().Initializers[:4] {
		data, _ = binary.Append(data, binary.LittleEndian, w.Floats)
	}
	return data
}

// TestExternalData opens the same model from one file, from memory, from a folder and without what
// may be left out.
func TestExternalData(t *testing.T) {
	bag := enginetest.SmallBag(5, 2)
	want := must.Get(mustOpen(t, enginetest.AttentionModel().Bytes(),
		Options{}).Predict(t.Context(), bag))(t)
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "m.onnx.data"), externalFloats(), 0o600))
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	bare := external()
	for i := range bare.Initializers[:4] {
		delete(bare.Initializers[i].Place, "length")
		delete(bare.Initializers[i].Place, "checksum")
		bare.Initializers[i].File = "./m.onnx.data"
	}
	memory := ExternalFiles(map[string][]byte{"m.onnx.data": externalFloats(), "another": nil})
	for name, c := range map[string]struct {
		model ot.Model
		files ExternalData
	}{
		"memory": {external(), memory},
		"folder": {external(), ExternalFS(root.FS())},
		"bare":   {bare, memory},
	} {
		t.Run(name, func(t *testing.T) {
			m := mustOpen(t, c.model.Bytes(), Options{External: c.files})
			got := must.Get(m.Predict(t.Context(), bag))(t)
			must.EqualSlices(t, got.Scores, want.Scores, name)
			must.Equal(t,
				strings.Contains(strings.Join(m.Info().Notes, " "), "m.onnx.data beside the model"),
				true, name)
		})
	}
}

func mustOpen(t *testing.T, data []byte, o Options) *Model {
	t.Helper()
	return must.Get(Open(data, o))(t)
}

// TestExternalTypes reads elements of less than four bytes, and a tensor inside of a node.
func TestExternalTypes(t *testing.T) {
	m := enginetest.PassModel([]ot.Node{
		ot.N("Constant", nil, []string{"c"}, ot.Dense("value",
			ot.Tensor{Type: ot.Float16, Dims: []int{2}, File: "f",
				Place: map[string]string{"offset": "1"}})),
		ot.N("Constant", nil, []string{"q"}, ot.Dense("value",
			ot.Tensor{Type: 22, Dims: []int{2}, File: "f",
				Place: map[string]string{"offset": "5", "length": "1"}})),
		ot.N("Cast", []string{"c"}, []string{"c32"}, ot.Int("to", ot.Float32)),
		ot.N("Cast", []string{"q"}, []string{"q32"}, ot.Int("to", ot.Float32)),
		ot.N("ReduceMean", []string{"bag"}, []string{"p"}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0)),
		enginetest.Binary("Mul", "p", "zero", "z"), enginetest.Binary("Add", "z", "c32", "a"),
		enginetest.Binary("Add", "a", "q32", "y"),
	})
	m.Opset = 17
	m.Initializers = append(m.Initializers, ot.F("zero", []float32{0}, 1))
	m.Inputs, m.Outputs = []ot.Value{ot.In("bag", "k", 2)}, []ot.Value{ot.In("y", 2)}
	data := []byte{0x99, 0x00, 0xbc, 0x00, 0x40, 0x2f} // float16 -1 and 2, int4 -1 and 2
	p := must.Get(mustOpen(t, m.Bytes(),
		Options{External: ExternalFiles(map[string][]byte{"f": data})}).Predict(t.Context(),
		enginetest.SmallBag(3, 2)))(t)
	must.EqualSlices(t, p.Outputs[0].Data, []float64{-2, 4})
}

// TestExternalMissing lists every file that is not there, once.
func TestExternalMissing(t *testing.T) {
	m := external()
	m.Initializers[0].File, m.Initializers[1].File = "sub/w 1", "b"
	for _, files := range []ExternalData{nil,
		ExternalFiles(map[string][]byte{"b": make([]byte, 1000)}),
		ExternalFS(fstest.MapFS{"b": {Data: make([]byte, 1000)}})} {
		want := []string{"sub/w 1", "m.onnx.data"}
		if files == nil {
			want = slices.Insert(want, 1, "b")
		}
		var missing *MissingError
		must.As(t, must.Err(Open(m.Bytes(), Options{External: files})), &missing)
		must.EqualSlices(t, missing.Files, want)
	}
	for i := range 1000 {
		w := ot.F("x"+strconv.Itoa(i), nil, 1)
		w.File = w.Name
		m.Initializers = append(m.Initializers, w)
	}
	if _, err := Open(m.Bytes(), Options{}); err == nil || len(err.Error()) > 1000 ||
		!strings.Contains(err.Error(), "more") {
		t.Errorf("error %v", err)
	}
}

// TestHostileExternalData refuses places that no tensor can have, before a byte is read.
func TestHostileExternalData(t *testing.T) {
	var format *FormatError
	var limit *LimitError
	for _, c := range []struct {
		name   string
		change func(w *ot.Tensor)
		kind   any
		want   string
	}{
		{"parent", func(w *ot.Tensor) { w.File = "../m.onnx.data" }, &format, "model's folder"},
		{"parent inside", func(w *ot.Tensor) { w.File = "a/../m.onnx.data" }, &format,
			"model's folder"},
		{"absolute", func(w *ot.Tensor) { w.File = "/etc/passwd" }, &format, "model's folder"},
		{"backslash", func(w *ot.Tensor) { w.File = `..\m.onnx.data` }, &format, "model's folder"},
		{"zero byte", func(w *ot.Tensor) { w.File = "m.onnx.data\x00" }, &format, "model's folder"},
		{"the folder", func(w *ot.Tensor) { w.File = "." }, &format, "model's folder"},
		{"no name", func(w *ot.Tensor) { w.File = ""; w.Place["offset"] = "0" }, &format,
			"model's folder"},
		{"negative offset", func(w *ot.Tensor) { w.Place["offset"] = "-4" }, &format, `byte "-4"`},
		{"offset beyond the file", func(w *ot.Tensor) { w.Place["offset"] = "4096" }, &format,
			"cut short"},
		{"last bytes missing", func(w *ot.Tensor) {
			w.Place["offset"] = strconv.Itoa(len(externalFloats()) - 23)
		}, &format, "cut short"},
		{"offset overflows", func(w *ot.Tensor) { w.Place["offset"] = "9223372036854775800" },
			&format, "not a valid offset"},
		{"offset of 30 digits", func(w *ot.Tensor) { w.Place["offset"] = strings.Repeat("9", 30) },
			&format, "not a valid offset"},
		{"offset no number", func(w *ot.Tensor) { w.Place["offset"] = "0x10" }, &format,
			"not a valid offset"},
		{"length too small", func(w *ot.Tensor) { w.Place["length"] = "20" }, &format,
			"needs 24 bytes"},
		{"length too large", func(w *ot.Tensor) { w.Place["length"] = "28" }, &format,
			"needs 24 bytes"},
		{"negative length", func(w *ot.Tensor) { w.Place["length"] = "-24" }, &format,
			"needs 24 bytes"},
		{"length overflows", func(w *ot.Tensor) { w.Place["length"] = "18446744073709551640" },
			&format, "needs 24 bytes"},
		{"two names", func(w *ot.Tensor) { w.Place["location"] = "other" }, &format, "given twice"},
		{"data in the model too", func(w *ot.Tensor) { w.Raw = make([]byte, 24) }, &format,
			"it holds data"},
		{"huge", func(w *ot.Tensor) { w.Dims = []int{1 << 20, 1 << 20}; delete(w.Place, "length") },
			&limit, ""},
		{"huge, just within elements", func(w *ot.Tensor) {
			w.Dims = []int{1 << 19}
			delete(w.Place, "length")
		}, &limit, ""},
		{"impossible", func(w *ot.Tensor) {
			w.Dims = []int{1 << 30, 1 << 30, 1 << 30}
			delete(w.Place, "length")
		}, &format, "cannot exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := external()
			c.change(&m.Initializers[0])
			file := fstest.MapFS{"m.onnx.data": {Data: externalFloats()}}
			for _, files := range []ExternalData{ExternalFS(file),
				ExternalFiles(map[string][]byte{"m.onnx.data": externalFloats()})} {
				_, err := Open(m.Bytes(), Options{External: files,
					Limits: Limits{RunBytes: 1 << 20, Elements: 1 << 20}})
				if err == nil || !errors.As(err, c.kind) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v (%T), want %T with %q", err, err, c.kind, c.want)
				}
			}
		})
	}
}

// TestExternalLinks reads through links within the folder and refuses those out of it, and what is
// no file.
func TestExternalLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	for _, err := range []error{
		os.WriteFile(secret, externalFloats(), 0o600),
		os.WriteFile(filepath.Join(dir, "weights"), externalFloats(), 0o600),
		os.Mkdir(filepath.Join(dir, "folder"), 0o700),
	} {
		must.Do(t, err)
	}
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	link := filepath.Join(dir, "m.onnx.data")
	for _, c := range []struct{ to, want string }{
		{"weights", ""}, {secret, "links out of"}, {"../" + filepath.Base(outside) + "/secret",
			"links out of"}, {"folder", "no regular file"}, {"nowhere", "are missing"},
	} {
		if err := os.Symlink(c.to, link); err != nil {
			t.Skip(err)
		}
		_, err := Open(external().Bytes(), Options{External: ExternalFS(root.FS())})
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("a link to %s: error %v, want %q", c.to, err, c.want)
		}
		must.Do(t, os.Remove(link))
	}
}

// TestExternalAnswers does not believe what a caller's own function returns.
func TestExternalAnswers(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, c := range []struct {
		data []byte
		err  error
	}{{nil, nil}, {make([]byte, 1), nil}, {make([]byte, 100), nil}, {nil, broken}, {nil,
		fs.ErrPermission}} {
		_, err := Open(external().Bytes(), Options{External: func(string, int64, int64) ([]byte,
			error) {
			return c.data, c.err
		}})
		if err == nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%d bytes and %v gave error %v", len(c.data), c.err, err)
		}
	}
}
