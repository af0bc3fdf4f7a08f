package half

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestFloat64 compares with values from the definition of binary16.
func TestFloat64(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 0x03ff: 0x1p-14 - 0x1p-24,
		1:      0x1p-24,
		0x8001: -0x1p-24, 0x3555: 0.333251953125, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		must.Equal(t, Float64(bits), want, bits)
	}
	must.Equal(t, math.IsNaN(Float64(0x7e00)), true, "NaN or the sign of zero is lost")
	must.Equal(t, math.Signbit(Float64(0x8000)), true, "NaN or the sign of zero is lost")
}
