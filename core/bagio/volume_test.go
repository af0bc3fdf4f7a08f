package bagio

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// squares is a volume of 3 slices of 4 x 5 numbers, 2, 0.7 and 0.9 mm apart.
func squares() niftiFile {
	n := niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{5, 4, 3}, dtype: 4,
		srow: []float64{.9, 0, 0, 0, 0, .7, 0, 0, 0, 0, 2, 0}}
	for i := range 60 {
		n.voxels = append(n.voxels, byte(7*i*i%23), 0)
	}
	return n
}

// near reports whether numbers are those that another program printed with five digits.
func near(got, want []float32) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool {
		return math.Abs(float64(a-b)) <= 6e-5*max(1, math.Abs(float64(b)))
	})
}

// TestSampledByOthers compares a volume at a spacing with scipy 1.16's map_coordinates(order=1,
// mode='nearest'), and slices that fit a model with Pillow 12's resize(BILINEAR) of mode F.
func TestSampledByOthers(t *testing.T) {
	for name, c := range map[string]struct {
		spacing string
		shape   []int
		want    []float32
	}{
		"spacing": {"1.1,1.5", nil, []float32{0, 6.5556, 10.333, 19, 11.714, 20.19, 15.667, 13.476,
			11, 21.222, 18.444, 18, 12.75, 5.7222, 5.5, 8.25, 13.536, 15.821, 14.964, 16.44, 17,
			13.639, 14.528, 17.75, 19.5, 10.389, 11.278, 6.8333, 14.286, 12.024, 14.833, 15.595, 17,
			11.556, 16.111, 15.333, 22, 15.333, 18.667, 9, 14.429, 9.6825, 14.937, 13.762, 15, 12,
			19, 13}},
		"smaller": {"fit", []int{1, 2, 3}, []float32{10.7347, 14.0476, 15.551, 14.9796, 18.5714,
			14.8776}},
		"higher": {"fit", []int{1, 6, 2}, []float32{4.77273, 14.7727, 11.75, 14.9091, 18.2273,
			14.8788, 16.2273, 14.2121, 16.7273, 16.0455, 17.7273, 18.0455}},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("v.nii", squares().file(), Options{SliceAxes: "kji",
				Spacing: c.spacing, InstanceShape: c.shape}))(t)
			got := must.Get(set.Bag(0))(t)
			must.Equal(t, near(got.Values[:len(c.want)], c.want), true, got.Shape, got.Values,
				c.want)
		})
	}
}

// slowSample returns the value of a volume (slice, row, column) at a place in numbers along each
// axis, by the eight numbers around it.
func slowSample(v []float32, sides [3]int, at [3]float64) float64 {
	sum := 0.0
	for corner := range 8 {
		weight, place := 1.0, 0
		for axis, side := range sides {
			x := min(at[axis], float64(side-1))
			i := int(x)
			part := x - float64(i)
			if corner>>axis&1 == 1 {
				i, part = min(i+1, side-1), 1-part
			}
			weight *= 1 - part
			place = place*side + i
		}
		sum += weight * float64(v[place])
	}
	return sum
}

