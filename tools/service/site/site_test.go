package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/must"
)

const page = `<!doctype html><meta http-equiv="Content-Security-Policy"
  content="default-src 'none';
           script-src &#39;self&#39; 'wasm-unsafe-eval';"><title>x</title>`

const blobPage = `<meta http-equiv="Content-Security-Policy" content="worker-src blob:">`

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler(fstest.MapFS{
		"index.html":         {Data: []byte(page)},
		"assets/engine.wasm": {Data: []byte("\x00asm")},
		"assets/a.js":        {Data: []byte("1")},
		"example/bags.npz":   {Data: []byte("PK")},
		"bench/index.html":   {Data: []byte(blobPage)},
		"bench/a/worker.js":  {Data: []byte("1")},
		"bare/index.html":    {Data: []byte("<p>")},
	}))
	defer server.Close()
	const (
		unframed = "frame-ancestors 'none'"
		policy   = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; " + unframed
		blobs    = "worker-src blob:; " + unframed
	)
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
		policy       string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", policy},
		{"GET", "/assets/engine.wasm", 200, "application/wasm", policy},
		{"HEAD", "/assets/a.js", 200, "text/javascript; charset=utf-8", policy},
		{"GET", "/example/bags.npz", 200, "application/octet-stream", policy},
		{"GET", "/bench/", 200, "text/html; charset=utf-8", blobs},
		{"GET", "/bench/a/worker.js", 200, "text/javascript; charset=utf-8", blobs},
		{"GET", "/bare/", 200, "text/html; charset=utf-8", unframed},
		{"GET", "/nothing.js", 404, "", policy},
		{"GET", "/nothing.html", 404, "", unframed},
		{"GET", "/../handler.go", 404, "", policy},
	} {
		request := must.Get(http.NewRequest(c.method, server.URL+c.path, nil))(t)
		response := must.Get(http.DefaultTransport.RoundTrip(request))(t)
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		must.Equal(t, response.StatusCode, c.status, c.method, c.path)
		if got := response.Header.Get("Content-Type"); c.kind != "" && got != c.kind {
			t.Errorf("%s %s: type %q, want %q", c.method, c.path, got, c.kind)
		}
		must.Equal(t, response.Header.Get("Content-Security-Policy"), c.policy, c.method, c.path)
		must.Equal(t, response.Header.Get("X-Content-Type-Options"), "nosniff", c.method, c.path)
	}
}

func TestFolderWithoutPages(t *testing.T) {
	must.Equal(t, policyFor(fstest.MapFS{"a/b.js": {Data: []byte("1")}}, "/a/b.js"), "")
}

// TestDocumentedHeaders: the lines for hosts that do not read _headers state the headers that
// Handler sets. A page states the rest of its policy itself.
func TestDocumentedHeaders(t *testing.T) {
	guide := must.Get(os.ReadFile("../../../www/docs/privacy.md"))(t)
	w := httptest.NewRecorder()
	files := fstest.MapFS{"index.html": {Data: []byte(page)}}
	Handler(files).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	headers := 0
	for name, values := range w.Result().Header {
		value := values[0]
		switch name {
		case "Content-Type", "Content-Length", "Last-Modified", "Accept-Ranges", "Cache-Control",
			"Vary":
			continue
		case "Content-Security-Policy":
			value = value[strings.LastIndex(value, "frame-ancestors"):]
		}
		headers++
		for _, line := range []string{
			"\nadd_header " + name + ` "` + value + `" always;` + "\n",
			"\nHeader always set " + name + ` "` + value + `"` + "\n",
			"\n  " + name + ` "` + value + `"` + "\n",
		} {
			must.Contain(t, string(guide), line)
		}
	}
	must.Equal(t, headers, 5)
}
