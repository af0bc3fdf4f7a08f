package zarr

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// An Array is an array, of which nothing but its description was read.
type Array struct {
	Shape []int
	Kind  byte // f i u b for numbers, T for texts, U for texts of UCS-4, 0 for others
	Size  int  // bytes of an entry; 0 for texts
	Big   bool

	store   *store
	path    string
	chunk   []int  // shape of a file
	inner   []int  // shape of the chunks in a shard, which a file is, or nil
	sums    bool   // the index of a shard has a checksum
	first   bool   // it stands before the chunks
	fill    []byte // an entry that is not stored
	prefix  string // beginning of the names of chunks
	mark    string // letter between the numbers in the names of chunks
	fortran bool   // the first axis of a chunk varies fastest
	codecs  []codec
	wrong   error // why it cannot be read, or nil
}

// A codec packs the bytes of a chunk.
type codec struct{ name string }

// shape reads a list of whole numbers of at least least.
func shape(v *fastjson.Value, least int) ([]int, bool) {
	if v == nil {
		return nil, false
	}
	list, err := v.Array()
	if err != nil || len(list) > mostAxes {
		return nil, false
	}
	out := []int{}
	for _, entry := range list {
		n, err := entry.Int64()
		if err != nil || n < int64(least) || n > min(1<<40, math.MaxInt) {
			return nil, false
		}
		out = append(out, int(n))
	}
	return out, true
}

// mostPadded bounds the bytes of a chunk that is larger than its array, and mostChunks the chunks
// of an array, each of which can be a file.
const (
	mostPadded = 64 << 20
	mostChunks = 1 << 18
)

// sized reads the shape of the array and of its chunks.
func (a *Array) sized(s, chunk *fastjson.Value) error {
	var ok, alsoOK bool
	a.Shape, ok = shape(s, 0)
	a.chunk, alsoOK = shape(chunk, 1)
	if !ok || !alsoOK || len(a.Shape) != len(a.chunk) {
		return damaged(a.path, "its shape or that of its chunks is no list of whole numbers, or "+
			"they have different numbers of axes")
	}
	n := int64(1)
	for _, d := range a.Shape {
		if d > 0 && n > a.store.limits.Elements/int64(d) {
			return &LimitError{a.path, "the array is too large", "elements",
				a.store.limits.Elements}
		}
		n *= int64(max(d, 1))
	}
	size := int64(max(a.Size, 8))
	most := min(a.store.limits.Bytes, max(mostPadded, n*size))
	unit := a.Unit()
	for i := range a.chunk {
		if len(unit) != len(a.chunk) || a.chunk[i]%unit[i] != 0 {
			return damaged(a.path, "its chunks do not divide its shards")
		}
	}
	if a.store.limits.Apart {
		return a.sizedApart(size)
	}
	chunks := int64(1)
	for i := range a.chunk {
		if size > most/int64(a.chunk[i]) {
			return &LimitError{a.path, "a chunk is too large", "bytes", most}
		}
		size *= int64(a.chunk[i])
		// The last shards may hold chunks behind the end of the array.
		along := int64(max(a.Shape[i]-1, 0)/a.chunk[i]+1) * int64(a.chunk[i]/unit[i])
		if chunks > mostChunks/along {
			return &LimitError{a.path, "the array has too many chunks", "chunks", mostChunks}
		}
		chunks *= along
	}
	return nil
}

// sizedApart checks the shape of the chunks of an array that is read by Chunk. size is that of an
// entry.
func (a *Array) sizedApart(size int64) error {
	inShard := int64(1)
	for i, n := range a.Unit() {
		if size > a.store.limits.Bytes/int64(n) {
			return &LimitError{a.path, "a chunk is too large", "bytes", a.store.limits.Bytes}
		}
		size *= int64(n)
		if inShard > mostChunks/int64(a.chunk[i]/n) {
			return &LimitError{a.path, "a shard has too many chunks", "chunks", mostChunks}
		}
		inShard *= int64(a.chunk[i] / n)
	}
	return nil
}

