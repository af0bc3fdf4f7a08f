package bagio

import (
	"cmp"
	"fmt"
)

// Limits bounds the memory that reading a file may allocate. Zero fields have their defaults.
type Limits struct {
	Bytes     int64 // bytes of a file, packed and unpacked; default 1 GiB
	Elements  int64 // numbers in one array; default 2^28
	Pixels    int64 // pixels of one picture; default 2^26, 8192 x 8192
	Instances int64 // instances in one file; default 2^22
	Bags      int64 // bags in one file; default 2^20
	Columns   int64 // columns of a table; default 2^20
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Bytes:     cmp.Or(l.Bytes, 1<<30),
		Elements:  cmp.Or(l.Elements, 1<<28),
		Pixels:    cmp.Or(l.Pixels, 1<<26),
		Instances: cmp.Or(l.Instances, 1<<22),
		Bags:      cmp.Or(l.Bags, 1<<20),
		Columns:   cmp.Or(l.Columns, 1<<20),
	}
}

func (l Limits) bytes(file string, n int64) error {
	if n > l.Bytes {
		return &LimitError{file, fmt.Sprintf("it holds %d bytes", n), "Bytes", l.Bytes}
	}
	return nil
}

func (l Limits) instances(file string, n int64) error {
	if n > l.Instances {
		return &LimitError{file, fmt.Sprintf("it holds %d instances", n), "Instances", l.Instances}
	}
	return nil
}

func (l Limits) bags(file string, n int64) error {
	if n > l.Bags {
		return &LimitError{file, fmt.Sprintf("it holds %d bags", n), "Bags", l.Bags}
	}
	return nil
}

// elements returns the number of elements of a shape without negative dimensions, or a *LimitError.
// It does not overflow.
func (l Limits) elements(file string, shape []int) (int, error) {
	n := int64(1)
	for _, d := range shape {
		if d == 0 {
			return 0, nil
		}
	}
	for _, d := range shape {
		if n > l.Elements/int64(d) {
			return 0, &LimitError{file, fmt.Sprintf("an array of shape %s is too large",
				shapeText(shape)), "Elements", l.Elements}
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
			"Pixels", l.Pixels}
	}
	return nil
}
