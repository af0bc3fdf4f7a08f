package tensor

import "math"

// FromFloat16 widens an IEEE 754 half.
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
	v := float32(frac) * 0x1p-24
	if sign != 0 {
		return -v
	}
	return v
}

// ToFloat16 rounds to the nearest half, ties to even; what is too large becomes infinite.
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
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}

// FromBFloat16 widens a bfloat16.
func FromBFloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBFloat16 rounds to the nearest bfloat16, ties to even.
func ToBFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&(1<<31-1) > 0xff<<23 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
