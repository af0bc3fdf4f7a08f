package bagio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestDeferred compares series that are read later with those that are read at once: their notes,
// whole bags, and some of their instances.
func TestDeferred(t *testing.T) {
	slices3 := func(change func(*dicomtest.Picture)) [][]byte {
		var out [][]byte
		for i := range 3 {
			p := dicomtest.Slice(1, i, float64(-2*i))
			change(&p)
			out = append(out, p.File())
		}
		return out
	}
	same := func(*dicomtest.Picture) {}
	colours := func(p *dicomtest.Picture) {
		p.Photometric, p.Samples, p.Allocated, p.Stored, p.High = "RGB", 3, 8, 8, 7
		p.Pixels = bytes.Repeat([]byte{1, 20, 250}, 12)
	}
	bytewise := func(p *dicomtest.Picture) {
		p.Allocated, p.Stored, p.High, p.Pixels = 8, 8, 7, bytes.Repeat([]byte{9, 8}, 6)
		p.More = nil
	}
	frames := dicomtest.Grey(dicomtest.Explicit)
	frames.Frames, frames.Height = 3, 1
	for name, c := range map[string]struct {
		files    [][]byte
		o        Options
		deferred bool
	}{
		"values":     {slices3(same), Options{}, true},
		"window":     {slices3(same), Options{Window: "-1000,100; 0,300"}, true},
		"colours":    {slices3(colours), Options{}, true},
		"bytes":      {slices3(bytewise), Options{}, true},
		"channels":   {slices3(same), Options{InstanceShape: []int{3, 3, 4}}, true},
		"flat":       {slices3(same), Options{InstanceShape: []int{12}}, true},
		"frames":     {[][]byte{frames.File()}, Options{}, true},
		"sampled":    {slices3(same), Options{Neighbours: 1}, false},
		"relations":  {slices3(same), Options{Adjacency: "nearest 1"}, false},
		"transposed": {slices3(same), Options{Layout: []int{3, 1, -1, 4}, Axis: 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var files []File
			for i, f := range c.files {
				files = append(files, File{Name: fmt.Sprint(i), Data: f})
			}
			readLater(t, files, c.o, c.deferred)
		})
	}
}

// readLater compares bags that are read later with those that are read at once.
func readLater(t *testing.T, files []File, o Options, deferred bool) {
	t.Helper()
	now, err := ReadFiles(files, o)
	o.Deferred = true
	later, lateErr := ReadFiles(files, o)
	if err != nil || lateErr != nil {
		must.Equal(t, fmt.Sprint(lateErr), fmt.Sprint(err))
		return
	}
	must.Equal(t, later.Deferred(), deferred)
	notes := now.Notes() // those on values come first, and need them
	must.EqualSlices(t, later.Notes(), notes[len(notes)-len(later.Notes()):])
	want, got := must.Get(now.Bag(0))(t), must.Get(later.Bag(0))(t)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v\nwant %+v", got, want)
	}
	if !deferred {
		return
	}
	some := must.Get(later.Some(context.Background(), 0, []int{2, 0}, nil))(t)
	if chosen := want.Select([]int{2, 0}); !reflect.DeepEqual(some, chosen) {
		t.Fatalf("%+v\nwant %+v", some, chosen)
	}
	outline, n, err := later.Outline(0)
	must.Do(t, err)
	must.Equal(t, n, want.Len())
	must.EqualSlices(t, outline.Shape, want.Shape)
}

// TestDeferredNIfTI compares volumes that are read later with those that are read at once.
func TestDeferredNIfTI(t *testing.T) {
	ras := []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0}
	for name, c := range map[string]struct {
		change   func(*niftiFile)
		o        Options
		deferred bool
	}{
		"bytes":  {func(n *niftiFile) { n.dtype, n.voxels = 2, n.voxels[:60] }, Options{}, true},
		"values": {func(*niftiFile) {}, Options{}, true},
		"turned": {func(n *niftiFile) { n.srow = ras }, Options{SliceAxes: "IPL"}, true},
		"scaled": {func(n *niftiFile) { n.slope, n.inter = .1, -3 }, Options{}, true},
		"window": {func(*niftiFile) {}, Options{Window: "9,100; 40,300"}, true},
		"second": {func(n *niftiFile) {
			n.dims, n.voxels = []int64{5, 4, 3, 2},
				append(n.voxels[60:], n.voxels...)
		}, Options{Series: "2"}, true},
		"channels": {func(*niftiFile) {}, Options{InstanceShape: []int{3, 4, 5}}, true},
		"along":    {func(*niftiFile) {}, Options{SliceAxes: "ijk"}, false},
		"narrow":   {func(n *niftiFile) { n.dims = []int64{3, 4, 5} }, Options{}, false},
		"sampled":  {func(n *niftiFile) { n.srow = ras }, Options{Spacing: "2x2x2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{5, 4, 3},
				dtype: 4}
			for i := range 120 {
				n.voxels = append(n.voxels, byte(i*i), byte(i%3))
			}
			n.voxels = n.voxels[:120]
			c.change(&n)
			data := n.file()
			readLater(t, []File{{Name: "v.nii", Data: data}}, c.o, c.deferred)
			readLater(t, []File{{Name: "v.nii", Reader: bytes.NewReader(data),
				Size: int64(len(data))}}, c.o, c.deferred)
		})
	}
}

