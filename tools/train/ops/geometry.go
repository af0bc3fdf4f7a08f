package ops

import (
	"fmt"
	"iter"
)

// A Convolution is the shape of a layer: square kernels with stride 1 and without padding, the
// rectifier, and the maximum of each 2 by 2 values. Pooling ignores a last odd row or column.
type Convolution struct {
	Channels, Height, Width int // shape of an input picture
	Maps, Kernel            int // number of output maps; side of a kernel
}

// Check returns an error if the input is too small for the kernel and pooling.
func (c Convolution) Check() error {
	if c.Channels < 1 || c.Maps < 1 || c.Kernel < 1 || c.Height < c.Kernel+1 ||
		c.Width < c.Kernel+1 {
		return fmt.Errorf("a convolution by %d kernels of %d by %d and pooling by 2 cannot apply "+
			"to %d channels of %d by %d; use smaller kernels or fewer layers", c.Maps, c.Kernel,
			c.Kernel, c.Channels, c.Height, c.Width)
	}
	return nil
}

// Next returns the convolution of this layer's output.
func (c Convolution) Next(maps, kernel int) Convolution {
	h, w := c.pooled()
	return Convolution{Channels: c.Maps, Height: h, Width: w, Maps: maps, Kernel: kernel}
}

// Values returns the number of values of a picture after the layer.
func (c Convolution) Values() int { h, w := c.pooled(); return c.Maps * h * w }

// Taps returns the number of weights of one map.
func (c Convolution) Taps() int { return c.Channels * c.Kernel * c.Kernel }

// plain returns the size of a map before pooling, and pooled the size after it.
func (c Convolution) plain() (h, w int) { return c.Height - c.Kernel + 1, c.Width - c.Kernel + 1 }

func (c Convolution) pooled() (h, w int) { h, w = c.plain(); return h / 2, w / 2 }

// Positions returns the number of positions of a kernel in a picture.
func (c Convolution) Positions() int { h, w := c.plain(); return h * w }

// input returns the number of values of an input picture.
func (c Convolution) input() int { return c.Channels * c.Height * c.Width }

// places returns the table for kernel.NewPatches: the offset in a channel for each tap and
// position.
func (c Convolution) places() []int32 {
	h, w := c.plain()
	from := make([]int32, 0, c.Kernel*c.Kernel*h*w)
	for ty := range c.Kernel {
		for tx := range c.Kernel {
			for y := range h {
				for x := range w {
					from = append(from, int32((y+ty)*c.Width+x+tx))
				}
			}
		}
	}
	return from
}

// taps yields each row of a matrix of patches (channel, tap) with the offset of its first value in
// a picture.
func (c Convolution) taps() iter.Seq2[int, int] {
	return func(yield func(row, offset int) bool) {
		row := 0
		for ch := range c.Channels {
			for ty := range c.Kernel {
				for tx := range c.Kernel {
					if !yield(row, (ch*c.Height+ty)*c.Width+tx) {
						return
					}
					row++
				}
			}
		}
	}
}

// copyPatches writes the patches of a picture to dst (taps, positions), whose rows are ld apart.
func (c Convolution) copyPatches(dst []float32, ld int, picture []float32) {
	h, w := c.plain()
	for row, offset := range c.taps() {
		to := dst[row*ld:][:h*w]
		for y := range h {
			copy(to[y*w:(y+1)*w], picture[offset+y*c.Width:])
		}
	}
}

// addPatches adds patches (taps, positions), whose rows are ld apart, to the pixels that
// copyPatches reads.
func (c Convolution) addPatches(picture, src []float32, ld int) {
	h, w := c.plain()
	for row, offset := range c.taps() {
		from := src[row*ld:][:h*w]
		for y := range h {
			to := picture[offset+y*c.Width:][:w]
			for x, v := range from[y*w:][:w] {
				to[x] += v
			}
		}
	}
}
