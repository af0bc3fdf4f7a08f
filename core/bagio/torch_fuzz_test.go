package bagio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// torchSeeds returns files of testdata/torch that match a pattern.
func torchSeeds(f *testing.F, pattern string) [][]byte {
	f.Helper()
	files, _ := filepath.Glob(filepath.Join("testdata/torch", pattern))
	must.Equal(f, len(files) != 0, true, pattern)
	var seeds [][]byte
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(f)
		seeds = append(seeds, data)
	}
	return seeds
}

func FuzzTorchLegacy(f *testing.F) {
	for _, seed := range torchSeeds(f, "legacy_*.pt") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "x.pt", append([]byte(torchLegacy[0]), data...), Options{Limits: small})
		examine(t, "x.pt", data, Options{Limits: small})
	})
}

// FuzzTorchPickle packs a changed pickle into an archive: checksums keep changes of a whole file
// from its members.
func FuzzTorchPickle(f *testing.F) {
	for _, seed := range torchSeeds(f, "[a-z0-9]*.pt") {
		r, err := zip.NewReader(bytes.NewReader(seed), int64(len(seed)))
		if err != nil {
			continue // a legacy file
		}
		main := must.Get(r.Open(torchPickle(r).Name))(f)
		var packed bytes.Buffer
		must.Get(packed.ReadFrom(main))(f)
		f.Add(packed.Bytes(), make([]byte, 80))
	}
	f.Fuzz(func(t *testing.T, program, storage []byte) {
		var file bytes.Buffer
		w := zip.NewWriter(&file)
		for name, data := range map[string][]byte{"a/data.pkl": program, "a/data/0": storage} {
			m := must.Get(w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))(t)
			m.Write(data)
		}
		w.Close()
		examine(t, "x.pt", file.Bytes(), Options{Limits: small})
	})
}

func FuzzSafetensors(f *testing.F) {
	for _, seed := range torchSeeds(f, "*.safetensors") {
		header := seed[8 : 8+binary.LittleEndian.Uint64(seed)]
		f.Add(header, seed[8+len(header):])
	}
	f.Fuzz(func(t *testing.T, header, values []byte) {
		file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
		examine(t, "x.safetensors", append(append(file, header...), values...),
			Options{Limits: small})
	})
}

// oneTensor is a pickle of a tensor of 2^28 elements that repeats the one of the storage 0.
const oneTensor = "ctorch._utils\n_rebuild_tensor_v2\n" +
	"((X\x07\x00\x00\x00storagectorch\nFloatStorage\n" +
	"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00(J\x00\x00\x00\x10K\x04t(K\x00K\x00t\x89NtR."

// TestTorchBombs checks that a small file cannot claim much memory.
func TestTorchBombs(t *testing.T) {
	for name, program := range map[string]string{
		"strides of zero": "\x80\x02" + oneTensor,
		"lists in lists":  "\x80\x02" + strings.Repeat("](\x94", 1<<20),
		"doubling": "\x80\x02]q\x00" + strings.Repeat("]q\x01(h\x00h\x00eq\x00", 1<<16) +
			"h\x00.",
		"a list in itself": "\x80\x02]q\x00h\x00a.",
		"a long text":      "\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.",
		// Each number has a name that repeats the key.
		"a long key": "\x80\x02}X\x00\x00\x20\x00" + strings.Repeat("k", 2<<20) + "](" +
			strings.Repeat("K\x00", 1<<17) + "es.",
	} {
		t.Run(name, func(t *testing.T) {
			file := torchArchive(t, program)
			before := allocated()
			_, err := Read("x.pt", file, Options{})
			must.Fail(t, err)
			if got := allocated() - before; got > 256<<20 {
				t.Errorf("%d MB were allocated: %v", got>>20, err)
			}
		})
	}
}

// A legacy file lists the keys of its storages. Printing a nest of tuples there would take forever.
func TestTorchNestedStorage(t *testing.T) {
	nest := "\x80\x02]K\x01" + strings.Repeat("2\x86", 60) + "a."
	file := torchLegacy[0] + "\x80\x02M\xe9\x03." + "\x80\x02}." + "\x80\x02]." + nest
	_, err := Read("x.pt", []byte(file), Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "a storage that no tensor uses")
}

// torchArchive returns an archive of torch.save with a pickle and a storage of one number.
func torchArchive(t *testing.T, program string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for name, data := range map[string]string{"a/data.pkl": program, "a/data/0": "\x00\x00\x80?"} {
		m := must.Get(w.Create(name))(t)
		m.Write([]byte(data))
	}
	w.Close()
	return file.Bytes()
}