// plainType returns the parts of a type of NumPy, such as <f4: its order, kind and bytes. ok is
// false for another one. A regular expression would add 110 kB to the program for browsers.
func plainType(text string) (order, kind byte, size int, ok bool) {
	if len(text) < 3 || !strings.ContainsRune("<>|", rune(text[0])) ||
		!strings.ContainsRune("fiubU", rune(text[1])) {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(text[2:], 10, 13)
	return text[0], text[1], int(n), err == nil
}

// version2 reads a .zarray.
func (s *store) version2(at string, v *fastjson.Value) (*Array, error) {
	a := &Array{store: s, path: at, mark: ".", fortran: string(v.GetStringBytes("order")) == "F"}
	if mark := string(v.GetStringBytes("dimension_separator")); mark != "" {
		a.mark = mark
	}
	dtype := string(v.GetStringBytes("dtype"))
	filters := v.GetArray("filters")
	if order, kind, size, ok := plainType(dtype); ok {
		a.Big = order == '>'
		a.number(kind, size)
		if kind == 'U' {
			a.Kind, a.Size = 'U', 4*size
		}
	} else if dtype == "|O" && len(filters) == 1 &&
		string(filters[0].GetStringBytes("id")) == "vlen-utf8" {
		a.Kind, filters = 'T', nil
	}
	if a.Kind == 0 || a.Kind == 'U' && a.Size == 0 {
		a.Kind = 0
		a.wrong = &UnsupportedError{at, msg.Sprintf("the type %s", dtype)}
	}
	if len(filters) > 0 {
		a.wrong = &UnsupportedError{at, msg.Sprintf("the filter %s",
			string(filters[0].GetStringBytes("id")))}
	}
	if c := v.Get("compressor"); c != nil && c.Type() == fastjson.TypeObject {
		a.addCodec(string(c.GetStringBytes("id")))
	}
	a.fillOf(v.Get("fill_value"))
	return a, a.sized(v.Get("shape"), v.Get("chunks"))
}

// number sets the type of numbers.
func (a *Array) number(kind byte, size int) {
	if kind == 'b' && size == 1 || kind == 'f' && (size == 2 || size == 4 || size == 8) ||
		(kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8) {
		a.Kind, a.Size = kind, size
	}
}

// codecNames are the codecs that are read.
var codecNames = []string{"blosc", "zstd", "gzip", "zlib", "lz4", "crc32c"}

// addCodec adds a codec of bytes.
func (a *Array) addCodec(name string) {
	packing := slices.ContainsFunc(a.codecs, func(c codec) bool { return c.name != "crc32c" })
	if !slices.Contains(codecNames, name) || packing && name != "crc32c" {
		a.wrong = &UnsupportedError{a.path, msg.Sprintf("the codec %s", name)}
		return
	}
	a.codecs = append(a.codecs, codec{name})
}

// version3 reads a zarr.json of an array.
func (s *store) version3(at string, v *fastjson.Value) (*Array, error) {
	a := &Array{store: s, path: at, mark: "/", prefix: "c/"}
	dtype := string(v.GetStringBytes("data_type"))
	for _, t := range []struct {
		name string
		kind byte
	}{{"float", 'f'}, {"int", 'i'}, {"uint", 'u'}} {
		if bits, ok := strings.CutPrefix(dtype, t.name); ok {
			if n, err := strconv.Atoi(bits); err == nil {
				a.number(t.kind, n/8)
			}
		}
	}
	switch {
	case dtype == "bool":
		a.number('b', 1)
	case dtype == "string":
		a.Kind = 'T'
	case a.Kind == 0:
		a.wrong = &UnsupportedError{at, msg.Sprintf("the type %s", dtype)}
	}
	keys := v.Get("chunk_key_encoding")
	if string(keys.GetStringBytes("name")) == "v2" {
		a.mark, a.prefix = ".", ""
	}
	if mark := string(keys.GetStringBytes("configuration", "separator")); mark != "" {
		a.mark = mark
		if a.prefix != "" {
			a.prefix = "c" + mark
		}
	}
	list := v.GetArray("codecs")
	if len(list) == 1 && string(list[0].GetStringBytes("name")) == "sharding_indexed" {
		list = a.shards(list[0].Get("configuration"))
	}
	a.addCodecs(list)
	a.fillOf(v.Get("fill_value"))
	return a, a.sized(v.Get("shape"), v.Get("chunk_grid", "configuration", "chunk_shape"))
}

// addCodecs adds the codecs of version 3.
func (a *Array) addCodecs(list []*fastjson.Value) {
	for _, c := range list {
		switch name := string(c.GetStringBytes("name")); name {
		case "bytes":
			a.Big = string(c.GetStringBytes("configuration", "endian")) == "big"
		case "vlen-utf8":
		default:
			a.addCodec(name)
		}
	}
}

// shards reads how files are shards of chunks, and returns the codecs of these.
func (a *Array) shards(v *fastjson.Value) []*fastjson.Value {
	inner, ok := shape(v.Get("chunk_shape"), 1)
	if a.inner = inner; !ok {
		a.inner = []int{}
	}
	a.first = string(v.GetStringBytes("index_location")) == "start"
	for _, c := range v.GetArray("index_codecs") {
		switch name := string(c.GetStringBytes("name")); {
		case name == "crc32c":
			a.sums = true
		case name != "bytes" || string(c.GetStringBytes("configuration", "endian")) == "big":
			a.wrong = &UnsupportedError{a.path, msg.Sprintf("an index of shards by %s", name)}
		}
	}
	return v.GetArray("codecs")
}

// Unit returns the shape of the chunks that are packed by themselves. It must not be changed.
func (a *Array) Unit() []int {
	if a.inner != nil {
		return a.inner
	}
	return a.chunk
}

// fillOf reads the entry that is not stored: a number, or the names of those that JSON lacks.
func (a *Array) fillOf(v *fastjson.Value) {
	a.fill = make([]byte, a.Size)
	if v == nil || a.Kind == 0 || a.Kind == 'T' || a.Kind == 'U' {
		return
	}
	x := v.GetFloat64()
	switch v.Type() {
	case fastjson.TypeTrue:
		x = 1
	case fastjson.TypeString:
		switch string(v.GetStringBytes()) {
		case "NaN":
			x = math.NaN()
		case "Infinity":
			x = math.Inf(1)
		case "-Infinity":
			x = math.Inf(-1)
		default: // the bits in hexadecimal
			a.wrong = &UnsupportedError{a.path, "the value of entries that are not stored"}
		}
	}
	var order binary.ByteOrder = binary.LittleEndian
	if a.Big {
		order = binary.BigEndian
	}
	switch {
	case a.Kind == 'f' && a.Size == 4:
		order.PutUint32(a.fill, math.Float32bits(float32(x)))
	case a.Kind == 'f' && a.Size == 8:
		order.PutUint64(a.fill, math.Float64bits(x))
	case a.Kind == 'f' && x != 0:
		a.wrong = &UnsupportedError{a.path, "the value of entries that are not stored"}
	case a.Kind != 'f':
		whole := v.GetInt64()
		if x == 1 {
			whole = 1
		}
		for i := range a.Size {
			at := i
			if a.Big {
				at = a.Size - 1 - i
			}
			a.fill[at] = byte(whole >> (8 * i))
		}
	}
}
