package geojson

import (
	"bytes"
	"compress/gzip"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/damage"
)

var thorough = flag.Int("thorough", 1, "how many times as many damaged files are tried")

// TestMutants reads damaged annotations, plain and packed: without a panic and in bounded time.
func TestMutants(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(annotations)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	tried, read, longest := 0, 0, time.Duration(0)
	for range 500 * *thorough {
		for _, seed := range [][]byte{[]byte(annotations), packed.Bytes()} {
			data, start := damage.Bytes(seed, r), time.Now()
			if regions, _, err := Read("a.geojson", data); err == nil {
				read++
				_, _ = Labels(slide(20), regions, nil)
			}
			tried, longest = tried+1, max(longest, time.Since(start))
		}
	}
	t.Logf("%d damaged files, %d can be read, at most %v", tried, read, longest)
	if read == 0 || read == tried || longest > 20*time.Second {
		t.Errorf("%d of %d damaged files can be read, in at most %v", read, tried, longest)
	}
}
