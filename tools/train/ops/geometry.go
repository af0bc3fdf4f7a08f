package ops

import "fmt"

// A Convolution is a layer's shape: square kernels of stride 1 without padding, the rectifier, and
// the greatest of each 2 by 2 values, a last odd row or column left out.
type Convolution struct {
	Channels, Height, Width int // of its input
	Maps, Kernel            int
}

// Check reports a kernel that does not fit.
func (c Convolution) Check() error {
	if c.Channels < 1 || c.Maps < 1 || c.Kernel < 1 || c.Height < c.Kernel+1 ||
		c.Width < c.Kernel+1 {
		return fmt.Errorf("a convolution by %d kernels of %d by %d and pooling by 2 do not fit "+
			"%d channels of %d by %d",
			c.Maps, c.Kernel, c.Kernel, c.Channels, c.Height, c.Width)
	}
	return nil
}

// Next is the input of a convolution of this one's result.
func (c Convolution) Next(maps, kernel int) Convolution {
	h, w := c.pooled()
	return Convolution{Channels: c.Maps, Height: h, Width: w, Maps: maps, Kernel: kernel}
}

// Values is the number of values of a picture after the layer, Taps that of the weights of one map.
func (c Convolution) Values() int { h, w := c.pooled(); return c.Maps * h * w }

// Taps is the number of weights of one map.
func (c Convolution) Taps() int { return c.Channels * c.Kernel * c.Kernel }

func (c Convolution) plain() (h, w int) { return c.Height - c.Kernel + 1, c.Width - c.Kernel + 1 }

func (c Convolution) pooled() (h, w int) { h, w = c.plain(); return h / 2, w / 2 }

// Positions is the number of places where a kernel lies in a picture.
func (c Convolution) Positions() int { h, w := c.plain(); return h * w }

func (c Convolution) input() int { return c.Channels * c.Height * c.Width }

// places is the table of kernel.NewPatches: for each tap and position a place within a channel.
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

// cut lays the patches of a picture out as rows of dst, ld apart: row (channel, tap), column
// position.
func (c Convolution) cut(dst []float32, ld int, picture []float32) {
	h, w := c.plain()
	row := 0
	for ch := range c.Channels {
		plane := picture[ch*c.Height*c.Width:][:c.Height*c.Width]
		for ty := range c.Kernel {
			for tx := range c.Kernel {
				to := dst[row*ld:][:h*w]
				for y := range h {
					copy(to[y*w:(y+1)*w], plane[(y+ty)*c.Width+tx:])
				}
				row++
			}
		}
	}
}

// paste adds rows as cut lays them out to where they came from.
func (c Convolution) paste(picture []float32, src []float32, ld int) {
	h, w := c.plain()
	row := 0
	for ch := range c.Channels {
		plane := picture[ch*c.Height*c.Width:][:c.Height*c.Width]
		for ty := range c.Kernel {
			for tx := range c.Kernel {
				from := src[row*ld:][:h*w]
				for y := range h {
					to := plane[(y+ty)*c.Width+tx:][:w]
					for x, v := range from[y*w:][:w] {
						to[x] += v
					}
				}
				row++
			}
		}
	}
}
