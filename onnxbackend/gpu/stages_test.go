//go:build gpu && !js

package gpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestStaging uploads more than all stages hold, twice, and wants the same bytes back: whole
// pieces, and a last one of one value. Stages stay for the second time.
func TestStaging(t *testing.T) {
	p := narrowed(t, limits{}, 64<<20)
	before := len(p.stages) // those of other tests of this device
	r := rand.NewChaCha8([32]byte{1})
	for _, n := range []int{stagedFrom - 4, stagedFrom, 2*stageBytes + 4, 2*stageBytes + 4} {
		data, got := make([]byte, n), make([]byte, n)
		must.Get(r.Read(data))(t)
		must.Do(t, p.use(func() error {
			j := job{p: p}
			defer j.close()
			b, err := j.upload(data)
			if err != nil {
				return err
			}
			return p.download(t.Context(), &j.record, [][]byte{got}, []*buffer{b})
		}))
		if !bytes.Equal(got, data) {
			t.Errorf("of %d bytes others come back", n)
		}
	}
	if want := max(2, before); len(p.stages) != want {
		t.Errorf("there are %d stages, want %d for a device of 64 MB", len(p.stages), want)
	}
}
