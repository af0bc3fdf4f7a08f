package tensor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var minis = []Type{Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float4E2M1}

func codes(t Type) int { return 1 << t.Bits() }

// TestMiniRoundTrip writes the number of every code again.
func TestMiniRoundTrip(t *testing.T) {
	for _, typ := range minis {
		for c := range codes(typ) {
			x := FromMini(typ, uint8(c))
			back := ToMini(typ, x, false)
			if x != x {
				if v := FromMini(typ, back); v == v {
					t.Errorf("%v code %02x is no number and comes back as %v", typ, c, v)
				}
			} else if back != uint8(c) {
				t.Errorf("%v code %02x is %v and comes back as %02x", typ, c, x, back)
			}
		}
	}
}

// TestMiniIsNearest compares with a search through all codes; of two that are as near, the even one
// is right.
func TestMiniIsNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, typ := range minis {
		for range 2000 {
			x := float32(random.NormFloat64() * math.Ldexp(1, random.IntN(30)-20))
			best, distance := 0, math.Inf(1)
			for c := range codes(typ) {
				v := float64(FromMini(typ, uint8(c)))
				d := math.Abs(v - float64(x))
				if math.IsInf(v, 0) || v != v || math.Signbit(v) != math.Signbit(float64(x)) &&
					v != 0 {
					continue
				}
				if d < distance || d == distance && c%2 == 0 {
					best, distance = c, d
				}
			}
			if got, want := FromMini(typ, ToMini(typ, x, true)), FromMini(typ,
				uint8(best)); got != want {
				t.Fatalf("%v: %v becomes %v, want %v", typ, x, got, want)
			}
		}
	}
}

func TestMiniBeyond(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0x7fc00000)
	for _, c := range []struct {
		typ      Type
		in       float32
		saturate bool
		want     uint8
	}{
		{Float8E4M3FN, 1e6, true, 0x7e}, {Float8E4M3FN, 1e6, false, 0x7f}, {Float8E4M3FN, -inf,
			false, 0xff}, {Float8E4M3FN, 464, false, 0x7e},
		{Float8E5M2, -1e6, true, 0xfb}, {Float8E5M2, -1e6, false, 0xfc}, {Float8E4M3FNUZ, inf,
			false, 0x80}, {Float8E4M3FNUZ, -1e-9, true, 0}, {Float8E4M3FNUZ, -inf, false, 0x80},
		{Float4E2M1, inf, false, 7}, {Float4E2M1, -5.1, true, 0xf}, {Float4E2M1, nan, false, 8},
		{Float8E4M3FN, -nan, true, 0xff}, {Float8E5M2, nan, true, 0x7e},
		{Float8E5M2FNUZ, -nan, true, 0x80},
	} {
		must.Equal(t, ToMini(c.typ, c.in, c.saturate), c.want, c.typ, c.saturate, c.in)
	}
}

func TestPowersOfTwo(t *testing.T) {
	for _, c := range []struct {
		in              float32
		round           string
		saturated, want uint8
	}{
		{1, "up", 127, 127}, {1.25, "up", 128, 128}, {1.25, "down", 127, 127},
		{1.25, "nearest", 127, 127}, {1.5, "nearest", 128, 128}, {-1, "up", 255, 255},
		{0, "up", 0, 0}, {float32(math.NaN()), "up", 255, 255}, {0x1p-149, "down", 0, 0},
		{float32(math.Inf(1)), "up", 254, 255}, {math.MaxFloat32, "up", 254, 255},
		{math.MaxFloat32, "down", 254, 254}, {0x1p127, "up", 254, 254},
	} {
		must.Equal(t, ToE8M0(c.in, true, c.round), c.saturated, c.in, c.round)
		must.Equal(t, ToE8M0(c.in, false, c.round), c.want, c.in, c.round)
	}
	must.Equal(t, math.IsNaN(float64(FromMini(Float8E8M0, 255))), true)
	for c := range 255 {
		must.Equal(t, int(ToE8M0(FromMini(Float8E8M0, uint8(c)), false, "up")), c)
	}
}
