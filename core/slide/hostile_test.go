package slide

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"flag"
	"hash/crc32"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

var thorough = flag.Int("thorough", 1, "how many times more damaged files to try")

// names lists the slides of the test data.
func names(t testing.TB) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.tif", "*.svs", "*.ndpi", "*.scn", "*.bif",
		"bands/*.tif"} {
		found, err := filepath.Glob(filepath.Join("testdata", pattern))
		must.Do(t, err, pattern)
		must.Equal(t, len(found) != 0, true, pattern)
		for _, f := range found {
			list = append(list, must.Get(filepath.Rel("testdata", f))(t))
		}
	}
	return list
}

// look opens a slide of colours, or of bands, and reads the first pixels of every picture.
func look(data []byte) {
	for _, bands := range []*core.Bands{nil, {}} {
		s, err := OpenWith("a.tif", bytes.NewReader(data), int64(len(data)), Options{Bands: bands})
		if err == nil {
			lookAt(s)
		}
	}
}

func lookAt(s *Slide) {
	for i, l := range s.Levels {
		s.Region(i, image.Rect(0, 0, min(l.Width, 200), min(l.Height, 200)))
		s.Tile(i, 0, 0)
		s.Values(i, image.Rect(0, 0, min(l.Width, 200), min(l.Height, 200)))
	}
	for _, a := range s.Associated {
		if a.Width*a.Height < 1<<16 {
			s.Picture(a)
		}
	}
}

// FuzzOpen expects no panic, whatever a file holds. Its seeds are small files.
func FuzzOpen(f *testing.F) {
	small, err := filepath.Glob(filepath.Join("..", "bagio", "testdata", "pictures", "*.tif"))
	must.Do(f, err, small)
	must.Equal(f, len(small) >= 10, true, small)
	for _, name := range append(small, filepath.Join("testdata", "grey.tif")) {
		data, err := os.ReadFile(name)
		must.Do(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { look(data) })
}

// TestBroken reads damaged slides.
func TestBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range names(t) {
		data := file(t, name)
		for range 60 * *thorough {
			look(damage.Bytes(data, random))
		}
	}
}

// A tag of a directory that the tests write: LONG values.
type tag struct {
	number uint16
	values []uint32
}

// classic returns a little-endian TIFF file of one directory, whose next one is at a place.
func classic(next uint32, tags ...tag) []byte {
	le := binary.LittleEndian
	out := append([]byte("II*\x00"), 8, 0, 0, 0)
	out = le.AppendUint16(out, uint16(len(tags)))
	behind := uint32(len(out) + 12*len(tags) + 4)
	var lists []byte
	for _, g := range tags {
		out = le.AppendUint32(le.AppendUint16(le.AppendUint16(out, g.number), 4),
			uint32(len(g.values)))
		if len(g.values) == 1 {
			out = le.AppendUint32(out, g.values[0])
			continue
		}
		out = le.AppendUint32(out, behind+uint32(len(lists)))
		for _, v := range g.values {
			lists = le.AppendUint32(lists, v)
		}
	}
	return append(le.AppendUint32(out, next), lists...)
}

// picture returns the tags of a tiled RGB picture of one tile.
func picture(wide, high, tileWide, tileHigh uint32, more ...tag) []tag {
	return append([]tag{{tagWidth, []uint32{wide}}, {tagHeight, []uint32{high}},
		{tagBits, []uint32{8, 8, 8}}, {tagPhotometric, []uint32{isRGB}},
		{tagSamples, []uint32{3}}, {tagTileWidth, []uint32{tileWide}},
		{tagTileHeight, []uint32{tileHigh}}, {tagTileOffsets, []uint32{8}},
		{tagTileBytes, []uint32{16}}}, more...)
}

// described returns a file of one picture with a description, whose bytes are at the end.
func described(text string, more ...tag) []byte {
	le := binary.LittleEndian
	data := classic(0, append(picture(16, 16, 16, 16, more...), tag{tagDescription, nil})...)
	at := bytes.Index(data, []byte{tagDescription & 255, tagDescription >> 8, 4, 0})
	le.PutUint16(data[at+2:], 2)
	le.PutUint32(data[at+4:], uint32(len(text)))
	le.PutUint32(data[at+8:], uint32(len(data)))
	return append(data, text...)
}

