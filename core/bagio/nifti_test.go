package bagio

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// TestNIfTISeries reads volumes that dcm2niix made of DICOM series: their bags are those of the
// series, in pixels, shapes and the order that notes state.
func TestNIfTISeries(t *testing.T) {
	for _, name := range []string{"axial", "coronal", "sagittal", "oblique"} {
		t.Run(name, func(t *testing.T) {
			series := must.Get(Read("s.zip", testdata(t, "nifti/"+name+".zip"), Options{}))(t)
			volume := must.Get(Read("v.nii", testdata(t, "nifti/"+name+".nii"), Options{}))(t)
			want, got := must.Get(series.Bag(0))(t), must.Get(volume.Bag(0))(t)
			must.EqualSlices(t, got.Shape, want.Shape, got.Values, want.Values)
			must.EqualSlices(t, got.Values, want.Values, got.Shape, want.Shape)
			order := strings.TrimSuffix(series.Notes()[0], ".")
			must.Equal(t, strings.HasPrefix(volume.Notes()[0], order), true, order)
		})
	}
}

// TestNIfTIOfNibabel reads nibabel's test files as nibabel does.
func TestNIfTIOfNibabel(t *testing.T) {
	wheel := testfile.Fetched(t, testfile.NIfTITests)
	r := must.Get(zip.NewReader(bytes.NewReader(wheel), int64(len(wheel))))(t)
	var want map[string]struct {
		Refused bool
		Shape   []int
		Volumes int
		Hash    string
	}
	must.Do(t, json.Unmarshal(testdata(t, "nifti/nibabel.json"), &want))
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			in := must.Get(r.Open("nibabel/tests/data/" + name))(t)
			data := must.Get(io.ReadAll(in))(t)
			if w.Refused {
				set, err := Read(name, data, Options{})
				if err == nil {
					_, err = set.Bag(0)
				}
				typed(t, err)
				return
			}
			o := Options{}
			if w.Volumes > 1 {
				_, err := Read(name, data, o)
				if q, ok := err.(*QuestionError); !ok || q.Option != "series" {
					t.Fatalf("%v, want a question", err)
				}
				o.Series = "2"
			}
			b := must.Get(must.Get(Read(name, data, o))(t).Bag(0))(t)
			must.EqualSlices(t, append([]int{b.Len()}, b.Shape[1:]...), w.Shape)
			hash := sha256.New()
			must.Do(t, binary.Write(hash, binary.LittleEndian, b.Values))
			must.Equal(t, hex.EncodeToString(hash.Sum(nil))[:16], w.Hash)
		})
	}
}

// A niftiFile makes a NIfTI file of either version and byte order.
type niftiFile struct {
	order        binary.ByteOrder
	version      int
	dims         []int64
	dtype        int
	slope, inter float64
	cal          []float64 // cal_max and cal_min, or none
	srow         []float64
	voxels       []byte
}

func (n niftiFile) file() []byte {
	v := niftiVersions[n.version-1]
	h := make([]byte, v.header)
	whole := func(at, size int, x int64) {
		var b [8]byte
		n.order.PutUint64(b[:], uint64(x))
		if n.order == binary.ByteOrder(binary.BigEndian) {
			copy(h[at:], b[8-size:])
			return
		}
		copy(h[at:], b[:size])
	}
	float := func(at int, x float64) {
		var b bytes.Buffer
		if v.floatSize == 4 {
			binary.Write(&b, n.order, float32(x))
		} else {
			binary.Write(&b, n.order, x)
		}
		copy(h[at:], b.Bytes())
	}
	whole(0, 4, int64(v.header))
	copy(h[v.magicAt:], v.magic)
	whole(v.dims, v.dimSize, int64(len(n.dims)))
	for i, d := range n.dims {
		whole(v.dims+(i+1)*v.dimSize, v.dimSize, d)
	}
	whole(v.dtype, 2, int64(n.dtype))
	if n.version == 1 {
		float(v.offset, float64(v.header))
	} else {
		whole(v.offset, 8, int64(v.header))
	}
	float(v.slope, n.slope)
	float(v.slope+v.floatSize, n.inter)
	for i, x := range n.cal {
		float(v.cal+i*v.floatSize, x)
	}
	if n.srow != nil {
		whole(v.qform+v.formSize, v.formSize, 1)
	}
	for i, x := range n.srow {
		float(v.rows+i*v.floatSize, x)
	}
	return append(h, n.voxels...)
}

