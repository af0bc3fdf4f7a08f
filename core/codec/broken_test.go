//go:build !js

package codec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// TestBroken decodes 100 damaged streams of each kind, or more by -thorough.
func TestBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range streams {
		data := stream(t, c.name+".j2k")
		for i := range 100 * *thorough {
			damaged := damage.Bytes(data, random)
			damage.Ends(fmt.Sprintf("%s, damaged stream %d", c.name, i), func() {
				tryStream(t, damaged)
			})
		}
	}
}

// tryStream decodes a stream of unknown bytes, unless its header claims many pixels. It
// expects samples of the size that the header states or an error, and no instance with more memory
// than its header justifies.
func tryStream(t *testing.T, data []byte) {
	h, err := ReadHeader(data)
	if err != nil || h.Width*h.Height > 1<<16 {
		return
	}
	got, err := JPEG2000(t.Context(), data, Limits{})
	if err == nil && (got.Header != h || int64(len(got.Data)) != h.sampleBytes()) {
		t.Fatalf("%+v of %d bytes, want %+v", got.Header, len(got.Data), h)
	}
	c := must.Get(compile())(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.idle {
		if most := h.decoderBytes(len(data)); len(c.idle) == 1 &&
			int64(i.module.Memory().Size()) > max(most, 16<<20) {
			t.Fatalf("an instance has %d bytes; at most %d", i.module.Memory().Size(), most)
		}
	}
}