// repeated returns a file of n directories, all like the only one of a file.
func repeated(data []byte, n int) []byte {
	le := binary.LittleEndian
	directory := bytes.Clone(data[8:][:2+12*int(le.Uint16(data[8:]))+4])
	next := 8 + len(directory) - 4
	for range n - 1 {
		le.PutUint32(data[next:], uint32(len(data)))
		data = append(data, directory...)
		next = len(data) - 4
	}
	return data
}

// wide returns a BigTIFF file of one directory with a tag of eight-byte values.
func wide(count uint64, values uint64) []byte {
	le := binary.LittleEndian
	data := append([]byte("II+\x00\x08\x00\x00\x00"), 16, 0, 0, 0, 0, 0, 0, 0)
	data = le.AppendUint64(data, count)
	data = le.AppendUint16(le.AppendUint16(data, tagTileOffsets), 16)
	data = le.AppendUint64(le.AppendUint64(data, values), 16)
	return append(data, make([]byte, 64)...)
}

// TestHostile opens files that are made to cheat, and measures what is allocated.
func TestHostile(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want func(error) bool
	}{
		{"empty", nil, is[*FormatError]},
		{"a header alone", []byte("II*\x00"), is[*FormatError]},
		{"a loop of directories", classic(8, picture(16, 16, 16, 16)...), is[*FormatError]},
		{"a directory below itself", classic(0, picture(16, 16, 16, 16,
			tag{tagSubIFDs, []uint32{8}})...), is[*FormatError]},
		{"thousands of directories", repeated(classic(0, picture(16, 16, 16, 16)...), 2000),
			is[*FormatError]},
		{"2^63 tags", wide(1<<63, 1), is[*FormatError]},
		{"2^61 tiles", wide(1, 1<<61), is[*FormatError]},
		{"a long text of a thousand labels", repeated(described("Aperio\nlabel "+
			strings.Repeat("a", 1<<20)), mostDirectories), is[*FormatError]},
		{"a thousand labels with tables", repeated(described("<OME>"+strings.Repeat(
			"<Image Name='label'/>", mostDirectories-1)+
			"<Image><Pixels SizeX='16' SizeY='16'/></Image></OME>",
			tag{tagCompression, []uint32{byJPEG}},
			tag{tagJPEGTables, make([]uint32, mostTables/4)}), mostDirectories), is[*FormatError]},
		{"a text of 4 MiB", described(strings.Repeat("a", mostText+1)), is[*FormatError]},
		{"XML that expands", described("<!DOCTYPE a [<!ENTITY b 'b'>]><OME>&b;</OME>"),
			is[*FormatError]},
		{"tiles of 2^31", classic(0, picture(1<<31-1, 1<<31-1, 1<<31, 1<<31)...), is[*LimitError]},
		{"a million tiles of which one is there", classic(0, picture(1<<20, 1<<10, 32, 32)...),
			is[*FormatError]},
		{"no pixels", classic(0, picture(0, 16, 16, 16)...), is[*FormatError]},
		{"tiles without pixels", classic(0, picture(16, 16, 0, 16)...), is[*FormatError]},
		{"a hundred samples", classic(0, append([]tag{{tagSamples, []uint32{100}}},
			picture(16, 16, 16, 16)...)...), is[*UnsupportedError]},
		{"no samples", classic(0, append([]tag{{tagSamples, []uint32{0}},
			{tagPhotometric, []uint32{blackIsZero}}}, picture(16, 16, 16, 16)...)...),
			is[*UnsupportedError]},
		{"samples of several sizes", classic(0, append([]tag{{tagBits, []uint32{8, 16, 8}}},
			picture(2, 2, 2, 2)...)...), is[*UnsupportedError]},
		{"a tile that is too short", classic(0, picture(4096, 4096, 4096, 4096)...),
			is[*FormatError]},
		{"deflate that is none", classic(0, picture(16, 16, 16, 16,
			tag{tagCompression, []uint32{byDeflate}})...), is[*FormatError]},
		{"JPEG that is none", classic(0, picture(16, 16, 16, 16,
			tag{tagCompression, []uint32{byJPEG}})...), is[*FormatError]},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := Open("a.tif", bytes.NewReader(c.data), int64(len(c.data)))
			if err == nil {
				_, err = s.Region(0, image.Rect(0, 0, 16, 16))
			}
			runtime.ReadMemStats(&after)
			must.Equal(t, c.want(err), true, err)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("%d MB are allocated", n>>20)
			}
		})
	}
}

