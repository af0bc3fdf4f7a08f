package parquet

import (
	"encoding/binary"
	"math"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/core/internal/half"
	"github.com/bagscope/bagscope/internal/msg"
)

// Encodings of values.
const (
	encodingPlain         = 0
	encodingPlainDict     = 2
	encodingRLE           = 3
	encodingDelta         = 5
	encodingDeltaLengths  = 6
	encodingDeltaStrings  = 7
	encodingDict          = 8
	encodingSplit         = 9
	floatBytes, wideBytes = 4, 8
)

var errShort = msg.Errorf("its values end too early")

// A list holds the values of a page or a dictionary: one of the three has them.
type list struct {
	wholes []int64
	reals  []float64
	texts  []string
}

func (v *list) len() int { return len(v.wholes) + len(v.reals) + len(v.texts) }

// valueBytes is what a value takes beside the bytes of texts.
const valueBytes = 16

// resize makes v n values of a kind, and keeps its memory.
func (v *list) resize(kind frame.Kind, n int) {
	v.wholes, v.reals, v.texts = v.wholes[:0], v.reals[:0], v.texts[:0]
	switch kind {
	case frame.Whole:
		v.wholes = sized(v.wholes, n)
	case frame.Real:
		v.reals = sized(v.reals, n)
	case frame.Text:
		v.texts = sized(v.texts, n)
	}
}

// sized returns a list of n entries, in the memory of old if it suffices.
func sized[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}

// decode fills v with n values of a page.
func (v *list) decode(l *leaf, data []byte, n, encoding int) error {
	v.resize(l.Kind, n)
	switch {
	case encoding == encodingPlain:
		return v.plain(l, data)
	case encoding == encodingRLE && l.kind == typeBoolean:
		if len(data) < 4 {
			return errShort
		}
		bits := make([]uint32, n)
		if err := hybrid(bits, data[4:], 1); err != nil {
			return err
		}
		for i, b := range bits {
			v.wholes[i] = int64(b)
		}
		return nil
	case encoding == encodingDelta && (l.kind == typeInt32 || l.kind == typeInt64):
		if _, err := deltas(v.wholes, data); err != nil {
			return err
		}
		if l.kind == typeInt32 {
			for i, x := range v.wholes { // sums of 32 bits wrap around
				v.wholes[i] = l.narrow(uint32(x))
			}
		}
		return v.signed(l)
	case encoding == encodingDeltaLengths && l.kind == typeBytes:
		return v.lengths(data)
	case encoding == encodingDeltaStrings && l.kind == typeBytes:
		return v.prefixed(data)
	case encoding == encodingSplit && l.kind != typeBytes && l.kind != typeBoolean:
		return v.split(l, data)
	}
	return msg.Errorf("its encoding %d is not known; %s", encoding, msg.Text(rewrite))
}

// narrow returns a whole number of 32 bits.
func (l *leaf) narrow(x uint32) int64 {
	if l.unsigned {
		return int64(x)
	}
	return int64(int32(x))
}

// size returns the bytes of a number.
func (l *leaf) size() int {
	switch l.kind {
	case typeInt32, typeFloat:
		return floatBytes
	case typeFixed:
		return l.width
	}
	return wideBytes
}

// put stores the number at data as value i.
func (v *list) put(l *leaf, i int, data []byte) {
	switch l.kind {
	case typeInt32:
		v.wholes[i] = l.narrow(binary.LittleEndian.Uint32(data))
	case typeInt64:
		v.wholes[i] = int64(binary.LittleEndian.Uint64(data))
	case typeFloat:
		v.reals[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case typeDouble:
		v.reals[i] = math.Float64frombits(binary.LittleEndian.Uint64(data))
	case typeFixed:
		v.reals[i] = half.Float64(binary.LittleEndian.Uint16(data))
	}
}

// plain reads values as they are.
func (v *list) plain(l *leaf, data []byte) error {
	switch l.kind {
	case typeBoolean:
		if len(data) < (len(v.wholes)+7)/8 {
			return errShort
		}
		for i := range v.wholes {
			v.wholes[i] = int64(data[i/8] >> (i % 8) & 1)
		}
		return nil
	case typeBytes:
		for i := range v.texts {
			if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
				return errShort
			}
			n := int(binary.LittleEndian.Uint32(data))
			v.texts[i] = string(data[4 : 4+n])
			data = data[4+n:]
		}
		return nil
	}
	size, n := l.size(), v.len()
	if len(data)/size < n {
		return errShort
	}
	if l.kind == typeFloat { // the most frequent type of features
		for i := range v.reals {
			v.reals[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return nil
	}
	for i := range n {
		v.put(l, i, data[i*size:])
	}
	return v.signed(l)
}

// signed returns an error for whole numbers of 64 bits without a sign that are too large for one.
func (v *list) signed(l *leaf) error {
	if !l.unsigned || l.kind != typeInt64 {
		return nil
	}
	for _, x := range v.wholes {
		if x < 0 {
			return msg.Errorf("it holds the number %d, which is too large for a signed one of 64 "+
				"bits; write the column as text", uint64(x))
		}
	}
	return nil
}

// split reads numbers, of which data has all first bytes before all second ones.
func (v *list) split(l *leaf, data []byte) error {
	size, n := l.size(), v.len()
	if len(data)/size < n {
		return errShort
	}
	one := make([]byte, size)
	for i := range n {
		for j := range one {
			one[j] = data[j*n+i]
		}
		v.put(l, i, one)
	}
	return v.signed(l)
}

// lengths reads texts behind all their lengths.
func (v *list) lengths(data []byte) error {
	sizes := make([]int64, len(v.texts))
	data, err := deltas(sizes, data)
	if err != nil {
		return err
	}
	for i, n := range sizes {
		if n < 0 || n > int64(len(data)) {
			return errShort
		}
		v.texts[i] = string(data[:n])
		data = data[n:]
	}
	return nil
}

// prefixed reads texts, each of which begins as the one before it does.
func (v *list) prefixed(data []byte) error {
	shared := make([]int64, len(v.texts))
	data, err := deltas(shared, data)
	if err != nil {
		return err
	}
	if err := v.lengths(data); err != nil {
		return err
	}
	total, last := 0, ""
	for i, n := range shared {
		if n < 0 || n > int64(len(last)) {
			return errShort
		}
		// Each text of a small page can repeat a long one.
		if total += int(n); total > mostPrefixes {
			return msg.Errorf("its texts share too many bytes; %s", msg.Text(rewrite))
		}
		v.texts[i] = last[:n] + v.texts[i]
		last = v.texts[i]
	}
	return nil
}

// mostPrefixes bounds the bytes that the texts of a page have from those before them.
const mostPrefixes = 16 << 20
