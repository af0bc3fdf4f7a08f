package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// repeatedSlide returns a slide of side x side pixels and a level of a sixteenth of it, which
// repeat one block of 256 pixels: its file is small, and its pixels are not.
func repeatedSlide(side int) []byte {
	const block = 256
	var tile bytes.Buffer
	z := zlib.NewWriter(&tile)
	for i := range block * block {
		z.Write([]byte{byte(200 - i%40), byte(i % 97), byte(120 + i/block%90)})
	}
	z.Close()
	le := binary.LittleEndian
	file := append([]byte("II*\x00\x00\x00\x00\x00"), tile.Bytes()...)
	link := 4 // place of the address of the next directory
	for _, size := range []int{side, side / 16} {
		n := (size + block - 1) / block * ((size + block - 1) / block)
		file = append(file, make([]byte, len(file)%2)...)
		list := func(value uint32) uint32 {
			at := len(file)
			for range n {
				file = le.AppendUint32(file, value)
			}
			return uint32(at)
		}
		offsets, counts := list(8), list(uint32(tile.Len()))
		bits := uint32(len(file))
		file = le.AppendUint16(le.AppendUint16(le.AppendUint16(file, 8), 8), 8)
		le.PutUint32(file[link:], uint32(len(file)))
		reduced := uint32(0)
		if size < side {
			reduced = 1
		}
		tags := [][4]uint32{{254, 4, 1, reduced}, {256, 4, 1, uint32(size)},
			{257, 4, 1, uint32(size)}, {258, 3, 3, bits}, {259, 3, 1, 8}, {262, 3, 1, 2},
			{277, 3, 1, 3}, {284, 3, 1, 1}, {322, 3, 1, block}, {323, 3, 1, block},
			{324, 4, uint32(n), offsets}, {325, 4, uint32(n), counts}}
		file = le.AppendUint16(file, uint16(len(tags)))
		for _, tag := range tags {
			file = le.AppendUint16(le.AppendUint16(file, uint16(tag[0])), uint16(tag[1]))
			file = le.AppendUint32(le.AppendUint32(file, tag[2]), tag[3])
		}
		link = len(file)
		file = le.AppendUint32(file, 0)
	}
	return file
}

// TestResidentMemoryOfTiles encodes 10,000 patches, which are 490 MB as the numbers that an encoder
// takes, within --memory of 140 MB: the overview, decoded blocks and three batches.
func TestResidentMemoryOfTiles(t *testing.T) {
	const patches, size = 10_000, 64
	pixels := 4. * 3 * size * size * patches / 1e6
	folder := t.TempDir()
	slide := filepath.Join(folder, "slide.tif")
	must.Do(t, os.WriteFile(slide, repeatedSlide(100*size), 0o600))
	encoder := writeTemp(t, "means.onnx", ot.MeanEncoder(size).Bytes())
	const memory = 140
	out := filepath.Join(folder, "bag.h5")
	peak, text := peakOf(t, "tiles", slide, "--mpp", "0", "--whole-slide", "--encoder", encoder,
		"--memory", fmt.Sprint(memory), "--out", out)
	t.Logf("the peak is %.0f MB for %.0f MB of pixels", peak, pixels)
	must.Contain(t, text, fmt.Sprintf("%d patches of %d pixels", patches, size))
	must.Equal(t, peak <= memory+programMB, true, peak, memory+programMB)
	if info, err := os.Stat(out); err != nil || info.Size() < patches*(2*8+3*4) {
		t.Errorf("the file is %v, %v", info, err)
	}
}
