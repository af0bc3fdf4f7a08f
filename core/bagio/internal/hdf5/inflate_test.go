package hdf5

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// texts returns data of different kinds: empty, zeros, noise, repeated words, shuffled floats.
func texts(r *rand.Rand) map[string][]byte {
	noise := make([]byte, 100_000)
	few := make([]byte, 100_000)
	for i := range noise {
		noise[i], few[i] = byte(r.Uint32()), byte(r.ExpFloat64()*3)
	}
	words := bytes.Repeat([]byte("a word and another one, "), 5000)
	for range 500 {
		words[r.IntN(len(words))] = byte(r.Uint32())
	}
	return map[string][]byte{"empty": nil, "one": {7}, "zeros": make([]byte, 70_000),
		"noise": noise, "few": few, "words": words,
		"mixed": slices.Concat(noise[:40_000], words, few)}
}

// zlibTwin decompresses with compress/zlib at most limit bytes.
func zlibTwin(data []byte, limit int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(out) > limit {
		err = errTooLong
	}
	return out, err
}

// compareInflate checks that data is decompressed, or refused, as by compress/zlib.
func compareInflate(t *testing.T, z *inflater, data []byte, limit int) {
	t.Helper()
	want, wantErr := zlibTwin(data, limit)
	dst := make([]byte, limit)
	n, err := z.inflate(dst, data)
	must.Equal(t, err == nil, wantErr == nil, err, wantErr)
	if err == nil && !bytes.Equal(dst[:n], want) {
		t.Fatal("the data differ")
	}
}

// All data that compress/zlib writes are decompressed, and broken streams are refused, as by its
// reader.
func TestInflate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var z inflater
	for name, text := range texts(r) {
		t.Run(name, func(t *testing.T) {
			for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
				var packed bytes.Buffer
				w := must.Get(zlib.NewWriterLevel(&packed, level))(t)
				w.Write(text)
				w.Close()
				data := packed.Bytes()
				compareInflate(t, &z, data, len(text))
				compareInflate(t, &z, data, len(text)+1000)
				if len(text) > 0 {
					compareInflate(t, &z, data, len(text)-1)
				}
				for range 12 {
					compareInflate(t, &z, data[:r.IntN(len(data))], len(text))
					broken := bytes.Clone(data)
					broken[r.IntN(min(len(broken), 400))] ^= 1 << r.IntN(8)
					compareInflate(t, &z, broken, len(text)+1000)
				}
			}
		})
	}
}

func FuzzInflate(f *testing.F) {
	for _, text := range texts(rand.New(rand.NewPCG(5, 6))) {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 9} {
			var packed bytes.Buffer
			w, _ := zlib.NewWriterLevel(&packed, level)
			w.Write(text[:min(len(text), 3000)])
			w.Close()
			f.Add(packed.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareInflate(t, new(inflater), data, 5000) })
}
