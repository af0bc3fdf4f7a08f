package slide

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWholeStrip reads pictures without compression in one strip, which is decoded in parts, beside
// the same picture in strips of one row: with one plane and several, of 8 and 16 bits, in full and
// cut off.
func TestWholeStrip(t *testing.T) {
	const wide, high = 3000, 800 // three parts
	random := rand.New(rand.NewPCG(1, 1))
	for _, bits := range []uint32{8, 16} {
		for _, planes := range []uint32{1, 2} {
			t.Run(fmt.Sprintf("%d bits, planes %d", bits, planes), func(t *testing.T) {
				pixels := make([]byte, wide*high*3*bits/8)
				for i := range pixels {
					pixels[i] = byte(random.Uint32())
				}
				file := func(rows uint32) []byte {
					strips := (high + rows - 1) / rows
					if planes == 2 {
						strips *= 3
					}
					places, lengths := make([]uint32, strips), make([]uint32, strips)
					build := func() []byte {
						return classic(0, tag{tagWidth, []uint32{wide}},
							tag{tagHeight, []uint32{high}},
							tag{tagBits, []uint32{bits, bits, bits}},
							tag{tagPhotometric, []uint32{isRGB}},
							tag{tagStripOffsets, places}, tag{tagSamples, []uint32{3}},
							tag{tagStripRows, []uint32{rows}}, tag{tagStripBytes, lengths},
							tag{tagPlanes, []uint32{planes}})
					}
					head := uint32(len(build()))
					each := uint32(len(pixels)) / strips
					for i := range places {
						places[i], lengths[i] = head+uint32(i)*each, each
					}
					return append(build(), pixels...)
				}
				read := func(data []byte) (*image.RGBA, error) {
					s := must.Get(Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
					return s.Region(0, image.Rect(0, 0, wide, high))
				}
				got := must.Get(read(file(high)))(t)
				if want, err := read(file(1)); err != nil || !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("the pixels differ; %v", err)
				}
				data := file(high)
				must.Equal(t, is[*FormatError](must.Err(read(data[:len(data)-1]))), true)
			})
		}
	}
}

// TestWholeStripInParts reads a pixel of each part of a picture in one strip, in memory that does
// not hold the picture.
func TestWholeStripInParts(t *testing.T) {
	const wide, high = 1 << 11, 1 << 12 // eight parts
	build := func(at uint32) []byte {
		return classic(0, tag{tagWidth, []uint32{wide}}, tag{tagHeight, []uint32{high}},
			tag{tagBits, []uint32{8}}, tag{tagPhotometric, []uint32{blackIsZero}},
			tag{tagStripOffsets, []uint32{at}}, tag{tagStripBytes, []uint32{wide * high}})
	}
	data := build(0)
	data = append(build(uint32(len(data))), make([]byte, wide*high)...)
	head := len(data) - wide*high
	for y := 100; y < high; y += high / 8 {
		data[head+y*wide] = byte(y / 17)
		s := must.Get(OpenWith("a.tif", bytes.NewReader(data), int64(len(data)),
			Options{Memory: quota.NewMemory(wide * high)}))(t)
		m, err := s.Region(0, image.Rect(0, y, 1, y+1))
		must.Do(t, err, y, m)
		must.Equal(t, m.Pix[0], byte(y/17), y, m)
	}
}
