package slide

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// zarrFile returns an archive of the OME-Zarr pictures.
func zarrFile(t testing.TB, name string) []byte { return file(t, "omezarr/"+name+".zip") }

// openZipped opens an archive of an OME-Zarr picture.
func openZipped(data []byte, o Options) (*Slide, error) {
	return OpenWith("slide.zarr.zip", bytes.NewReader(data), int64(len(data)), o)
}

// storeOf returns the files of an archive, without the folder that all are in.
func storeOf(t testing.TB, data []byte) fstest.MapFS {
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	out := fstest.MapFS{}
	for _, f := range r.File {
		in := must.Get(f.Open())(t)
		data := new(bytes.Buffer)
		must.Get(data.ReadFrom(in))(t)
		out[strings.TrimPrefix(f.Name, "slide.zarr/")] = &fstest.MapFile{Data: data.Bytes()}
	}
	return out
}

// openStore opens the document of a store.
func openStore(t testing.TB, store fstest.MapFS) (*Slide, error) {
	name := ZarrIn(store)
	must.Equal(t, name != "", true, "no document")
	data := store[name].Data
	return OpenWith(name, bytes.NewReader(data), int64(len(data)), Options{Beside: store})
}

// hash returns the SHA-256 of the colours of a picture, row by row.
func hash(m *image.RGBA) string {
	var out []byte
	for i := 0; i < len(m.Pix); i += 4 {
		out = append(out, m.Pix[i:i+3]...)
	}
	sum := sha256.Sum256(out)
	return hex.EncodeToString(sum[:])
}

// TestOMEZarr compares the pixels of all levels with those that zarr reads, from archives and from
// folders.
func TestOMEZarr(t *testing.T) {
	var want map[string][]string
	must.Do(t, json.Unmarshal(file(t, "omezarr/pixels.json"), &want))
	must.Equal(t, len(want), 14)
	microns := map[string]float64{"ome_zarr": .25, "v4_last": 0, "v1_old": 0, "v3_old": 0}
	for name, sums := range want {
		t.Run(name, func(t *testing.T) {
			data := zarrFile(t, name)
			zipped := must.Get(openZipped(data, Options{}))(t)
			for where, s := range map[string]*Slide{"archive": zipped,
				"folder": must.Get(openStore(t, storeOf(t, data)))(t)} {
				of, other := microns[name]
				if !other {
					of = .5
				}
				if !(math.Abs(s.MicronsX-of) <= 1e-9) || s.MicronsY != s.MicronsX ||
					s.Format != "OME-Zarr" || len(s.Levels) != 3 {
					t.Fatalf("%s: %+v", where, s)
				}
				for i, l := range s.Levels {
					m := must.Get(s.Region(i, image.Rect(0, 0, l.Width, l.Height)))(t)
					if hash(m) != sums[i] {
						t.Errorf("%s: level %d of %d x %d pixels differs", where, i, l.Width,
							l.Height)
					}
				}
			}
			must.Equal(t, zipped.Grey(), name == "v4_grey", "colours")
		})
	}
}

// TestOMEZarrParts reads the pixels of a part like those of the whole.
func TestOMEZarrParts(t *testing.T) {
	s := must.Get(openZipped(zarrFile(t, "v5_shards"), Options{}))(t)
	l := s.Levels[0]
	must.Equal(t, l.TileWidth, 24, l)
	must.Equal(t, l.TileHeight, 20, l)
	whole := must.Get(s.Region(0, image.Rect(0, 0, l.Width, l.Height)))(t)
	part := must.Get(s.Region(0, image.Rect(17, 11, 60, 47)))(t)
	must.Equal(t, furthest(t, part, whole.SubImage(image.Rect(17, 11, 60, 47))), 0,
		"the part differs")
}

