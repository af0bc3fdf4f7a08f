package dicom

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

var thorough = flag.Int("thorough", 1, "how many times as many damaged files are tried")

// seeds returns a small file of each kind, those of package codec included.
func seeds(t testing.TB) [][]byte {
	several := streamOf(t, "grey_12.j2k", 1, 12)
	several.Frames = 2
	several.Fragments = [][]byte{several.Pixels[:1000], several.Pixels[1000:], several.Pixels}
	return append(dicomtest.Samples(), streamOf(t, "rgb_lossy.j2k", 3, 8).File(),
		streamOf(t, "grey_4.jls", 1, 4).File(), several.File())
}

// TestBroken reads 200 damaged files of each kind, or more by -thorough. Closed files hold no
// memory.
func TestBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i, seed := range seeds(t) {
		for k := range 200 * *thorough {
			data := damage.Bytes(seed, random)
			damage.Ends(fmt.Sprintf("kind %d, damaged file %d", i, k), func() { tryFile(t, data) })
		}
	}
}

// tryFile reads two frames of a file of unknown bytes.
func tryFile(t *testing.T, data []byte) {
	memory := quota.NewMemory(64 << 20)
	o := hostileBounds
	o.Memory = memory
	if f, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), o); err == nil {
		for i := range min(f.Frames, 2) {
			r, err := f.Frame(i)
			if err != nil {
				break
			}
			r.Values(make([]float32, r.Len()))
			r.Shown()
			if s := f.Slice(i); s.Placed {
				s.Place.Distance()
			}
		}
		f.Close()
	}
	must.Equal(t, memory.Held(), 0)
}
