package bagio

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// Limits bounds the memory that reading a file may allocate. Zero fields have their defaults.
type Limits struct {
	Bytes     int64 // bytes of a file, packed and unpacked; default 1 GiB
	Elements  int64 // numbers in one array; default 2^28
	Pixels    int64 // pixels of one picture; default 2^26, 8192 x 8192
	Instances int64 // instances in one file; default 2^22
	Bags      int64 // bags in one file; default 2^20
	Columns   int64 // columns of a table; default 2^20

	// Memory reserves what files unpack to, decoded pictures, arrays and the values of bags before
	// they are allocated, so that reading also returns a *quota.MemoryError or a
	// *quota.MemoryBusyError. They stay reserved until it is closed. Nil means no bound beside the
	// others.
	Memory *quota.Memory
}

// DefaultBytes is the default of Limits.Bytes, 1 GiB.
const DefaultBytes = 1 << 30

// withDefaults returns the limits with defaults for zero fields. Functions that take Limits from a
// caller call it first.
func (l Limits) withDefaults() Limits {
	return Limits{
		Bytes:     cmp.Or(l.Bytes, DefaultBytes),
		Elements:  cmp.Or(l.Elements, 1<<28),
		Pixels:    cmp.Or(l.Pixels, 1<<26),
		Instances: cmp.Or(l.Instances, 1<<22),
		Bags:      cmp.Or(l.Bags, 1<<20),
		Columns:   cmp.Or(l.Columns, 1<<20),
		Memory:    l.Memory,
	}
}

// LimitsIn returns the limits of a program that bounds by m all that files take, so that the sizes
// of one file need no lower bound: Bytes, Elements and Pixels are the defaults, or what m can hold
// if that is more. The other limits are the defaults. A nil m changes nothing.
func LimitsIn(m *quota.Memory) Limits {
	l := Limits{Memory: m}.withDefaults()
	l.Bytes = max(l.Bytes, m.Limit())
	l.Elements = max(l.Elements, m.Limit()/4) // a float32 has 4 bytes, as has a pixel in RGBA
	l.Pixels = max(l.Pixels, m.Limit()/4)
	return l
}

// reserve reserves n bytes for a file.
func (l Limits) reserve(file string, n int64) error { return l.Memory.Reserve(n, "reading "+file) }

// bytes returns a *LimitError if a file holds too many bytes.
func (l Limits) bytes(file string, n int64) error { return atMost(file, "bytes", n, l.Bytes) }

// instances returns a *LimitError if a file holds too many instances.
func (l Limits) instances(file string, n int64) error {
	return atMost(file, "instances", n, l.Instances)
}

// bags returns a *LimitError if a file holds too many bags.
func (l Limits) bags(file string, n int64) error { return atMost(file, "bags", n, l.Bags) }

// atMost returns a *LimitError if n exceeds the limit of a setting.
func atMost(file, setting string, n, limit int64) error {
	if n <= limit {
		return nil
	}
	return &LimitError{file, msg.Sprintf("it holds %d %s", n, setting), setting, limit}
}

// elements returns the number of elements of a shape without negative dimensions, or a *LimitError.
// It does not overflow, because it divides the limit instead of multiplying the dimensions.
func (l Limits) elements(file string, shape []int) (int, error) {
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	n := int64(1)
	for _, d := range shape {
		if n > l.Elements/int64(d) {
			return 0, &LimitError{file, msg.Sprintf("an array of shape %s is too large",
				shapeText(shape)), "elements", l.Elements}
		}
		n *= int64(d)
	}
	return int(n), nil
}

// pixels returns a *LimitError if a picture has too many pixels. It runs before the picture is
// decoded.
func (l Limits) pixels(file string, width, height int) error {
	if width > 0 && int64(height) > l.Pixels/int64(width) {
		return &LimitError{file, fmt.Sprintf("the picture has %d x %d pixels", width, height),
			"pixels", l.Pixels}
	}
	return nil
}
