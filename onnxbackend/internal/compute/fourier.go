package compute

import (
	"math"
	"math/bits"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// A fourier computes discrete Fourier transforms of lines of n complex numbers, in float64. If n is
// a power of two, it uses the algorithm of Cooley and Tukey (1965). Else it uses that of Bluestein
// (1970), a convolution with a chirp, which costs O(n log n) for any n, primes included. A library
// would allocate its tables beyond the limits of a run, and could not be cancelled.
type fourier struct {
	n int
	// re and im hold a line: callers write their first n numbers, and read them after a transform.
	re, im []float64
	// cos and sin are those of -2πj/size, where size is the power of two that is computed.
	cos, sin []float64
	// chirp is exp(-πi j²/n) of n numbers, and filter the transform of its conjugate. Both are
	// empty if n is a power of two.
	chirpRe, chirpIm, filterRe, filterIm []float64
}

// newFourier returns a fourier for lines of n numbers, n at least 1, in the memory of a run. It is
// valid until the operator returns.
func newFourier(m *machine.Machine, n int) (*fourier, error) {
	size, chirp, filter := n, 0, 0
	if n&(n-1) != 0 {
		size = 1 << bits.Len(uint(2*n-2))
		chirp, filter = n, size
	}
	memory, err := machine.Scratch[float64](m, 2*size+size/2*2+2*chirp+2*filter)
	if err != nil {
		return nil, err
	}
	cut := func(n int) (part []float64) {
		part, memory = memory[:n:n], memory[n:]
		return part
	}
	f := &fourier{n: n, re: cut(size), im: cut(size), cos: cut(size / 2), sin: cut(size / 2),
		chirpRe: cut(chirp), chirpIm: cut(chirp), filterRe: cut(filter), filterIm: cut(filter)}
	for j := range f.cos {
		f.sin[j], f.cos[j] = math.Sincos(-2 * math.Pi * float64(j) / float64(size))
	}
	if chirp > 0 {
		f.startChirp()
	}
	return f, m.Tick(f.work())
}

// startChirp computes chirp and filter.
func (f *fourier) startChirp() {
	clear(f.filterRe)
	clear(f.filterIm)
	for j := range f.n {
		// The angle's period is 2n; j² itself would lose bits.
		square := uint64(j) * uint64(j) % uint64(2*f.n)
		f.chirpIm[j], f.chirpRe[j] = math.Sincos(-math.Pi * float64(square) / float64(f.n))
		for _, at := range []int{j, (len(f.re) - j) % len(f.re)} {
			f.filterRe[at], f.filterIm[at] = f.chirpRe[j], -f.chirpIm[j]
		}
	}
	f.radix2(f.filterRe, f.filterIm)
}

// work returns the work of a transform, in the unit of Tick.
func (f *fourier) work() int { return 2 * len(f.re) * bits.Len(uint(len(f.re))) }

// transform replaces the line by its transform.
func (f *fourier) transform() { f.complex(f.re, f.im) }

// inverse replaces the line by its inverse transform.
func (f *fourier) inverse() {
	f.complex(f.im, f.re) // exchanging both parts conjugates input and output
	scale(f.re[:f.n], 1/float64(f.n))
	scale(f.im[:f.n], 1/float64(f.n))
}

// complex transforms the line whose parts are re and im.
func (f *fourier) complex(re, im []float64) {
	if len(f.chirpRe) == 0 {
		f.radix2(re, im)
		return
	}
	f.times(re, im, f.chirpRe, f.chirpIm)
	clear(re[f.n:])
	clear(im[f.n:])
	f.radix2(re, im)
	f.times(re, im, f.filterRe, f.filterIm)
	f.radix2(im, re)
	scale(re[:f.n], 1/float64(len(re)))
	scale(im[:f.n], 1/float64(len(re)))
	f.times(re, im, f.chirpRe, f.chirpIm)
}

// times multiplies the first numbers of a line by complex factors.
func (f *fourier) times(re, im, byRe, byIm []float64) {
	for j, c := range byRe {
		re[j], im[j] = re[j]*c-im[j]*byIm[j], re[j]*byIm[j]+im[j]*c
	}
}

// scale multiplies numbers by a factor.
func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// radix2 transforms a line whose length is a power of two.
func (f *fourier) radix2(re, im []float64) {
	shift := 64 - bits.Len(uint(len(re)-1))
	for i := range re {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			re[i], re[j], im[i], im[j] = re[j], re[i], im[j], im[i]
		}
	}
	for half := 1; half < len(re); half *= 2 {
		step := len(re) / (2 * half)
		for first := 0; first < len(re); first += 2 * half {
			for k := range half {
				c, s := f.cos[k*step], f.sin[k*step]
				a, b := first+k, first+k+half
				x, y := re[b]*c-im[b]*s, re[b]*s+im[b]*c
				re[a], im[a], re[b], im[b] = re[a]+x, im[a]+y, re[a]-x, im[a]-y
			}
		}
	}
}
