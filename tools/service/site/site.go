// Package site serves the folder of the web page with the headers that the page needs.
package site

import (
	_ "embed"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// types maps endings to content types that the tables of some systems lack. A browser compiles a
// wasm module during the download only if its type is application/wasm.
var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".csv":   "text/csv; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".ico":   "image/x-icon",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".mjs":   "text/javascript; charset=utf-8",
	".npy":   "application/octet-stream",
	".npz":   "application/octet-stream",
	".onnx":  "application/octet-stream",
	".svg":   "image/svg+xml",
	".wasm":  "application/wasm",
	".woff2": "font/woff2",
}

// headerLines holds the headers that every file of the site needs, in the format of Netlify and
// Cloudflare Pages. The build of the site copies it into the site's folder for these hosts.
//
//go:embed _headers
var headerLines string

// Handler serves the files of a folder with headers for security. Each page states its
// Content-Security-Policy in a meta element. The header repeats it before frame-ancestors, which
// only a header can state. Clients that take gzip get what is smaller by it compressed.
func Handler(files fs.FS) http.Handler {
	static := http.FileServerFS(files)
	smaller := &packer{files: files}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for line := range strings.Lines(headerLines) {
			if name, value, found := strings.Cut(strings.TrimSpace(line), ": "); found {
				h.Set(name, value)
			}
		}
		if policy := policyFor(files, r.URL.Path); policy != "" {
			const name = "Content-Security-Policy"
			h.Set(name, policy+"; "+h.Get(name))
		}
		// A browser revalidates each file, so that a new build is visible at once.
		h.Set("Cache-Control", "no-cache")
		if t := typeOf(r.URL.Path); t != "" {
			h.Set("Content-Type", t)
		}
		if !smaller.serve(w, r) {
			static.ServeHTTP(w, r)
		}
	})
}

// typeOf returns the content type for the name of a file, or "" if it is unknown.
func typeOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t, ok := types[ext]; ok {
		return t
	}
	return mime.TypeByExtension(ext)
}

// metaPolicy matches the meta element with the policy of a page.
var metaPolicy = regexp.MustCompile(
	`(?is)<meta[^>]*http-equiv\s*=\s*"Content-Security-Policy"[^>]*content\s*=\s*"([^"]*)"`)

// policyFor returns the policy for a path. A page has its own policy. Any other file, such as the
// script of a worker, has the policy of the index page in its folder or in the nearest folder
// above.
func policyFor(files fs.FS, requested string) string {
	name := path.Clean("/" + requested)[1:]
	if path.Ext(name) == ".html" {
		return pagePolicy(files, name)
	}
	for folder := name; ; folder = path.Dir(folder) {
		page := path.Join(folder, "index.html")
		if info, err := fs.Stat(files, page); err == nil && !info.IsDir() {
			return pagePolicy(files, page)
		}
		if folder == "." || folder == "" {
			return ""
		}
	}
}

// pagePolicy returns the policy of a page, or "" if it has none.
func pagePolicy(files fs.FS, name string) string {
	page, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	m := metaPolicy.FindSubmatch(page)
	if m == nil {
		return ""
	}
	policy := strings.Join(strings.Fields(html.UnescapeString(string(m[1]))), " ")
	return strings.TrimSuffix(policy, ";")
}