// TestLongLists reads one tile of a slide with a million of them: the lists are not read whole.
func TestLongLists(t *testing.T) {
	tags := picture(1<<15, 1<<15, 32, 32)
	tags[7].values, tags[8].values = make([]uint32, 1<<20), make([]uint32, 1<<20)
	data := classic(0, tags...)
	at := uint32(len(data))
	tags[7].values[1<<19], tags[8].values[1<<19] = at, 32*32*3
	data = append(classic(0, tags...), bytes.Repeat([]byte{7}, 32*32*3)...)
	r := &counting{Reader: bytes.NewReader(data)}
	s := must.Get(Open("a.tif", r, int64(len(data))))(t)
	m := must.Get(s.Region(0, image.Rect(0, 16384, 32, 16384+32)))(t)
	must.Equal(t, m.RGBAAt(31, 31).R, 7)
	if white, err := s.Region(0, image.Rect(0, 0, 1, 1)); err != nil || white.Pix[0] != 255 {
		t.Errorf("a tile without data: %v, %v", white, err)
	}
	must.Equal(t, r.bytes <= 10_000, true, r.bytes)
}

// counting counts the bytes that are read.
type counting struct {
	*bytes.Reader
	bytes int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.bytes += len(p)
	return c.Reader.ReadAt(p, at)
}

// bombs returns small files that unpack to much, or make a decoder allocate it.
func bombs(t testing.TB) map[string][]byte {
	t.Helper()
	// Of a picture of one block, its packed bytes stand behind the directory.
	one := func(side uint32, compression uint32, packed []byte, more ...tag) []byte {
		tags := picture(side, side, side, side, more...)
		tags = append(tags, tag{tagCompression, []uint32{compression}})
		at := uint32(len(classic(0, tags...)))
		tags[7].values, tags[8].values = []uint32{at}, []uint32{uint32(len(packed))}
		return append(classic(0, tags...), packed...)
	}
	var zeros, photo bytes.Buffer
	z := zlib.NewWriter(&zeros)
	z.Write(make([]byte, 3*4096*4096))
	z.Close()
	must.Do(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 2048, 2048)), nil))
	return map[string][]byte{
		"deflate":  one(4096, byDeflate, zeros.Bytes()),
		"PackBits": one(4096, byPackBits, bytes.Repeat([]byte{0x81, 0}, 3*4096*4096/128)),
		"JPEG":     one(2048, byJPEG, photo.Bytes()),
		"dictionary of LZMA": one(16, byLZMA, binary.LittleEndian.AppendUint32(
			[]byte("\xfd7zXZ\x00\x00\x00\xff\x12\xd9\x41\x02\x00\x21\x01\x1c\x00\x00\x00"),
			crc32.ChecksumIEEE([]byte("\x02\x00\x21\x01\x1c\x00\x00\x00")))),
		"lossless WebP": one(16, byWebP,
			append([]byte("RIFF\x0c\x40\x00\x00WEBPVP8L\x00\x40\x00\x00\x2f"),
				make([]byte, 1<<14)...)),
		"XML": described("<OME " + strings.Repeat("a='' ", mostText/5-10) + ">"),
		"no data": classic(0, append(picture(4096, 4096, 4096, 4096)[:8],
			tag{tagTileBytes, []uint32{0}})...),
	}
}

// TestScans refuses a JPEG picture of thousands of scans before it is decoded: each takes the time
// of all pixels.
func TestScans(t *testing.T) {
	var one bytes.Buffer
	must.Do(t, jpeg.Encode(&one, image.NewGray(image.Rect(0, 0, 16, 16)), nil))
	end := one.Len() - 2
	scan := one.Bytes()[bytes.Index(one.Bytes(), []byte{0xff, 0xda}):end]
	for _, scans := range []int{1, 4000} {
		stream := bytes.Repeat(scan, scans-1)
		stream = append(append(bytes.Clone(one.Bytes()[:end]), stream...), 0xff, 0xd9)
		file := func(at uint32) []byte {
			return classic(0, tag{tagWidth, []uint32{16}}, tag{tagHeight, []uint32{16}},
				tag{tagBits, []uint32{8}}, tag{tagCompression, []uint32{byJPEG}},
				tag{tagTileWidth, []uint32{16}}, tag{tagTileHeight, []uint32{16}},
				tag{tagTileOffsets, []uint32{at}}, tag{tagTileBytes, []uint32{uint32(len(stream))}})
		}
		data := append(file(uint32(len(file(0)))), stream...)
		s, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		must.Do(t, err)
		_, err = s.Tile(0, 0, 0)
		refused := is[*FormatError](err) && strings.Contains(err.Error(), "scans")
		must.Equal(t, refused, scans > 1, scans, err)
	}
}