// counted is a volume of 3 x 2 x 2 bytes: 0, 1, 2, ...
func counted() niftiFile {
	return niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{3, 2, 2}, dtype: 2,
		voxels: []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
}

// TestNIfTI reads volumes of both versions and byte orders, of colours, scaled, and turned.
func TestNIfTI(t *testing.T) {
	stored := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for name, c := range map[string]struct {
		change func(*niftiFile)
		shape  []int
		want   []float32
		raw    bool
		note   string
	}{
		"no directions": {func(*niftiFile) {}, []int{1, 2, 3}, stored, true, "does not state how"},
		"big-endian": {func(n *niftiFile) {
			n.order, n.dtype, n.version = binary.BigEndian, 512, 2
			n.voxels = make([]byte, 24)
			for i := range 12 {
				n.voxels[2*i+1] = byte(i)
			}
		}, []int{1, 2, 3}, stored, false, "does not state how"},
		"scaled": {func(n *niftiFile) { n.slope, n.inter = 2, -1 }, []int{1, 2, 3},
			[]float32{-1, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21}, false, "2 times"},
		"scaled by 1": {func(n *niftiFile) { n.slope = 1 }, []int{1, 2, 3}, stored, true, ""},
		"RAS": {func(n *niftiFile) { n.srow = []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0} },
			[]int{1, 2, 3}, []float32{5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6}, true,
			"from feet to head, 4 mm apart, rows from front to back and columns from right to " +
				"left."},
		// The first axis is from head to feet, the second to the left, the third to the front.
		"coronal and turned": {func(n *niftiFile) {
			n.srow = []float64{0, -1, 0, 0, 0, 0, 4, 0, -1, 0, 0, 0}
		}, []int{1, 3, 2}, []float32{6, 9, 7, 10, 8, 11, 0, 3, 1, 4, 2, 5}, true,
			"from front to back, 4 mm"},
		"colours": {func(n *niftiFile) {
			n.dims, n.dtype = []int64{2, 1, 2}, 128
		}, []int{3, 1, 2}, []float32{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := counted()
			c.change(&n)
			set := must.Get(Read("v.nii", n.file(), Options{}))(t)
			b := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, b.Shape, c.shape, b.Values, b.Raw, c.want)
			must.EqualSlices(t, b.Values, c.want, b.Shape, b.Raw, c.shape)
			must.Equal(t, b.Raw, c.raw, b.Shape, b.Values, c.shape, c.want)
			must.Contain(t, strings.Join(set.Notes(), "\n"), c.note)
		})
	}
}

// TestNIfTIRefused refuses volumes that cannot be read right.
func TestNIfTIRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*niftiFile)
		want   string
	}{
		"complex":      {func(n *niftiFile) { n.dtype = 32 }, "complex numbers"},
		"four colours": {func(n *niftiFile) { n.dtype = 2304 }, "NIfTI type 2304"},
		"cut":          {func(n *niftiFile) { n.voxels = n.voxels[:11] }, "11 bytes follow"},
		"many axes":    {func(n *niftiFile) { n.dims = make([]int64, 8) }, "8 dimensions"},
		"no voxels":    {func(n *niftiFile) { n.dims[1] = 0 }, "axis 2 of its voxels has 0"},
		"huge":         {func(n *niftiFile) { n.dims = []int64{30000, 30000, 30000} }, "too large"},
		"vectors":      {func(n *niftiFile) { n.dims = []int64{1, 1, 2, 1, 6} }, "vector or"},
		"one slice":    {func(n *niftiFile) { n.dims = []int64{3, 4} }, "one slice"},
		"not finite":   {func(n *niftiFile) { n.slope, n.inter = 2, math.Inf(1) }, "not finite"},
		"two volumes":  {func(n *niftiFile) { n.dims = []int64{3, 2, 1, 2} }, "it holds 2 volumes"},
	} {
		t.Run(name, func(t *testing.T) {
			n := counted()
			c.change(&n)
			_, err := Read("v.nii", n.file(), Options{})
			wantSaid(t, err, c.want)
		})
	}
	_, err := Read("v.nii", counted().file(), Options{Series: "3"})
	wantSaid(t, err, "no volume 3")
	_, err = Read("v.nii", counted().file(), Options{InstanceShape: []int{2, 0, 0}})
	must.Fail(t, err)
}