// TestSampledTwin compares random volumes at random spacings, cut and filled to the size of a
// model, and their neighbours with a loop over the values.
func TestSampledTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		n := niftiFile{order: binary.LittleEndian, version: 2, dtype: 16}
		var sides, size [3]int
		var apart [3]float64
		for axis := range sides {
			sides[2-axis] = 2 + r.IntN(5)
			n.dims = append(n.dims, int64(sides[2-axis]))
			apart[axis] = float64(1+r.IntN(8)) / 4
		}
		n.srow = []float64{apart[2], 0, 0, 0, 0, apart[1], 0, 0, 0, 0, apart[0], 0}
		values := make([]float32, sides[0]*sides[1]*sides[2])
		for i := range values {
			values[i] = float32(r.NormFloat64())
			n.voxels = binary.LittleEndian.AppendUint32(n.voxels, math.Float32bits(values[i]))
		}
		step := [3]float64{float64(1+r.IntN(8)) / 4, 0.5, 0.5}
		for axis := range size {
			size[axis] = max(1, int(math.Round(float64(sides[axis])*apart[axis]/step[axis])))
		}
		model := [2]int{size[1], size[2]}
		if r.IntN(2) == 0 {
			model = [2]int{1 + r.IntN(9), 1 + r.IntN(9)}
		}
		neighbours := 1 + r.IntN(2)
		shape := []int{2*neighbours + 1, model[0], model[1]}
		set := must.Get(Read("v.nii", n.file(), Options{SliceAxes: "kji", InstanceShape: shape,
			Spacing:    core.Windows{{Center: 0.5, Width: step[0]}}.String(),
			Neighbours: neighbours}))(t)
		got := must.Get(set.Bag(0))(t).Values
		must.Equal(t, len(got), size[0]*shape[0]*shape[1]*shape[2], size)
		// A sample beyond the volume, or nil; begin is the first row or column that stays.
		begin := func(axis int) int {
			if n, m := size[axis], model[axis-1]; n < m {
				return -((m - n) / 2)
			}
			return size[axis]/2 - model[axis-1]/2
		}
		var want []float64
		for s := range size[0] {
			for c := -neighbours; c <= neighbours; c++ {
				for y := range model[0] {
					for x := range model[1] {
						at := [3]int{min(max(s+c, 0), size[0]-1), y + begin(1), x + begin(2)}
						if min(at[1], at[2]) < 0 || at[1] >= size[1] || at[2] >= size[2] {
							want = append(want, math.NaN())
							continue
						}
						var place [3]float64
						for axis := range place {
							place[axis] = float64(at[axis]) * step[axis] / apart[axis]
						}
						v := slowSample(values, sides, place)
						want = append(want, v)
					}
				}
			}
		}
		least := math.Inf(1) // the smallest scale at which slices of the file fit the model's size
		for s := range sides[0] {
			for y := max(0, begin(1)); y < min(size[1], begin(1)+model[0]); y++ {
				for x := max(0, begin(2)); x < min(size[2], begin(2)+model[1]); x++ {
					least = min(least, slowSample(values, sides, [3]float64{float64(s),
						float64(y) * step[1] / apart[1], float64(x) * step[2] / apart[2]}))
				}
			}
		}
		for i, w := range want {
			if math.IsNaN(w) {
				w = least
			}
			if !(math.Abs(w-float64(got[i])) <= 1e-5) {
				t.Fatalf("value %d is %v, want %v (smallest %v): %v at %v to %v, size %v of %v", i,
					got[i], w, least, sides, apart, step, model, size)
			}
		}
	}
}

