package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

const page = `<!doctype html><meta http-equiv="Content-Security-Policy"
  content="default-src 'none';
           script-src &#39;self&#39; 'wasm-unsafe-eval';"><title>x</title>`

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler(fstest.MapFS{
		"index.html":         {Data: []byte(page)},
		"assets/engine.wasm": {Data: []byte("\x00asm")},
		"assets/a.js":        {Data: []byte("1")},
		"example/bags.npz":   {Data: []byte("PK")},
	}))
	defer server.Close()
	const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'"
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/assets/engine.wasm", 200, "application/wasm"},
		{"HEAD", "/assets/a.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/example/bags.npz", 200, "application/octet-stream"},
		{"GET", "/nothing.js", 404, ""},
		{"GET", "/../handler.go", 404, ""},
		{"POST", "/", 405, ""},
	} {
		request, err := http.NewRequest(c.method, server.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.path, response.StatusCode, c.status)
		}
		if got := response.Header.Get("Content-Type"); c.kind != "" && got != c.kind {
			t.Errorf("%s %s: type %q, want %q", c.method, c.path, got, c.kind)
		}
		if got := response.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s %s: policy %q, want %q", c.method, c.path, got, policy)
		}
		if response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: sniffing is allowed", c.method, c.path)
		}
	}
}

func TestPageWithoutPolicy(t *testing.T) {
	if p := pagePolicy(fstest.MapFS{"index.html": {Data: []byte("<p>")}}); p != "" {
		t.Errorf("policy %q out of nothing", p)
	}
}
