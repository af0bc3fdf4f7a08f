package dicom

import (
	"bytes"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
)

// hostileBounds keep the memory of a fuzzed file small.
var hostileBounds = Options{Pixels: 1 << 16, Bytes: 1 << 20}

// FuzzOpen decodes the first frames of damaged files without a panic. The seeds are files of each
// transfer syntax, made here so that they run without pydicom's.
func FuzzOpen(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(tryFile)
}

// TestDamaged damages each byte of small files, and cuts them at each byte.
func TestDamaged(t *testing.T) {
	try := func(data []byte) {
		file, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), hostileBounds)
		if err != nil {
			return
		}
		if r, err := file.Frame(file.Frames - 1); err == nil {
			r.Shown()
		}
	}
	// Decoding takes a millisecond, so that the heads of the stream and of its pixels alone change.
	packed := streamOf(t, "rgb_lossy.j2k", 3, 8).File()
	try(packed)
	for i := range bytes.Index(packed, []byte{0xff, 0x93}) + 32 {
		packed[i] ^= 0x81
		try(packed)
		packed[i] ^= 0x81
	}
	for _, s := range dicomtest.Samples() {
		for i := range s {
			try(s[:i])
			for _, v := range []byte{0, 0xff, s[i] ^ 1, s[i] ^ 0x80} {
				damaged := bytes.Clone(s)
				damaged[i] = v
				try(damaged)
			}
		}
	}
}
