package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestVolumeIsBag answers the question which of two volumes of a NIfTI file is the bag, with gzip,
// and finds the texts of its header in no output.
func TestVolumeIsBag(t *testing.T) {
	const marker = "DOE^JANE"
	h := make([]byte, 352)
	order := binary.LittleEndian
	order.PutUint32(h, 348)
	for i, d := range []uint16{4, 28, 28, 3, 2} {
		order.PutUint16(h[40+2*i:], d)
	}
	order.PutUint16(h[70:], 2)           // unsigned bytes
	order.PutUint32(h[108:], 0x43b00000) // 352, where voxels begin
	for _, at := range []int{4, 148, 228, 328} {
		copy(h[at:], marker)
	}
	copy(h[344:], "n+1\x00")
	for i := range 2 * 3 * 28 * 28 {
		h = append(h, byte(i*7))
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must.Get(w.Write(h))(t)
	must.Do(t, w.Close())
	file := filepath.Join(t.TempDir(), "v.nii.gz")
	must.Do(t, os.WriteFile(file, packed.Bytes(), 0o644))

	on := []string{"--model", exampleModel, "--bag", file}
	code, _, errText := bagscope(t, append([]string{"predict"}, on...)...)
	if code == 0 || !strings.Contains(errText, "--series 2 if the bag is volume 2") {
		t.Fatalf("%d: %s", code, errText)
	}
	on = append(on, "--series", "2", "--slice-axes", "kij")
	for _, command := range []string{"inspect", "predict", "explain"} {
		text := succeed(t, append([]string{command}, on...)...)
		if !strings.Contains(text, "in the order of its third axis, and columns in that of its "+
			"second") || strings.Contains(text, marker) {
			t.Errorf("%s:\n%s", command, text)
		}
	}
}