// TestOMEZarrNotes states what of a store is not read.
func TestOMEZarrNotes(t *testing.T) {
	for name, want := range map[string]string{
		"v4_raw":   "several pictures; the first one is read",
		"v4_named": `its channels "DAPI", "FITC", "TRITC"; they are read as red, green`,
		"v4_blosc": "",
	} {
		s := must.Get(openZipped(zarrFile(t, name), Options{}))(t)
		if notes := strings.Join(s.PageNotes(), " "); !strings.Contains(notes, want) ||
			(want == "") != (notes == "") {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// TestOMEZarrRefused names what is not read, with a next step.
func TestOMEZarrRefused(t *testing.T) {
	for name, want := range map[string][]string{
		"refused_16_bits": {"OME-Zarr pictures with numbers other than whole ones of 8 bits are",
			"['level0'][:3, :, :]; a=(a * (255 / a.max())).astype('u1')"},
		"refused_channels": {"with 6 channels are", "['level0'][0, :3, 0, :, :]; tifffile"},
		"refused_planes": {"with 5 entries of the axis z are",
			"['0'][2, :, :]; tifffile.imwrite('slide.tif', a, photometric='minisblack'"},
		"refused_codec": {"the codec lzma", "zarr and tifffile write"},
		"refused_plate": {"it is a plate", "give the folder of one picture"},
	} {
		_, err := openZipped(zarrFile(t, name), Options{})
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", name, err, text)
			}
		}
		if !is[*UnsupportedError](err) && !is[*FormatError](err) {
			t.Errorf("%s: %T", name, err)
		}
	}
	document := storeOf(t, zarrFile(t, "v4_grey"))[".zattrs"].Data
	_, err := Open(".zattrs", bytes.NewReader(document), int64(len(document)))
	must.Fail(t, err)
	must.Contain(t, err.Error(), "shutil.make_archive('slide.zarr'")
}

// TestIsZarr tells pictures from stores of features and other files.
func TestIsZarr(t *testing.T) {
	features := must.Get(os.ReadFile(filepath.Join("..", "bagio", "testdata", "zarr",
		"v3_none.zarr.zip")))(t)
	for _, c := range []struct {
		name string
		data []byte
		want bool
	}{
		{"a.zip", zarrFile(t, "v4_zlib"), true}, {"a.zip", features, false},
		{"a.zip", []byte("PK\x03\x04"), false}, {"a.zip", nil, false},
		{"zarr.json", []byte(`{"attributes":{"ome":{"multiscales":[]}}}`), true},
		{"in/.zattrs", []byte(`{"plate":{}}`), true}, {".zattrs", []byte(`{"a":1}`), false},
		{"zarr.json", []byte(`{`), false}, {"b.json", []byte(`{"plate":{}}`), false},
	} {
		got := IsZarr(c.name, bytes.NewReader(c.data), int64(len(c.data)), nil)
		must.Equal(t, got, c.want, c.name, c.data)
	}
}

// TestOMEZarrDamaged expects errors in words for stores that cannot be read.
func TestOMEZarrDamaged(t *testing.T) {
	const array, document = "level0/.zarray", ".zattrs"
	for want, change := range map[string][3]string{
		"no axes y and x":               {document, `"name":"x"`, `"name":"w"`},
		"is no array of 2 axes":         {document, `{"name":"c","type":"channel"},`, ""},
		"level0: it is no group and no": {document, `"path":"level0"`, `"path":"../level0"`},
		"its picture has no levels":     {document, `"datasets"`, `"others"`},
		"does not list the levels":      {document, `"multiscales":[`, `"multiscales":[],"b":[`},
		"its shape or that":             {array, `"shape":[3,`, `"shape":[3,-`},
		"has 75 x 0 pixels":             {array, `"shape":[3,`, `"shape":[3,0,75],"b":[`},
		"does not show the same":        {array, `"shape":[3,`, `"shape":[3,640,75],"b":[`},
		"a chunk of level 0 has 32768 x 32768 pixels; at most": {array, `"chunks":[1,`,
			`"chunks":[1,32768,32768],"b":[`},
		"a chunk is too large": {array, `"chunks":[1,`, `"chunks":[1,1048576,1048576],"b":[`},
	} {
		store := compacted(t, storeOf(t, zarrFile(t, "v4_fill")))
		text := strings.Replace(string(store[change[0]].Data), change[1], change[2], 1)
		must.Equal(t, text != string(store[change[0]].Data), true, change[1], text)
		store[change[0]] = &fstest.MapFile{Data: []byte(text)}
		if _, err := openStore(t, store); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, damage := range map[string]func(data []byte) []byte{
		"lie outside of its":  func(data []byte) []byte { return data[:10] },
		"checksum":            func(data []byte) []byte { data[len(data)-1] ^= 1; return data },
		"an OME-Zarr picture": func([]byte) []byte { return nil },
	} {
		store := storeOf(t, zarrFile(t, "v5_shards"))
		const shard = "level0/c/0/0/0"
		store[shard] = &fstest.MapFile{Data: damage(slices.Clone(store[shard].Data))}
		s := must.Get(openStore(t, store))(t)
		_, err := s.Region(0, image.Rect(0, 0, 24, 20))
		must.Equal(t, is[*FormatError](err), true, err, want)
		must.Contain(t, err.Error(), want)
	}
}

// compacted returns a store whose documents have no spaces.
func compacted(t testing.TB, store fstest.MapFS) fstest.MapFS {
	for name, f := range store {
		if strings.HasPrefix(filepath.Base(name), ".z") {
			var out bytes.Buffer
			must.Do(t, json.Compact(&out, f.Data))
			store[name] = &fstest.MapFile{Data: out.Bytes()}
		}
	}
	return store
}

// TestOMEZarrMemory reserves blocks and the directory of an archive, and releases blocks that are
// not remembered.
func TestOMEZarrMemory(t *testing.T) {
	data := zarrFile(t, "v4_grey")
	must.Fail(t, must.Err(openZipped(data, Options{Memory: quota.NewMemory(1 << 10)})))
	m := quota.NewMemory(1 << 30)
	s := must.Get(openZipped(data, Options{Memory: m}))(t)
	before := m.Held()
	l := s.Levels[0]
	must.Get(s.Region(0, image.Rect(0, 0, l.Width, l.Height)))(t)
	must.Equal(t, before != 0, true, m.Held(), before)
	must.Equal(t, m.Held(), before)
}

// lookZarr opens an archive and reads a block of every level.
func lookZarr(data []byte) {
	s, err := openZipped(data, Options{Memory: quota.NewMemory(1 << 26)})
	if err != nil {
		return
	}
	for i := range s.Levels {
		s.Tile(i, 0, 0)
	}
}

// FuzzOMEZarr expects no panic, whatever an archive holds.
func FuzzOMEZarr(f *testing.F) {
	for _, name := range []string{"v5_shards", "refused_planes", "v4_fill", "refused_codec"} {
		f.Add(zarrFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { lookZarr(data) })
}

// TestBrokenOMEZarr reads damaged archives, and stores whose files are damaged.
func TestBrokenOMEZarr(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	paths := must.Get(filepath.Glob("testdata/omezarr/*.zip"))(t)
	for _, path := range paths {
		data := must.Get(os.ReadFile(path))(t)
		store := storeOf(t, data)
		var names []string
		must.Do(t, fs.WalkDir(store, ".", func(name string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				names = append(names, name)
			}
			return err
		}))
		for range 20 * *thorough {
			lookZarr(damage.Bytes(data, random))
			name := names[random.IntN(len(names))]
			old := store[name]
			store[name] = &fstest.MapFile{Data: damage.Bytes(old.Data, random)}
			if ZarrIn(store) != "" {
				if s, err := openStore(t, store); err == nil {
					for i := range s.Levels {
						s.Tile(i, 0, 0)
					}
				}
			}
			store[name] = old
		}
	}
}
