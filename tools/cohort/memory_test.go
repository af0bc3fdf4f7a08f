package cohort

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestMemory explains honest bags beside ones that unpack to hundreds of megabytes. Only these
// fail, and the results are those without a limit.
func TestMemory(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, "\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (400000, 250), }")
	zeros := make([]byte, 1<<20)
	for range 400 {
		z.Write(zeros)
	}
	z.Close()
	bomb := filepath.Join(t.TempDir(), "bomb.npy.gz")
	must.Do(t, os.WriteFile(bomb, packed.Bytes(), 0o600))
	var honest, all []any
	for i := range 12 {
		l := Line{Model: repo(t, tiny), Bag: repo(t, tinyBags), Index: i % 3}
		honest, all = append(honest, l), append(all, l)
		if i%4 == 0 {
			all = append(all, Line{Model: repo(t, tiny), Bag: bomb})
		}
	}
	explanations := func(memory int, lines []any) (out []string, dead string) {
		o := Options{Manifest: manifest(t, lines...), Out: filepath.Join(t.TempDir(), "out"),
			Request: json.RawMessage(`{"methods":["single"]}`), Memory: memory, Workers: 3}
		run(t, o)
		files := outputs(t, o.Out)
		for _, r := range results(t, files["results.jsonl"]) {
			out = append(out, string(r.Explanation))
		}
		return out, files["dead-letters.jsonl"]
	}
	want, _ := explanations(0, honest)
	got, dead := explanations(30, all)
	must.Equal(t, len(want), 12, len(got))
	must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), len(got), len(want))
	must.Equal(t, strings.Count(dead, `"kind":"memory"`), 3, dead)
	must.Equal(t, strings.Count(dead, "\n"), 3, dead)
	// Every line releases what it held.
	must.Equal(t, (&config{Memory: 30}).memory().Held(), 0)
}
