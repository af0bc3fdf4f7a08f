package bagio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/internal/webpframe"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// mutable is a format whose files are damaged.
type mutable struct {
	format string
	seeds  map[string][]byte
	// repair makes checksums of a damaged file right, so that the bytes behind them are read. Nil
	// if the format has none.
	repair func(data []byte, r *rand.Rand) []byte
}

// mutables returns small files of every format.
func mutables(t *testing.T) []mutable {
	t.Helper()
	zipped := globFiles(t, "testdata", "torch/*.pt")
	legacy := map[string][]byte{}
	for name, data := range zipped {
		if strings.Contains(name, "legacy_") {
			legacy[name] = data
			delete(zipped, name)
		}
	}
	var photo bytes.Buffer
	must.Do(t, jpeg.Encode(&photo, noise(image.Point{}, 24, 16), nil))
	hdf5 := map[string][]byte{}
	for _, name := range []string{"clam.h5", "trident.h5", "coords_plain.h5", "batch_first.h5",
		"names.h5", "links.h5", "virtual.h5", "superblock_1.h5", "user_block_v114.h5",
		"partial_chunks.h5", "sizes_2_8.h5"} {
		hdf5[name] = hdf5Sample(t, name)
	}
	table := []byte("bag;flag;Label;f1;x0;y0;x1;y1;instance_label;f2\n" +
		"b;size;1;1.5;0;0;2;2;-1;-3e2\n")
	idx := []byte("\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x02" +
		"\x00\x01\xfe\xff\x00\x01\xfe\xff\x00\x01\xfe\xff")
	return []mutable{
		{"HDF5", hdf5, nil},
		{"PyTorch, zip", zipped, damageMembers},
		{"PyTorch, legacy", legacy, nil},
		{"safetensors", globFiles(t, "testdata", "torch/*.safetensors"), nil},
		{".npy", map[string][]byte{"bag.npy": testdata(t, "bag.npy")}, nil},
		{".npz", map[string][]byte{"stored.npz": testdata(t, "stored.npz"),
			"deflated.npz": testdata(t, "deflated.npz")}, damageMembers},
		{"CSV", map[string][]byte{"table.csv": table,
			"quoted.csv":    []byte("bag,f1\n\"a\nb\",1\na,2.5\n"),
			"packed.csv.gz": gzipped(t, table)}, nil},
		{"IDX", map[string][]byte{"images-idx3-ubyte": idx,
			"packed-idx3-ubyte.gz": gzipped(t, idx)}, nil},
		{"TIFF", globFiles(t, "testdata", "pictures/*.tif"), nil},
		{"PNG", globFiles(t, "testdata", "pictures/*.png"), sumChunks},
		{"JPEG", map[string][]byte{"photo.jpg": photo.Bytes()}, nil},
		{"WebP", globFiles(t, "..", "bagio/testdata/pictures/*.webp"), nil},
	}
}

// TestMutants reads damaged files of every format: without a panic, to an end, in bounded memory,
// and with the same result from memory and in parts.
func TestMutants(t *testing.T) {
	for _, f := range mutables(t) {
		t.Run(f.format, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(f.format)), 1))
			names := slices.Sorted(maps.Keys(f.seeds)) // their order can be repeated
			o := Options{Limits: small, Patch: PatchOptions{Size: 4}}
			tried, read, most := 0, 0, uint64(0)
			for range 200 * *thorough / len(f.seeds) {
				for _, name := range names {
					data := f.mutant(f.seeds[name], r)
					before := allocated()
					damage.Ends(fmt.Sprintf("%s, damaged file %d", name, tried), func() {
						if examine(t, name, data, o) == nil {
							read++
						}
					})
					memory := allocated() - before
					tried++
					most = max(most, memory)
					// A lossless WebP allocates its tables of codes twice, from memory and in
					// parts.
					_, tables := webpframe.Bytes(data)
					if memory > fileBytes+2*uint64(tables) {
						keep(t, name, data)
						t.Fatalf("%s: %d bytes are allocated", name, memory)
					}
				}
			}
			t.Logf("%d damaged files, %d can be read, at most %d KiB are allocated", tried, read,
				most>>10)
			must.Equal(t, read != 0, true, read, tried)
			must.Equal(t, read != tried, true, read, tried)
		})
	}
}

// mutant returns a damaged file. Half of the files of formats with checksums have right ones.
func (f mutable) mutant(seed []byte, r *rand.Rand) []byte {
	if f.repair != nil && r.IntN(2) == 0 {
		return f.repair(seed, r)
	}
	return damage.Bytes(seed, r)
}

// keep writes a file for a search of its mistake.
func keep(t *testing.T, name string, data []byte) {
	path := filepath.Join(t.ArtifactDir(), name)
	must.Equal(t, os.WriteFile(path, data, 0o600) == nil, true)
	t.Logf("the file is %s", path)
}

// damageMembers damages the members of an archive, and packs them with their checksums.
func damageMembers(data []byte, r *rand.Rand) []byte {
	from, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return data
	}
	var packed bytes.Buffer
	to := zip.NewWriter(&packed)
	for _, member := range from.File {
		source, err := member.Open()
		if err != nil {
			return data
		}
		content, err := io.ReadAll(source)
		if err != nil {
			return data
		}
		if r.IntN(2) == 0 {
			content = damage.Bytes(content, r)
		}
		// PyTorch's members are stored.
		w, err := to.CreateHeader(&zip.FileHeader{Name: member.Name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			return data
		}
	}
	if err := to.Close(); err != nil {
		return data
	}
	return packed.Bytes()
}

// sumChunks damages a PNG file, and writes the checksums of its chunks.
func sumChunks(data []byte, r *rand.Rand) []byte {
	data = damage.Bytes(data, r)
	for at := len(pngMagic); at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > len(data)-at-12 {
			break
		}
		body := data[at+4 : at+8+n]
		binary.BigEndian.PutUint32(data[at+8+n:], crc32.ChecksumIEEE(body))
		at += 12 + n
	}
	return data
}
