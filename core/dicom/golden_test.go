package dicom

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// A golden is what pydicom reads of a file, see testdata/golden.py.
type golden struct {
	Refused        bool
	Shape          []int
	Hash           string    // SHA-256 of the samples as float32
	RescaledHash   string    `json:"rescaled_hash"`
	Sample         []float64 // some samples of a JPEG
	RescaledSample []float64 `json:"rescaled_sample"`
	Window         []float64 // brightness 0..1 of the first frame
	Colours        string    // hash of the colours of a palette
}

// pydicomFiles returns pydicom's test files by their names below its folder.
func pydicomFiles(t testing.TB) map[string][]byte {
	wheel := testfile.Fetched(t, testfile.DICOMTests)
	r := must.Get(zip.NewReader(bytes.NewReader(wheel), int64(len(wheel))))(t)
	out := map[string][]byte{}
	for _, f := range r.File {
		if name, ok := strings.CutPrefix(f.Name, "pydicom/data/test_files/"); ok {
			in := must.Get(f.Open())(t)
			out[name] = must.Get(io.ReadAll(in))(t)
			must.Do(t, in.Close())
		}
	}
	return out
}

// TestPydicom reads all test files of pydicom. Pixels are equal where pydicom reads them, but for
// rounding of JPEG, and others are refused by an error of this package.
func TestPydicom(t *testing.T) {
	var want map[string]golden
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/pydicom.json"))(t), &want))
	files := pydicomFiles(t)
	for name, g := range want {
		t.Run(name, func(t *testing.T) {
			data, ok := files[name]
			must.Equal(t, ok, true, "pydicom has no such file")
			frames, err := readAll(name, data)
			if g.Refused {
				refusedByName(t, name, err)
				return
			}
			must.Do(t, err)
			g.compare(t, frames)
		})
	}
}

// readAll decodes all frames of a file.
func readAll(name string, data []byte) ([]*Frame, error) {
	f, err := Open(name, bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		return nil, err
	}
	var out []*Frame
	for i := range f.Frames {
		r, err := f.Frame(i)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// refusedByName fails unless a file is refused with its name and a typed error.
func refusedByName(t *testing.T, name string, err error) {
	t.Helper()
	var format *FormatError
	var unsupported *UnsupportedError
	if !errors.As(err, &format) && !errors.As(err, &unsupported) {
		t.Errorf("%v, want an error of this package", err)
	} else if !strings.HasPrefix(err.Error(), name+": ") {
		t.Error(err)
	}
}

// compare compares frames with what pydicom reads.
func (g golden) compare(t *testing.T, frames []*Frame) {
	t.Helper()
	f := frames[0].file
	shape := []int{f.Height, f.Width}
	if f.format.samples == 3 {
		shape = append(shape, 3)
	}
	if len(frames) > 1 {
		shape = slices.Insert(shape, 0, len(frames))
	}
	must.EqualSlices(t, shape, g.Shape)
	var stored, rescaled []float32
	for _, r := range frames {
		values := make([]float32, r.Len())
		r.Values(values)
		rescaled = append(rescaled, values...)
		for i := range r.Len() {
			stored = append(stored, float32(r.stored(i)))
		}
	}
	sameHash(t, "stored", stored, g.Hash)
	sameHash(t, "rescaled", rescaled, g.RescaledHash)
	// Both decoders are libjpeg's in colours and its rounding, but for the inverse transform.
	near(t, "stored", stored, g.Sample, 3)
	near(t, "rescaled", rescaled, g.RescaledSample, 3)
	if g.Window != nil {
		shown := frames[0].Shown().(*image.Gray)
		var values []float32
		for _, v := range shown.Pix {
			values = append(values, float32(v)/255)
		}
		near(t, "shown", values, g.Window, 1.0/255)
	}
	if g.Colours != "" {
		var values []float32
		shown := frames[0].Shown().(*image.RGBA)
		for i := 0; i < len(shown.Pix); i += 4 {
			for _, v := range shown.Pix[i:][:3] {
				values = append(values, float32(v))
			}
		}
		sameHash(t, "colours", values, g.Colours)
	}
}

// sameHash fails unless the hash of values is the wanted one, which may be "".
func sameHash(t *testing.T, what string, values []float32, want string) {
	t.Helper()
	if want == "" {
		return
	}
	h := sha256.New()
	must.Do(t, binary.Write(h, binary.LittleEndian, values))
	must.Equal(t, hex.EncodeToString(h.Sum(nil))[:16], want, what)
}

// near fails unless values at places of equal distance are the wanted ones, which may be nil.
func near(t *testing.T, what string, values []float32, want []float64, tolerance float64) {
	t.Helper()
	for i, w := range want {
		got := float64(values[i*len(values)/len(want)])
		if !(math.Abs(got-w) <= tolerance) {
			t.Errorf("%s sample %d is %v, want %v", what, i, got, w)
			return
		}
	}
}
