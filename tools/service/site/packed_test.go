package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCompressed gets each file plainly and as gzip: both are the file, and what is smaller by gzip
// comes so to clients that take it.
func TestCompressed(t *testing.T) {
	text := []byte(strings.Repeat("a bag of instances, ", 200))
	noise := make([]byte, 4000)
	rng := rand.New(rand.NewPCG(3, 5))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	files := fstest.MapFS{
		"index.html":        {Data: text},
		"look/index.html":   {Data: text},
		"assets/engine.js":  {Data: text},
		"assets/noise.wasm": {Data: noise},
		"short.js":          {Data: text[:leastPacked-1]},
		"bags.npz":          {Data: text},
	}
	h := Handler(files)
	get := func(path string, header ...string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for _, c := range []struct {
		path   string
		want   []byte
		packed bool
	}{
		{"/", text, true},
		{"/look/", text, true},
		{"/assets/engine.js", text, true},
		{"/assets/noise.wasm", noise, false},
		{"/short.js", files["short.js"].Data, false},
		{"/bags.npz", text, false},
	} {
		for _, coding := range []string{"", "br", "gzip;q=0", "gzip; q=0.000", "identity"} {
			r := get(c.path, "Accept-Encoding", coding)
			if got := must.Get(io.ReadAll(r.Body))(t); !bytes.Equal(got, c.want) ||
				r.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is not plain for %q", c.path, coding)
			}
		}
		r := get(c.path, "Accept-Encoding", "deflate, gzip;q=0.8")
		got := must.Get(io.ReadAll(r.Body))(t)
		if packed := r.Header.Get("Content-Encoding") == "gzip"; packed != c.packed {
			t.Errorf("%s: compressed %v", c.path, packed)
		} else if packed {
			must.Equal(t, len(got) < len(c.want), true, c.path, len(got), r.Header)
			must.Equal(t, r.Header.Get("Vary"), "Accept-Encoding", c.path, len(got), r.Header)
			got = must.Get(io.ReadAll(must.Get(gzip.NewReader(bytes.NewReader(got)))(t)))(t)
		}
		if !bytes.Equal(got, c.want) || r.Header.Get("Content-Type") != typeOf(c.path) &&
			!strings.HasSuffix(c.path, "/") {
			t.Errorf("%s is another file, %s", c.path, r.Header.Get("Content-Type"))
		}
	}
	must.Equal(t, get("/index.html", "Accept-Encoding", "gzip").StatusCode, 301,
		"/index.html has status")
	must.Equal(t, get("/look", "Accept-Encoding", "gzip").StatusCode, 301, "/look has status")
	r := get("/assets/engine.js", "Accept-Encoding", "gzip", "Range", "bytes=0-3")
	must.Equal(t, string(must.Get(io.ReadAll(r.Body))(t)), "a ba", "the part is")
	// A file that changes is compressed anew.
	files["assets/engine.js"] = &fstest.MapFile{Data: text[:2000], ModTime: time.Unix(5, 0)}
	r = get("/assets/engine.js", "Accept-Encoding", "gzip")
	plain := must.Get(io.ReadAll(must.Get(gzip.NewReader(r.Body))(t)))(t)
	must.EqualSlices(t, plain, text[:2000], "the file of before is sent")
}

// TestPackedBytes: compressed files take bounded memory, and too large ones are sent as they are.
func TestPackedBytes(t *testing.T) {
	p := &packer{files: fstest.MapFS{"a.js": {Data: make([]byte, mostPacked+1)},
		"b.js": {Data: make([]byte, 5000)}}, bytes: mostPacked}
	if _, ok := p.packed("a.js"); ok {
		t.Error("a file above the limit is compressed")
	}
	if f, ok := p.packed("b.js"); !ok || p.bytes != int64(len(f.data)) || len(p.held) != 1 {
		t.Errorf("%d bytes are held", p.bytes)
	}
}