// spaced is a slice with the distance of its pixels, of one value everywhere.
func spaced(number int, z, apart float64, side int) dicomtest.Picture {
	p := dicomtest.Slice(1, number, z)
	p.Width, p.Height, p.Pixels = side, side, nil
	for range side * side {
		p.Pixels = append(p.Pixels, byte(number), 0)
	}
	more := p.More
	p.More = func(w *dicomtest.Writer) {
		w.Text(0x0008_0018, "UI", "2.25.4")
		more(w)
		if apart > 0 {
			text := core.Windows{{Center: apart, Width: apart}}.String()
			w.Text(0x0028_0030, "DS", strings.ReplaceAll(text, ",", `\`))
		}
	}
	return p
}

// TestSampledSeries interpolates slices at uneven distances and of several sizes.
func TestSampledSeries(t *testing.T) {
	data := zipped(t, spaced(10, 0, 1, 4).File(), spaced(20, 1, 2, 2).File(),
		spaced(40, 3, 1, 4).File())
	set := must.Get(Read("s.zip", data, Options{Spacing: "2,1", Neighbours: 1}))(t)
	b := must.Get(set.Bag(0))(t)
	var middle []float32
	var images []int
	var z []float64
	for i := range b.Len() {
		middle = append(middle, b.Instance(i)[4])
		images = append(images, b.Slices[i].Image)
		z = append(z, b.Slices[i].Place.Position[2])
	}
	must.EqualSlices(t, middle, []float32{-1014, -1004, -994, -984, -984}, images, z)
	must.EqualSlices(t, images, []int{0, 1, 2, 2, 2}, middle, z)
	must.EqualSlices(t, z, []float64{0, 1, 2, 3, 3}, middle, images)
	must.EqualSlices(t, b.Shape, []int{3, 2, 2}, b.Origin)
	must.Equal(t, b.Origin == nil, true, b.Shape, b.Origin)
}

// TestSamplingRefused refuses what cannot be sampled, and slices that are not alike.
func TestSamplingRefused(t *testing.T) {
	same, other := spaced(1, 0, 1, 4).File(), spaced(2, 3, 1, 5).File()
	unplaced := dicomtest.Grey(dicomtest.Explicit)
	colours := niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{2, 2, 2},
		dtype: niftiColours, voxels: make([]byte, 24)}
	for name, c := range map[string]struct {
		data []byte
		o    Options
		want string
	}{
		"sizes": {zipped(t, same, other), Options{}, "own, or state a spacing"},
		"fit": {zipped(t, same, other), Options{InstanceShape: []int{1, 2, 2}},
			"spacing fit"},
		"still":     {zipped(t, same, other), Options{Spacing: "1"}, "at this spacing"},
		"no size":   {zipped(t, same, other), Options{Spacing: "fit"}, "no size of its own"},
		"unknown":   {zipped(t, spaced(1, 0, 0, 4).File()), Options{Spacing: "1"}, "omit spacing"},
		"same spot": {zipped(t, same, same), Options{Spacing: "1,1"}, "lie at the same position"},
		"no places": {zipped(t, unplaced.File(), unplaced.File()), Options{Spacing: "fit,1",
			InstanceShape: []int{1, 2, 2}}, "do not state where slices lie"},
		"fine":    {zipped(t, same), Options{Spacing: "1e-9"}, "larger spacing"},
		"many":    {squares().file(), Options{Spacing: "1,1e-9"}, "instances"},
		"windows": {squares().file(), Options{Neighbours: 1, Window: "1,2;3,4"}, "one window"},
		"model": {squares().file(), Options{Neighbours: 1, InstanceShape: []int{5, 4, 5}},
			"3 channels, and the model takes 5"},
		"colours": {colours.file(), Options{Neighbours: 1}, "omit neighbours"},
		"table":   {[]byte("bag,f1\na,1\n"), Options{Spacing: "1"}, "omit spacing"},
		"far":     {squares().file(), Options{Neighbours: 17}, "from 0 to 16"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("x", c.data, c.o)
			wantSaid(t, err, c.want)
		})
	}
}

// TestViews reads the pictures of all series of an exam, of several sizes, as a bag.
func TestViews(t *testing.T) {
	view := func(series, side int) []byte {
		p := dicomtest.Slice(series, series, 0)
		p.Width, p.Height, p.Pixels = side, side, make([]byte, 2*side*side)
		return p.File()
	}
	data := zipped(t, view(4, 6), view(2, 5), view(3, 5))
	o := Options{Series: "all"}
	_, err := Read("s.zip", data, o)
	wantSaid(t, err, "has not the 5 x 5 pixels")
	o.Spacing, o.InstanceShape = "fit", []int{1, 4, 4}
	set := must.Get(Read("s.zip", data, o))(t)
	b := must.Get(set.Bag(0))(t)
	if b.Len() != 3 || b.Noun.One != "picture" || b.Origin != nil || b.Slices != nil {
		t.Errorf("%d %s, %v, %v", b.Len(), b.Noun.Several, b.Origin, b.Slices)
	}
	must.Equal(t, strings.Contains(set.Notes()[0], "3 series"), true, set.Notes())
	var format *FormatError
	if _, err := Read("s.zip", data, Options{Series: "all", Spacing: "fit,2",
		InstanceShape: []int{1, 4, 4}}); !errors.As(err, &format) {
		t.Error(err)
	}
}

// TestVolumes reads a folder of NIfTI files, and files together: each is a bag.
func TestVolumes(t *testing.T) {
	tall, scaled := squares(), squares()
	tall.dims, tall.voxels = []int64{5, 4, 4}, append(tall.voxels, make([]byte, 40)...)
	scaled.slope = 2
	files := map[string][]byte{"b10.nii": tall.file(), "b9.nii": squares().file(),
		"c.NII": scaled.file(), "README": []byte("text")}
	var list []File
	for name, data := range files {
		if name != "README" {
			list = append(list, File{Name: name, Data: data})
		}
	}
	for name, set := range map[string]*Set{
		"folder": must.Get(ReadFolder(folderOf(files), Options{Spacing: "0.5", Window: "5,9"}))(t),
		"files":  must.Get(ReadFiles(list, Options{Spacing: "0.5", Window: "5,9"}))(t),
	} {
		must.EqualSlices(t, set.Names(), []string{"b9", "b10", "c"}, name)
		for i, want := range []string{"b9.nii", "b10.nii", "c.NII"} {
			alone := must.Get(must.Get(Read(want, files[want], Options{Spacing: "0.5",
				Window: "5,9"}))(t).Bag(0))(t)
			got := must.Get(set.Bag(i))(t)
			if !slices.Equal(got.Values, alone.Values) || !slices.Equal(got.Slices, alone.Slices) ||
				got.Raw != alone.Raw || got.Noun != alone.Noun {
				t.Errorf("%s: bag %d differs from that of %s", name, i, want)
			}
		}
	}
	wide := squares()
	wide.dims = []int64{4, 5, 3}
	_, err := ReadFolder(folderOf(map[string][]byte{"a.nii": wide.file(),
		"b.nii": squares().file()}), Options{})
	wantSaid(t, err, "must be alike")
}
