// Package digest names models by the SHA-256 of their bytes.
//
// crypto/sha256 brings the self-tests of every cipher in Go's FIPS module, and through them methods
// of types all over the program: 44 KB of what a browser loads. There the digest is computed here.
package digest

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const blockSize = 64

var start, rounds = constants()

// constants returns the first state and the constants of the rounds: the first 32 bits of the
// fractions of the square roots of the first 8 primes and of the cube roots of the first 64 (FIPS
// 180-4, 4.2.2 and 5.3.3).
func constants() (state [8]uint32, k [64]uint32) {
	fraction := func(v float64) uint32 { return uint32(uint64(v * (1 << 32))) }
	n := 0
	for p := 2; n < len(k); p++ {
		if !prime(p) {
			continue
		}
		if n < len(state) {
			state[n] = fraction(math.Sqrt(float64(p)))
		}
		k[n] = fraction(math.Cbrt(float64(p)))
		n++
	}
	return state, k
}

func prime(p int) bool {
	for d := 2; d*d <= p; d++ {
		if p%d == 0 {
			return false
		}
	}
	return true
}

// portable returns the SHA-256 of data (FIPS 180-4, 6.2).
func portable(data []byte) (sum [32]byte) {
	state := start
	whole := len(data) / blockSize * blockSize
	for at := 0; at < whole; at += blockSize {
		mix(&state, data[at:at+blockSize])
	}
	// The rest, a one bit, zeros and the number of bits fill one block or two.
	var last [2 * blockSize]byte
	n := copy(last[:], data[whole:])
	last[n] = 0x80
	end := blockSize
	if n+9 > blockSize {
		end = 2 * blockSize
	}
	binary.BigEndian.PutUint64(last[end-8:], uint64(len(data))*8)
	for at := 0; at < end; at += blockSize {
		mix(&state, last[at:at+blockSize])
	}
	for i, v := range state {
		binary.BigEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}

// mix takes one block into the state.
func mix(state *[8]uint32, block []byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := 16; i < len(w); i++ {
		x, y := w[i-15], w[i-2]
		w[i] = w[i-16] + w[i-7] +
			(bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3) +
			(bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10)
	}
	a, b, c, d, e, f, g, h := state[0], state[1], state[2], state[3], state[4], state[5], state[6],
		state[7]
	for i, v := range w {
		t := h + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e,
			-25)) + (e&f ^ ^e&g) + rounds[i] + v
		u := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) +
			(a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, h = t+u, a, b, c, d+t, e, f, g
	}
	for i, v := range [8]uint32{a, b, c, d, e, f, g, h} {
		state[i] += v
	}
}
