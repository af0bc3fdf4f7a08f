package geojson

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

var thorough = flag.Int("thorough", 1, "how many times as many damaged files are tried")

// TestMutants reads damaged annotations, plain and packed: without a panic, and to an end.
func TestMutants(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write([]byte(annotations)))(t)
	must.Do(t, z.Close())
	r := rand.New(rand.NewPCG(7, 8))
	tried, read := 0, 0
	for range 500 * *thorough {
		for _, seed := range [][]byte{[]byte(annotations), packed.Bytes()} {
			data := damage.Bytes(seed, r)
			damage.Ends(fmt.Sprint("damaged file ", tried), func() {
				if regions, _, err := Read("a.geojson", data); err == nil {
					read++
					_, _ = Labels(slide(20), regions, nil)
				}
			})
			tried++
		}
	}
	t.Logf("%d damaged files, %d can be read", tried, read)
	must.Equal(t, read != 0, true, read, tried)
	must.Equal(t, read != tried, true, read, tried)
}
