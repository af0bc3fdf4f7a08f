package host

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// stripes returns a picture of 64 x 32 pixels, whose left half is dark, and a request that reads
// its pixels and keeps dark patches of 16 pixels.
func stripes(c *client) wire.ReadBags {
	img := image.NewNRGBA(image.Rect(0, 0, 64, 32))
	for i := range 64 * 32 {
		img.Set(i%64, i/64, color.Gray{uint8(10 + 3*(i%64))})
	}
	c.host.config.Part = func(int, int64, bool) io.ReaderAt { return bytes.NewReader(img.Pix) }
	size, background := 16, 100.
	return wire.ReadBags{Files: []wire.BagFile{{Name: "a.avif", Part: 1, Size: len(img.Pix),
		Width: 64, Height: 32}},
		Read: ask.ReadOptions{PatchSize: &size, Background: &background}, Watch: true}
}

// TestPixels cuts pixels that the client keeps, and measures the same grid.
func TestPixels(t *testing.T) {
	c := newClient(t, nil)
	read := stripes(c)
	id := c.send(read)
	var done []int
	for {
		m := c.next(id)
		if p, ok := m.(wire.Progress); ok {
			done = append(done, p.Completed)
			continue
		}
		s, ok := m.(wire.BagsRead)
		must.Equal(t, ok, true, m)
		must.Equal(t, s.Cut != nil, true, m)
		want := []float64{32.5, 80.5, 128.5, 176.5, 32.5, 80.5, 128.5, 176.5}
		cut := *s.Cut
		if cut.Across != 4 || cut.Down != 2 || cut.Stride != 16 || cut.Width != 64 ||
			cut.Background != 100 || cut.Channels != 3 || !slices.Equal(cut.Means, want) {
			t.Errorf("cut %+v, want means %v", cut, want)
		}
		b := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle})
		must.Equal(t, b.Info.Instances, 4)
		must.Equal(t, b.Info.Name, "a")
		v := get[wire.Surveyed](c, wire.Survey{File: read.Files[0], Read: read.Read})
		must.EqualSlices(t, v.Cut.Means, want)
		break
	}
	must.Equal(t, len(done) != 0, true, done)
	must.Equal(t, done[0], 0, done)
}

// TestCutEnds cancels a cut, and a survey.
func TestCutEnds(t *testing.T) {
	for name, request := range map[string]func(r wire.ReadBags) any{
		"cut":    func(r wire.ReadBags) any { return r },
		"survey": func(r wire.ReadBags) any { return wire.Survey{File: r.Files[0], Read: r.Read} },
	} {
		t.Run(name, func(t *testing.T) {
			var c *client
			c = newClient(t, func() { c.host.cancel(1) })
			if f := c.fails(kind.Cancelled, request(stripes(c))); len(f.Details) > 0 {
				t.Errorf("details %v", f.Details)
			}
		})
	}
}

// TestStrides checks that a cut into too many patches offers larger strides.
func TestStrides(t *testing.T) {
	c := newClient(t, nil)
	read := stripes(c)
	stride := 1
	read.Read.Stride, read.Limits = &stride, &wire.BagLimits{Instances: 50}
	f := c.fails(kind.Limit, read)
	want := core.Setting{Name: "strides", Value: "5 40\n10 10\n20 3"}
	must.Equal(t, slices.Contains(f.Details, want), true, f.Details, want)
}
