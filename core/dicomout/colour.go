package dicomout

import (
	"image/color"
	"math"
)

// labOf returns a colour of sRGB as CIELab in 16-bit numbers, relative to the white D50 (PS3.3,
// C.10.7.1.1): L* of 0 to 100, and a* and b* of -128 to 127, as 0 to 65535.
func labOf(c color.RGBA) [3]int {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	// IEC 61966-2-1, adapted to D50 by the Bradford method (www.brucelindbloom.com, RGB/XYZ
	// matrices).
	x := 0.4360747*r + 0.3850649*g + 0.1430804*b
	y := 0.2225045*r + 0.7168786*g + 0.0606169*b
	z := 0.0139322*r + 0.0971045*g + 0.7141733*b
	f := func(t float64) float64 {
		const knee = 6.0 / 29
		if t > knee*knee*knee {
			return math.Cbrt(t)
		}
		return t/(3*knee*knee) + 4.0/29
	}
	fx, fy, fz := f(x/0.96422), f(y), f(z/0.82521)
	scaled := func(v, least, most float64) int {
		return int(math.Round(65535 * (min(max(v, least), most) - least) / (most - least)))
	}
	return [3]int{scaled(116*fy-16, 0, 100), scaled(500*(fx-fy), -128, 127),
		scaled(200*(fy-fz), -128, 127)}
}