// TestBombs opens bombs in a memory that does not hold what they make. Each is refused before it
// takes much, and nothing stays reserved.
func TestBombs(t *testing.T) {
	const limit = 16 << 20
	for name, data := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			m := quota.NewMemory(limit)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := OpenWith("a.tif", bytes.NewReader(data), int64(len(data)), Options{Memory: m})
			if err == nil {
				_, err = s.Region(0, image.Rect(0, 0, 16, 16))
			}
			runtime.ReadMemStats(&after)
			n := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KB, %.1f MB are allocated: %v", len(data)>>10, float64(n)/1e6, err)
			must.Equal(t, is[*quota.MemoryError](err), true, err)
			must.Equal(t, n <= limit, true, n>>20, m.Held())
			must.Equal(t, m.Held(), 0, n>>20)
		})
	}
}

// TestCacheInMemory reads all blocks of slides in a memory that holds few of them. Blocks are the
// same, and those that are remembered are reserved.
func TestCacheInMemory(t *testing.T) {
	for _, limit := range []int64{300 << 10, 64 << 20} {
		data := file(t, "lzw_predictor.tif")
		m := quota.NewMemory(limit)
		s := must.Get(OpenWith("a.tif", bytes.NewReader(data), int64(len(data)),
			Options{Memory: m}))(t)
		plain := open(t, "lzw_predictor.tif")
		for i := range 2 * 9 {
			got, err := s.Tile(0, i%3, i/3%3)
			if err != nil {
				t.Fatal(err)
			}
			want, err := plain.Tile(0, i%3, i/3%3)
			if err != nil || !bytes.Equal(got.Pix, want.Pix) {
				t.Fatalf("block %d differs; %v", i, err)
			}
		}
		if held := m.Held(); held == 0 || held > limit || held != int64(s.blocks.bytes) {
			t.Errorf("%d bytes are reserved for blocks of %d", held, s.blocks.bytes)
		}
	}
}

// TestViewedBlocks reads regions that are blocks, as viewers do: they are not remembered. Other
// regions remember theirs. Both have the pixels of the whole level.
func TestViewedBlocks(t *testing.T) {
	s := open(t, "lzw_predictor.tif")
	l := s.Levels[0]
	bounds := image.Rect(0, 0, l.Width, l.Height)
	whole := must.Get(s.Region(0, bounds))(t)
	compare := func(r image.Rectangle) {
		t.Helper()
		got := must.Get(s.Region(0, r))(t)
		if d := furthest(t, got, whole.SubImage(r)); d != 0 {
			t.Errorf("%v differs by %d", r, d)
		}
	}
	for y := 0; y < l.Height; y += l.TileHeight {
		for x := 0; x < l.Width; x += l.TileWidth {
			compare(image.Rect(x, y, x+l.TileWidth, y+l.TileHeight).Intersect(bounds))
		}
	}
	must.Equal(t, s.blocks.bytes, 0)
	compare(image.Rect(1, 1, l.TileWidth+1, l.TileHeight+1))
	must.Equal(t, s.blocks.bytes != 0, true, "blocks that are needed again are forgotten")
	compare(image.Rect(0, 0, l.TileWidth, l.TileHeight)) // a block that is remembered
}

// TestUnknownTags keeps the tags of a directory that are read: others, thousands in each of a
// thousand directories that share their bytes, would take hundreds of megabytes.
func TestUnknownTags(t *testing.T) {
	tags := picture(16, 16, 16, 16)
	for i := range uint16(mostEntries - len(tags)) {
		tags = append(tags, tag{1000 + i, []uint32{7}})
	}
	data := classic(0, tags...)
	c, first, err := openContainer("a.tif", bytes.NewReader(data), int64(len(data)), Options{})
	must.Do(t, err)
	d, _, err := c.directory(first)
	must.Do(t, err, len(d.entries))
	must.Equal(t, len(d.entries), 9)
}
