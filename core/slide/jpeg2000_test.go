//go:build !js

package slide

import (
	"bytes"
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// TestAperioJPEG2000 compares all pixels with those that OpenSlide reads: YCbCr with half the
// chroma, and RGB with the stream's own transform. Conversions of colours round apart by 1.
func TestAperioJPEG2000(t *testing.T) {
	for _, name := range []string{"aperio_33003", "aperio_33005"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name+".svs")
			if len(s.Levels) != 2 || s.Format != "Aperio" || s.MicronsX != .499 {
				t.Fatalf("%d levels of %s, %v microns", len(s.Levels), s.Format, s.MicronsX)
			}
			for i, level := range []string{"_0.png", "_1.png"} {
				l := s.Levels[i]
				got := must.Get(s.Region(i, image.Rect(0, 0, l.Width, l.Height)))(t)
				if d := furthest(t, got, pixels(t, name+level)); d > 1 {
					t.Errorf("level %d differs by %d", i, d)
				}
			}
		})
	}
}

// TestAperioDamaged expects errors in words for tiles that are not those of the slide.
func TestAperioDamaged(t *testing.T) {
	whole := file(t, "aperio_33005.svs")
	stream := bytes.Index(whole, []byte{0xff, 0x4f, 0xff, 0x51})
	directory := func(number, old, v uint16) func([]byte) {
		le := binary.LittleEndian
		entry := le.AppendUint32(le.AppendUint16(le.AppendUint16(nil, number), 3), 1)
		return func(b []byte) { le.PutUint16(b[bytes.Index(b, le.AppendUint16(entry, old))+8:], v) }
	}
	for _, c := range []struct {
		name, want string
		change     func([]byte)
	}{
		{"another width", "with the size of the block", func(b []byte) { b[stream+11] = 60 }},
		{"signed", "three channels of 8 bits", func(b []byte) {
			for channel := range 3 {
				b[stream+42+3*channel] = 0x87
			}
		}},
		{"no stream", "does not begin as", func(b []byte) { b[stream] = 0 }},
		{"cut", "cannot be decoded", func(b []byte) { clear(b[stream+50 : stream+400]) }},
		{"four samples", "4 channels of JPEG 2000", directory(tagSamples, 3, 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := bytes.Clone(whole)
			c.change(data)
			s, err := Open("a.svs", bytes.NewReader(data), int64(len(data)))
			if err == nil {
				_, err = s.Tile(0, 0, 0)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestAperioMemory expects a decoder that would take more than the bound to be refused before.
func TestAperioMemory(t *testing.T) {
	data := file(t, "aperio_33005.svs")
	memory := quota.NewMemory(4 << 20)
	s := must.Get(OpenWith("a.svs", bytes.NewReader(data), int64(len(data)),
		Options{Memory: memory}))(t)
	if _, err := s.Tile(0, 0, 0); !is[*quota.MemoryError](err) {
		t.Errorf("%v", err)
	}
}
