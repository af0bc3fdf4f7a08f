package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func TestKnownAnswers(t *testing.T) {
	for in, want := range map[string]string{ // FIPS 180-4, examples
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	} {
		t.Run(in, func(t *testing.T) {
			if sum := portable([]byte(in)); hex.EncodeToString(sum[:]) != want {
				t.Errorf("the digest of %q is %x, want %s", in, sum, want)
			}
		})
	}
}

func TestPortableEqualsTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 300)
	for n := range data {
		data[n] = byte(rng.Uint32())
		if portable(data[:n]) != sha256.Sum256(data[:n]) ||
			Sum(data[:n]) != sha256.Sum256(data[:n]) {
			t.Fatalf("the digests of %x differ", data[:n])
		}
	}
}

func BenchmarkPortable(b *testing.B) {
	data := make([]byte, 1<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		portable(data)
	}
}