// TestDeferredNIfTIReads reads a slice of a volume by one range. A voxel that is not finite breaks
// its slice alone, which the error counts in the volume.
func TestDeferredNIfTIReads(t *testing.T) {
	n := niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{100, 100, 40}, dtype: 16,
		voxels: make([]byte, 4*100*100*40)}
	binary.LittleEndian.PutUint32(n.voxels[4*100*100*30:], math.Float32bits(float32(math.NaN())))
	data, reads := n.file(), 0
	for window, want := range map[string]string{"": "instance 30", "0,9": "slice 30, counted"} {
		s := must.Get(ReadFiles([]File{{Name: "v.nii", Size: int64(len(data)),
			Reader: countedReader{bytes.NewReader(data), &reads}}},
			Options{Deferred: true, Window: window}))(t)
		must.Equal(t, reads, 1, "the header")
		must.Get(s.Some(context.Background(), 0, []int{7}, nil))(t)
		must.Equal(t, reads, 2)
		_, err := s.Bag(0)
		must.As(t, err, new(*FormatError), want)
		reads = 0
	}
}

// TestDeferredReads opens a series without its pixels, and then reads those of one slice. A file
// that ends early breaks its slice alone, and a step can end the reading of all.
func TestDeferredReads(t *testing.T) {
	const count = 20
	reads := 0
	var files []File
	for i := range count {
		p := dicomtest.Slice(1, i, float64(i))
		p.Width, p.Height, p.Pixels = 128, 128, bytes.Repeat([]byte{byte(i), 0}, 128*128)
		data := p.File()
		size := int64(len(data))
		if i == 5 { // it becomes shorter after it was chosen
			data = data[:nearBytes]
		}
		files = append(files, File{Name: fmt.Sprint(i), Size: size,
			Reader: countedReader{bytes.NewReader(data), &reads}})
	}
	s := must.Get(ReadFiles(files, Options{Deferred: true}))(t)
	if reads > count {
		t.Errorf("%d reads of the headers of %d files", reads, count)
	}
	reads = 0
	one := must.Get(s.Some(context.Background(), 0, []int{7}, nil))(t)
	must.EqualSlices(t, one.Values[:1], []float32{7 - 1024})
	if reads > 2 {
		t.Errorf("%d reads of one slice", reads)
	}
	_, err := s.Bag(0)
	must.Is(t, err, io.ErrUnexpectedEOF)
	must.As(t, err, new(*FormatError), "5, byte ")
	stop := errors.New("stopped")
	var done []int
	_, err = s.Some(context.Background(), 0, []int{1, 2, 3}, func(n, total int) error {
		if done = append(done, n, total); n == 2 {
			return stop
		}
		return nil
	})
	must.Is(t, err, stop)
	must.EqualSlices(t, done, []int{0, 3, 1, 3, 2, 3})
	_, _, err = s.Outline(1)
	must.As(t, err, new(*core.SettingError))
}

// TestSteps counts the files of a series and what is unpacked, and ends at any step.
func TestSteps(t *testing.T) {
	var files []File
	for i := range 3 {
		p := dicomtest.Slice(1, i, float64(i))
		files = append(files, File{Name: fmt.Sprint(i), Data: p.File()})
	}
	n := niftiFile{order: binary.LittleEndian, version: 1, dims: []int64{1000, 1000, 10}, dtype: 2,
		voxels: make([]byte, 10_000_000)}
	zipped := File{Name: "v.nii.gz", Data: packed(t, n.file())}
	for name, c := range map[string]struct {
		files []File
		want  []int
	}{
		"series": {files, []int{0, 3, 1, 3, 2, 3}},
		"packed": {[]File{zipped}, []int{1, 2, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var done []int
			o := Options{Deferred: true, Step: func(n, total int) error {
				done = append(done, n, total)
				return nil
			}}
			must.Get(ReadFiles(c.files, o))(t)
			must.EqualSlices(t, done, c.want)
			stop := errors.New("stopped")
			o.Step = func(n, total int) error {
				if n == c.want[len(c.want)-2] {
					return stop
				}
				return nil
			}
			_, err := ReadFiles(c.files, o)
			must.Is(t, err, stop)
		})
	}
}
