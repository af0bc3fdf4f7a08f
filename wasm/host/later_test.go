package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// series lets the client keep the files of a series, whose slices of 256 x 256 pixels hold their
// number in the left half. That of slice broken is shorter than it was.
func (c *client) series(count, broken int) (r wire.ReadBags) {
	var files [][]byte
	for i := range count {
		p := dicomtest.Slice(1, i+1, 2.5*float64(i))
		p.Width, p.Height, p.Pixels = 256, 256, make([]byte, 2*256*256)
		for at := 0; at < len(p.Pixels); at += 2 {
			if at/2%256 < 128 {
				p.Pixels[at] = byte(i)
			}
		}
		data := p.File()
		r.Files = append(r.Files, wire.BagFile{Name: fmt.Sprint(i), Part: i + 1, Size: len(data),
			Bytes: data[:1<<10]})
		if i == broken {
			data = data[:1<<16]
		}
		files = append(files, data)
	}
	c.host.config.Part = func(number int, _ int64, _ bool) io.ReaderAt {
		return bytes.NewReader(files[number-1])
	}
	return r
}

// TestLaterBag opens a series by its headers: a slice is read alone, all are drawn small, and a
// broken one is an error of what reads it.
func TestLaterBag(t *testing.T) {
	c := newClient(t, nil)
	c.host.config.Room = func() int64 { return 1 << 30 }
	expected := int64(0)
	c.host.config.Expect = func(bytes int64) { expected += bytes }
	r := c.series(5, -1)
	r.Open = new(0)
	set := get[wire.BagsRead](c, r)
	bag := set.Opened
	if !set.Deferred || bag == nil || bag.Info.Instances != 5 ||
		len(bag.Info.Slices.Positions) != 5 {
		t.Fatalf("%+v", set)
	}
	some := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag.Handle, Instances: []int{3, 1}})
	must.Equal(t, some.Info.Instances, 2)
	must.Equal(t, some.Info.Slices.Positions[1], 2.5)
	values := get[wire.Values](c, wire.GetValues{Bag: some.Handle}).Values
	must.EqualSlices(t, []float32{values[0], values[255], values[256*256]},
		[]float32{3 - 1024, -1024, 1 - 1024})
	must.Contain(t, c.fails(kind.Setting, wire.SelectInstances{Bag: bag.Handle,
		Instances: []int{5}}).Message, "no instance 5")
	drawn := get[wire.Drawn](c, wire.Draw{Bag: bag.Handle})
	must.Equal(t, expected, 0)
	all := get[wire.Values](c, wire.GetValues{Bag: bag.Handle}).Values
	must.Equal(t, len(all), 5*256*256)
	must.EqualSlices(t, all[3*256*256:4*256*256], values[:256*256])
	must.Equal(t, expected, int64(4*len(all)))
	again := get[wire.Drawn](c, wire.Draw{Bag: bag.Handle})
	must.Equal(t, len(again.Cells), len(drawn.Cells))
	get[wire.Done](c, wire.Release{Handle: bag.Handle})
	c.fails(kind.Setting, wire.GetValues{Bag: bag.Handle})
}

// TestBrokenLaterBag reads the slices beside a broken one, and reads until a request is cancelled.
func TestBrokenLaterBag(t *testing.T) {
	c := newClient(t, nil)
	set := get[wire.BagsRead](c, c.series(4, 2))
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: set.Handle})
	get[wire.BagOpened](c, wire.SelectInstances{Bag: bag.Handle, Instances: []int{3}})
	for _, request := range []any{wire.GetValues{Bag: bag.Handle}, wire.Draw{Bag: bag.Handle},
		wire.SelectInstances{Bag: bag.Handle, Instances: []int{2}}} {
		must.Contain(t, c.fails(kind.Format, request).Message, "2, byte ", "open it again")
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	_, err := c.host.wholeBag(ctx, bag.Handle, func(done, total int) {
		must.Equal(t, total, 4)
		stop(stopped)
	})
	must.Is(t, err, stopped)
}

// TestThumbs makes slices small by the means of squares.
func TestThumbs(t *testing.T) {
	must.EqualSlices(t, appendSmall(nil, []float32{1, 2, 3, 4, 9, 5, 6, 7, 8, 9}, 5, 2),
		[]float32{(1 + 2 + 5 + 6) / 4., (3 + 4 + 7 + 8) / 4.})
	for shape, want := range map[[2]int]int{{512, 512}: 4, {128, 100}: 1, {129, 2}: 2,
		{600, 1}: 1} {
		must.Equal(t, thumbStep([]int{1, shape[0], shape[1]}), want)
	}
	must.Equal(t, thumbStep([]int{9000}), 1)
}
