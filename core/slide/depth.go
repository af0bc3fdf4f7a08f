package slide

import (
	"fmt"
	"image"
	"math/bits"

	"github.com/bagscope/bagscope/internal/msg"
)

// leastBright is the smallest value that the brightest of 16-bit samples has in a picture that uses
// their range. Cameras of 12 bits and fewer store smaller ones, whose upper eight bits are nearly
// all 0.
const leastBright = 1 << 12

// leastClear is the smallest value of the brightest sample of a picture that is not dark.
const leastClear = 1 << 14

// meet records the largest 16-bit sample of a block. Blocks are decoded in several goroutines.
func (l *layout) meet(largest uint32) {
	for {
		known := l.largest.Load()
		if largest <= known || l.largest.CompareAndSwap(known, largest) {
			return
		}
	}
}

// checkDepth returns an *UnsupportedError if all blocks were decoded and their upper eight bits are
// nearly all 0, although the picture is not black.
func (l *layout) checkDepth() error {
	if l.bits != 16 || l.photometric == whiteIsZero || l.photometric == isPalette {
		return nil
	}
	if what, way := LowDepth(int(l.largest.Load())); what != "" {
		return unsupported(l.name, what, way)
	}
	return nil
}

// LowDepth says what a picture of 16 bits is if its largest sample uses 12 of them or fewer, and
// how to convert it, FILE, in words with a command. It returns empty texts for others and for a
// black one.
func LowDepth(largest int) (what, way string) {
	if largest == 0 || largest >= leastBright {
		return "", ""
	}
	return fmt.Sprintf("16 bits of which pixels use %d at most", bits.Len16(uint16(largest))),
		"their upper 8 bits would be nearly black; " + spread(largest)
}

// spread returns the way to convert a picture of 16 bits with such a largest sample.
func spread(largest int) string {
	factor := float64(int(1)<<bits.LeadingZeros16(uint16(largest))) / 256
	return msg.Sprintf("libvips spreads them: vips linear FILE %s %v 0 --uchar", msg.Text(lossless),
		factor)
}

// DimNotes says that a picture of 16 bits is dark because its largest sample uses 13 or 14 of them.
func DimNotes(file string, largest int) []string {
	if largest < leastBright || largest >= leastClear {
		return nil
	}
	return []string{msg.Sprintf("%s has 16 bits of which pixels use %d at most. Their upper 8 "+
		"bits are read, which are dark; %s", file, bits.Len16(uint16(largest)),
		msg.Text(spread(largest)))}
}

// DimNotes says that the largest level is dark although it may not be, after it was read whole.
func (s *Slide) DimNotes() []string {
	l := s.Levels[0].layout
	if l.photometric == whiteIsZero || l.photometric == isPalette {
		return nil
	}
	return DimNotes(s.name, int(l.largest.Load()))
}

// upperOf12 returns the upper eight bits of samples of 12 bits. Rows begin at whole bytes; size is
// in samples.
func upperOf12(raw []byte, row int, size image.Point) []byte {
	out := make([]byte, 0, size.X*size.Y)
	for y := range size.Y {
		for x := range size.X {
			if at := y*row + x*3/2; x%2 == 0 {
				out = append(out, raw[at])
			} else {
				out = append(out, raw[at]<<4|raw[at+1]>>4)
			}
		}
	}
	return out
}
