package tensor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestHalfRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		f := FromFloat16(h)
		if f != f {
			if back := FromFloat16(ToFloat16(f)); back == back {
				t.Fatalf("half %04x is NaN and comes back as %v", h, back)
			}
			continue
		}
		must.Equal(t, ToFloat16(f), h, f)
	}
}

func TestHalfRounds(t *testing.T) {
	for _, c := range []struct {
		in, want float32
	}{
		{1 + 0x1p-11, 1}, {1 + 3*0x1p-11, 1 + 0x1p-9}, {65519, 65504}, {65520,
			float32(math.Inf(1))}, {-1e9, float32(math.Inf(-1))},
		{0x1p-25, 0}, {0x1.8p-25, 0x1p-24}, {-0x1p-24, -0x1p-24}, {0x1.ffep-15, 0x1p-14},
	} {
		must.Equal(t, FromFloat16(ToFloat16(c.in)), c.want, c.in)
	}
}

func TestBFloat16(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		if f := FromBFloat16(h); f == f && ToBFloat16(f) != h {
			t.Fatalf("bfloat16 %04x is %v and comes back as %04x", h, f, ToBFloat16(f))
		}
	}
	for in, want := range map[float32]float32{1 + 0x1p-8: 1, 1 + 0x1.0002p-8: 1 + 0x1p-7,
		1 + 3*0x1p-8: 1 + 0x1p-6, math.MaxFloat32: float32(math.Inf(1))} {
		must.Equal(t, FromBFloat16(ToBFloat16(in)), want, in)
	}
	for _, code := range []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff} {
		got := ToBFloat16(math.Float32frombits(code))
		must.Equal(t, math.IsNaN(float64(FromBFloat16(got))), true, code)
		must.Equal(t, got>>15, uint16(code>>31), "the sign of NaN")
	}
}

// TestTypes compares what is known of a type with its name: integers have as many bits as it says.
func TestTypes(t *testing.T) {
	must.Equal(t, Type(99).String(), "type 99")
	for typ, name := range typeNames {
		var bits int
		n, _ := fmt.Sscanf(strings.TrimPrefix(name, "u"), "int%d", &bits)
		least, largest, ok := typ.Integer()
		must.Equal(t, ok, n == 1, name)
		if !ok {
			continue
		}
		must.Equal(t, typ.Bits(), bits, name)
		must.Equal(t, largest-least, math.Ldexp(1, bits)-1, name)
		must.Equal(t, least == 0, name[0] == 'u', name)
		must.Equal(t, typ.Size(), max(bits, 8)/8, name)
		x := New(typ, 2)
		x.Bytes()[0] = 1 // the lowest byte is the first one
		must.EqualSlices(t, must.Get(x.Float64s())(t), []float64{1, 0}, name)
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		shape []int
		n     int
		ok    bool
	}{
		{nil, 1, true}, {[]int{2, 3}, 6, true}, {[]int{0, 7}, 0, true},
		{[]int{0, math.MaxInt / 4, 1 << 30}, 0, false},
		{[]int{math.MaxInt / 4, 1 << 30}, 0, false},
		{[]int{1 << 16, 1 << 16, 1 << 16, 1 << 16}, 0, false}, {[]int{-1}, 0, false},
		{[]int{math.MaxInt}, 0, false},
	} {
		if n, ok := Count(c.shape); n != c.n || ok != c.ok {
			t.Errorf("Count(%v) = %d %v, want %d %v", c.shape, n, ok, c.n, c.ok)
		}
	}
}

func TestOfChecksTheType(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an int64 tensor was read as float32")
		}
	}()
	Of[float32](New(Int64, 2))
}
