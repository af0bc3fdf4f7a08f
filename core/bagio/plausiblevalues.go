package bagio

import (
	"bytes"
	"hash/maphash"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
)

// sampledValues is how many values show the type of all.
const sampledValues = 1 << 14

// sampled calls f with values of the set that are spread over it, and their places, until f returns
// false.
func (s *Set) sampled(f func(at int, v float64) bool) {
	a := s.array
	n := len(a.data) / a.dtype.size
	get, step := a.dtype.float(), max(1, n/sampledValues)|1 // odd, so that it meets all columns
	for at := 0; at < n; at += step {
		if !f(at, get(a.data[at*a.dtype.size:])) {
			return
		}
	}
}

// vectors reports whether instances are features and no pictures, in an array with values.
func (s *Set) vectors() bool { return len(s.shape) == 1 && len(s.array.data) > 0 }

// Exponents of two of features, beyond which hardly any of an encoder is.
const (
	leastExponent = -24
	mostExponent  = 12
)

// fewestBits is how many values other than zero show that integers are bits of real numbers.
const fewestBits = 16

// bfloat16Bits asks whether integers are the bits of bfloat16: as such nearly all are numbers of
// the size of features, whose exponents differ. Counts and pixels are not, because small integers
// have the bits of numbers below 1e-37.
func (s *Set) bfloat16Bits() (string, error) {
	if !s.vectors() || s.placing.dtype != "" {
		return "", nil
	}
	bits, usual, whole := 0, 0, true
	least, most := mostExponent, leastExponent
	s.sampled(func(_ int, v float64) bool {
		whole = v == math.Trunc(v) && v >= math.MinInt16 && v <= math.MaxUint16
		if !whole || v == 0 {
			return whole
		}
		bits++
		if e := int(uint16(int(v))>>7&0xff) - 127; e >= leastExponent && e <= mostExponent {
			usual++
			least, most = min(least, e), max(most, e)
		}
		return true
	})
	if !whole || bits < fewestBits || 50*usual < 49*bits || most-least < 2 {
		return "", nil
	}
	return "", &QuestionError{File: s.array.file, Seen: "its values are integers of 16 bits that " +
		"look like the bits of bfloat16", Option: "dtype", Answers: []Answer{
		{dtypeBfloat16, "they are bfloat16"}, {dtypeStored, "they are integers"}}}
}

// largestValue is far beyond the features of encoders. Numbers in a wrong byte order exceed it.
const largestValue = 1e12

// hugeValues notes numbers that no encoder returns.
func (s *Set) hugeValues() (note string, err error) {
	s.sampled(func(at int, v float64) bool {
		if math.Abs(v) > largestValue {
			note = msg.Sprintf("%s of instance %d is %.3g, which no encoder returns; check the "+
				"type and the byte order that the file states", featureText(s.shape,
				at%product(s.shape)), at/product(s.shape), v)
		}
		return note == ""
	})
	return note, nil
}

// wideIntegers notes integers of 16 bits that use most of their range.
func (s *Set) wideIntegers() (string, error) {
	e := s.array.dtype
	if !s.vectors() || e.size != 2 || e.kind != 'i' && e.kind != 'u' {
		return "", nil
	}
	least, most := math.Inf(1), math.Inf(-1)
	s.sampled(func(_ int, v float64) bool {
		least, most = min(least, v), max(most, v)
		return true
	})
	if most-least <= math.MaxInt16 {
		return "", nil
	}
	return msg.Sprintf("its values are integers of 16 bits from %v to %v, and enter the model so; "+
		"features are real numbers, which float32 keeps", least, most), nil
}

// narrowIntegers notes features of one byte that have a sign, and truth values.
func (s *Set) narrowIntegers() (string, error) {
	e := s.array.dtype
	switch {
	case !s.vectors() || e.size != 1:
		return "", nil
	case e.kind == 'i':
		return "its values are integers of 8 bits, and enter the model so; if an encoder's " +
			"features were quantized, multiply them by their scale before", nil
	case e.kind == 'b':
		return "its values are true or false, and enter the model as 1 and 0; if an encoder's " +
			"features were reduced to their signs, the model needs the features", nil
	}
	return "", nil
}

// row returns the bytes of an instance.
func (s *Set) row(i int) []byte {
	n := product(s.shape) * s.array.dtype.size
	return s.array.data[i*n:][:n]
}

// constant reports whether all values of an instance are equal.
func (s *Set) constant(i int) bool {
	row, size := s.row(i), s.array.dtype.size
	return bytes.Equal(row[size:], row[:len(row)-size])
}

// zero reports whether all bytes of an instance are zero.
func (s *Set) zero(i int) bool { return len(bytes.Trim(s.row(i), "\x00")) == 0 }

// ending returns how many instances at the end of a bag have one value in all their places, the
// same in each.
func (s *Set) ending(from, to int) (n int) {
	for to-n > from && s.constant(to-n-1) && bytes.Equal(s.row(to-n-1), s.row(to-1)) {
		n++
	}
	return n
}

// paddedRows notes instances that hold zeros alone, and ones of another value at the end of a bag.
func (s *Set) paddedRows() (string, error) {
	return s.eachBag(func(from, to int) string {
		if to == from || product(s.shape) < 2 {
			return ""
		}
		last, zeros, first := s.ending(from, to), 0, -1
		for i := from; i < to; i++ {
			if s.zero(i) {
				if zeros++; first < 0 {
					first = i - from
				}
			}
		}
		k := to - from
		const way = "as padding does, and count as instances; to leave them out, keep the others " +
			"in the file"
		switch {
		case last == k || zeros == k:
		case last > 0 && zeros <= last && (zeros == last || s.vectors()):
			return msg.Sprintf("the last %d of %d instances hold %v alone, %s", last, k,
				s.array.dtype.float()(s.row(to-1)), way)
		case zeros > 0 && s.vectors() && s.shape[0] >= fewestFeatures:
			return msg.Sprintf("%d of %d instances, the first of them %d, hold 0 alone, %s", zeros,
				k, first, way)
		}
		return ""
	}), nil
}

// fewestFeatures is how many features tell instances apart. Few, such as classes and counts, can be
// equal by chance.
const fewestFeatures = 8

// repeatedRows notes instances that are copies of others, if they are a tenth or more.
func (s *Set) repeatedRows() (string, error) {
	seed := maphash.MakeSeed()
	return s.eachBag(func(from, to int) string {
		if to == from || !s.vectors() || s.shape[0] < fewestFeatures {
			return ""
		}
		seen := make(map[uint64]int, to-from)
		copies, again, of := 0, 0, 0
		end := to - s.ending(from, to)
		for i := from; i < end; i++ {
			if s.zero(i) {
				continue // paddedRows notes them
			}
			h := maphash.Bytes(seed, s.row(i))
			j, known := seen[h]
			switch {
			case !known:
				seen[h] = i
			case bytes.Equal(s.row(i), s.row(j)):
				if copies++; copies == 1 {
					again, of = i-from, j-from
				}
			}
		}
		if copies < 2 || 10*copies < to-from {
			return ""
		}
		return msg.Sprintf("%d of %d instances are copies of others, such as %d of %d, and each "+
			"counts; remove them from the file if they are not meant", copies, to-from, again, of)
	}), nil
}
