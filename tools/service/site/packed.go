package site

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// packedEndings are those of files that gzip makes much smaller.
var packedEndings = []string{".css", ".csv", ".html", ".js", ".json", ".mjs", ".onnx", ".svg",
	".wasm", ".webmanifest"}

// leastPacked is the size in bytes from which a file is compressed.
const leastPacked = 1 << 10

// mostPacked bounds the bytes of a file that is compressed, and of all compressed files in memory.
const mostPacked = 64 << 20

// A packer compresses the files of a site when they are first asked for, and keeps them. A file
// that changes on disk is compressed anew.
type packer struct {
	files fs.FS

	mu    sync.Mutex
	held  map[string]packedFile
	bytes int64
}

// A packedFile is a file of the site as gzip.
type packedFile struct {
	of   fs.FileInfo
	data []byte
}

// accepts reports whether a client takes gzip.
func accepts(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(strings.ReplaceAll(weight, " ", ""), "0.") != "q="
		}
	}
	return false
}

// serve answers a request with a compressed file. It does nothing and returns false if the file is
// better sent as it is.
func (p *packer) serve(w http.ResponseWriter, r *http.Request) bool {
	name := path.Clean("/" + r.URL.Path)[1:]
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	if !slices.Contains(packedEndings, strings.ToLower(path.Ext(name))) ||
		path.Base(name) == "index.html" && !strings.HasSuffix(r.URL.Path, "/") {
		return false
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if !accepts(r) || r.Header.Get("Range") != "" {
		return false
	}
	f, ok := p.packed(name)
	if !ok {
		return false
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", typeOf(name))
	http.ServeContent(w, r, name, f.of.ModTime(), bytes.NewReader(f.data))
	return true
}

// packed returns a file compressed, and false if it cannot be read, is small or large, or does not
// become smaller. Requests wait for each other, so that a file is compressed once.
func (p *packer) packed(name string) (packedFile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := fs.Stat(p.files, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() < leastPacked ||
		info.Size() > mostPacked {
		return packedFile{}, false
	}
	f, known := p.held[name]
	if !known || f.of.Size() != info.Size() || !f.of.ModTime().Equal(info.ModTime()) {
		data, err := fs.ReadFile(p.files, name)
		if err != nil || int64(len(data)) > mostPacked {
			return packedFile{}, false
		}
		p.bytes -= int64(len(f.data))
		f = packedFile{info, compressed(data)}
		if p.bytes += int64(len(f.data)); p.bytes > mostPacked {
			p.held, p.bytes = nil, int64(len(f.data))
		}
		if p.held == nil {
			p.held = map[string]packedFile{}
		}
		p.held[name] = f
	}
	return f, int64(len(f.data)) < info.Size()
}

// compressed returns data as gzip.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}