// TestNIfTIFirstWindow: cal_min and cal_max are the window that pictures show first, of scaled
// values, unless the values are pixels; values stay as they are.
func TestNIfTIFirstWindow(t *testing.T) {
	for name, c := range map[string]struct {
		cal           []float64
		dtype         int
		slope         float64
		window        string
		centre, width float64
	}{
		"stated":     {[]float64{300, -100}, 4, 0, "", 100, 400},
		"scaled":     {[]float64{300, -100}, 2, 2, "", 100, 400},
		"none":       {[]float64{0, 0}, 4, 0, "", 0, 0},
		"backwards":  {[]float64{-100, 300}, 4, 0, "", 0, 0},
		"not finite": {[]float64{math.Inf(1), 0}, 4, 0, "", 0, 0},
		"NaN":        {[]float64{1, math.NaN()}, 4, 0, "", 0, 0},
		"overridden": {[]float64{300, -100}, 4, 0, "40,400", 100, 400},
	} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(name, " ", version), func(t *testing.T) {
				n := counted()
				n.cal, n.dtype, n.slope, n.version = c.cal, c.dtype, c.slope, version
				n.voxels = slices.Repeat(n.voxels, 2)
				n.srow = []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0}
				set := must.Get(Read("v.nii", n.file(), Options{Window: c.window}))(t)
				b := must.Get(set.Bag(0))(t)
				must.Equal(t, b.Slices[1].Window.Centre, c.centre)
				must.Equal(t, b.Slices[1].Window.Width, c.width)
				must.Equal(t, b.Raw, c.window != "")
				said := strings.Contains(strings.Join(set.Notes(), " "), "window 100,400 first")
				must.Equal(t, said, c.width > 0 && !b.Raw)
			})
		}
	}
}

// TestNIfTISliceAxes reads slices along axes of the file and of the patient.
func TestNIfTISliceAxes(t *testing.T) {
	book := advice.Of(t)
	n := counted()
	n.srow = []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0}
	unplaced := counted().file()
	for _, c := range []struct {
		axes  string
		shape []int
		want  []float32
	}{
		{"SPL", []int{2, 1, 2, 3}, []float32{5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6}},
		{"kji", []int{2, 1, 2, 3}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"kij", []int{2, 1, 3, 2}, []float32{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}},
		{"SRA", []int{2, 1, 3, 2}, []float32{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}},
		{"ikj", []int{3, 1, 2, 2}, []float32{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}},
		{"LSP", []int{3, 1, 2, 2}, []float32{5, 2, 11, 8, 4, 1, 10, 7, 3, 0, 9, 6}},
	} {
		t.Run(c.axes, func(t *testing.T) {
			set := must.Get(Read("v.nii", n.file(), Options{SliceAxes: c.axes}))(t)
			b := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, append([]int{b.Len()}, b.Shape...), c.shape, b.Values, c.want)
			must.EqualSlices(t, b.Values, c.want, c.shape)
		})
	}
	for axes, want := range map[string]string{"ijj": "three letters", "SPI": "three letters",
		"SP": "three letters", "spl": "three letters"} {
		_, err := Read("v.nii", unplaced, Options{SliceAxes: axes})
		wantSaid(t, err, want)
	}
	card := Options{UsualSliceAxes: must.Get(core.ParseSliceAxes("kij"))(t)}
	must.EqualSlices(t, must.Get(Read("v.nii", unplaced, card))(t).shape, []int{1, 3, 2})
	must.Get(Read("b.npy", testdata(t, "bag.npy"), card))(t)
	_, err := Read("v.nii", unplaced, Options{SliceAxes: "SPL"})
	book.Read(t, err.Error(), "such as kji")
	must.Get(Read("v.nii", unplaced, Options{SliceAxes: "kji"}))(t)
	_, err = Read("b.npy", testdata(t, "bag.npy"), Options{SliceAxes: "kij"})
	book.Read(t, err.Error(), "omit slice-axes")
	must.Get(Read("b.npy", testdata(t, "bag.npy"), Options{}))(t)
}

