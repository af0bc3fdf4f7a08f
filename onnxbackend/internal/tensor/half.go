package tensor

import "math"

// FromFloat16 converts an IEEE 754 half, given by its bits, to float32. All halves are exact.
func FromFloat16(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 31
	frac := uint32(h) & 1023
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	v := float32(frac) * 0x1p-24 // a subnormal half, which is normal in float32
	if sign != 0 {
		return -v
	}
	return v
}

// ToFloat16 returns the bits of the nearest half, ties to even. Numbers of 65520 and above become
// infinite.
func ToFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 1<<31 - 1
	switch {
	case b > 0xff<<23:
		return sign | 0x7e00
	case b >= 0x477ff000: // 65520, half way between the largest half and the next
		return sign | 0x7c00
	case b < 0x38800000: // below the smallest normal half
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*0x1p24))
	}
	b += 0xfff + b>>13&1 // rounds to even; a carry increases the exponent
	return sign | uint16((b-112<<23)>>13)
}

// FromBFloat16 converts a bfloat16, the upper half of a float32, to float32.
func FromBFloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBFloat16 returns the bits of the nearest bfloat16, ties to even.
func ToBFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&(1<<31-1) > 0xff<<23 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