// TestNIfTIWindow maps voxels to pixels, under one window and under one for each channel.
func TestNIfTIWindow(t *testing.T) {
	n := counted()
	n.slope, n.inter = 100, -200 // -200 to 900
	for window, want := range map[string][]float32{
		"40,400":          {0, 38, 102, 166, 230, 255, 255},
		"40,400; 0,51000": {0, 38, 102, 166, 230, 255, 127, 127, 128, 128, 129, 129},
	} {
		o := Options{Window: window, InstanceShape: []int{strings.Count(window, ",") % 3, 0, 0}}
		set := must.Get(Read("v.nii", n.file(), o))(t)
		b := must.Get(set.Bag(0))(t)
		if !b.Raw || !slices.Equal(b.Values[:len(want)], want) ||
			!strings.Contains(strings.Join(set.Notes(), "\n"), "under the window "+window) {
			t.Errorf("%s: %v, raw %v, %v; want %v", window, b.Values, b.Raw, set.Notes(), want)
		}
	}
	card := Options{UsualWindow: core.Windows{{Center: 40, Width: 400}}}
	must.Equal(t, must.Get(must.Get(Read("v.nii", n.file(), card))(t).Bag(0))(t).Raw, true,
		"the window of the card is not used")
	bytes := must.Get(must.Get(Read("v.nii", counted().file(), card))(t).Bag(0))(t)
	must.Equal(t, bytes.Values[11], 11, bytes.Values)
	_, err := Read("v.nii", counted().file(), Options{Window: "40,400"})
	wantSaid(t, err, "omit window")
	_, err = Read("v.nii", n.file(), Options{Window: "1,1; 1,1", InstanceShape: []int{3, 2, 3}})
	wantSaid(t, err, "one for each")
	must.Get(Read("v.nii", n.file(), Options{Window: "1,1", InstanceShape: []int{3, 2, 3}}))(t)
	n.dtype, n.voxels = 16, slices.Repeat([]byte{0xff}, 48)
	_, err = Read("v.nii", n.file(), card)
	wantSaid(t, err, "slice 0, counted from 0, is NaN")
}

// wantSaid checks that an error is one of this package and says something.
func wantSaid(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || typed(t, err) == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%v, want %q", err, part)
	}
}

// TestNIfTIChannels repeats grey voxels in the channels that the model takes.
func TestNIfTIChannels(t *testing.T) {
	b := must.Get(must.Get(Read("v.nii", counted().file(),
		Options{InstanceShape: []int{3, 0, 0}}))(t).Bag(0))(t)
	must.EqualSlices(t, b.Instance(0),
		[]float32{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5})
}

func FuzzNIfTI(f *testing.F) {
	f.Add(counted().file())
	for _, name := range []string{"axial", "oblique"} {
		f.Add(testdata(f, "nifti/"+name+".nii"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "v.nii", data, Options{Limits: small, Series: "1"})
		examine(t, "v.nii", data, Options{Limits: small, Series: "1", Spacing: "0.7,1.5",
			Neighbours: 1})
	})
}
