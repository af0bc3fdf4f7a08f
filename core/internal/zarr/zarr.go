// Package zarr reads arrays of Zarr stores, versions 2 and 3, from a folder or a zip archive.
//
// It reads numbers, booleans and texts in chunks of any shape, in shards or not, packed by Blosc,
// Zstandard, gzip, zlib or LZ4, or not. Other codecs are an *UnsupportedError that names them, and
// fail the array that needs them, not the store.
package zarr

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// Limits bounds what reading a store takes.
type Limits struct {
	Elements int64                   // numbers of an array
	Bytes    int64                   // size of a chunk, packed or not
	Reserve  func(bytes int64) error // reserves memory
	// Apart is set if arrays are read by Chunk alone, so that neither the size of a shard nor the
	// number of chunks is bounded.
	Apart bool
}

// Bounds of a store.
const (
	deepest      = 32
	mostNodes    = 1 << 14
	mostMetadata = 16 << 20 // bytes of a document; of all, through Reserve
	jsonShare    = 16       // bytes that a byte of a document takes
	mostAxes     = 32
)

// A Node is a group or an array.
type Node struct {
	Path       string          // "obs/patient", or "" for the root
	Attributes map[string]any  // float64, []float64 or string
	Array      *Array          // nil for a group
	Document   *fastjson.Value // the attributes as they are stored, or nil
}

// A FormatError reports a damaged store.
type FormatError struct {
	Path   string
	Reason string
	Err    error
}

func (e *FormatError) Error() string { return msg.Sprintf("%s: %s", e.Path, msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// An UnsupportedError reports what this package does not read.
type UnsupportedError struct{ Path, What string }

func (e *UnsupportedError) Error() string {
	return msg.Sprintf("%s: %s is not supported; write the store again with zarr: python3 -c "+
		"\"import zarr; f=zarr.open('FILE', mode='r'); g=zarr.open_group('bag.zarr', mode='w'); "+
		"[g.create_array(n, data=a[...]) for n, a in f.arrays()]\"", e.Path, msg.Text(e.What))
}

// A LimitError reports that a store exceeds Limits.
type LimitError struct {
	Path, What, Setting string
	Limit               int64
}

func (e *LimitError) Error() string { return msg.Sprintf("%s: %s", e.Path, msg.Text(e.What)) }

func damaged(at, format string, args ...any) error {
	return &FormatError{Path: at, Reason: msg.Sprintf(format, args...)}
}

// A store is an open store.
type store struct {
	fsys   fs.FS
	limits Limits
	nodes  []*Node
}

// documents are the files that describe a node, by version.
var documents = []string{"zarr.json", ".zarray", ".zgroup"}

// Root returns the folder of a store in a file system: its root, or the only folder in it, as zip
// archives have. It returns "" if there is none.
func Root(fsys fs.FS) string {
	if holdsNode(fsys, ".") {
		return "."
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err == nil && len(entries) == 1 && entries[0].IsDir() && holdsNode(fsys, entries[0].Name()) {
		return entries[0].Name()
	}
	return ""
}

func holdsNode(fsys fs.FS, dir string) bool {
	return slices.ContainsFunc(documents, func(name string) bool {
		info, err := fs.Stat(fsys, path.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// Open returns the groups and arrays of a store, of which it reads the descriptions. Errors are a
// *FormatError, a *LimitError or those of Limits.Reserve.
func Open(fsys fs.FS, l Limits) ([]*Node, error) {
	root := Root(fsys)
	if root == "" {
		return nil, damaged("", "it holds no zarr.json, .zgroup or .zarray")
	}
	if root != "." {
		var err error
		if fsys, err = fs.Sub(fsys, root); err != nil {
			return nil, err
		}
	}
	s := &store{fsys: fsys, limits: l}
	return s.nodes, s.walk(".", 0)
}

// At returns the node at a path of a store, of which it reads the description. Errors are those of
// Open.
func At(fsys fs.FS, dir string, l Limits) (*Node, error) {
	if !fs.ValidPath(dir) || !holdsNode(fsys, dir) {
		return nil, damaged(dir, "it is no group and no array of the store")
	}
	s := &store{fsys: fsys, limits: l}
	n := &Node{Path: strings.TrimPrefix(dir, "."), Attributes: map[string]any{}}
	_, err := s.describe(n, dir)
	return n, err
}

// walk reads a node and those below it.
func (s *store) walk(dir string, depth int) error {
	if depth > deepest || len(s.nodes) == mostNodes {
		return damaged(dir, "it has more than %d groups and arrays, or %d in each other", mostNodes,
			deepest)
	}
	n := &Node{Path: strings.TrimPrefix(dir, "."), Attributes: map[string]any{}}
	group, err := s.describe(n, dir)
	if err != nil {
		return err
	}
	s.nodes = append(s.nodes, n)
	if !group {
		return nil // its folders hold chunks
	}
	entries, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return damaged(dir, "it cannot be read: %v", err)
	}
	for _, e := range entries {
		if child := path.Join(dir, e.Name()); e.IsDir() && holdsNode(s.fsys, child) {
			if err := s.walk(child, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe reads the documents of a node, and reports whether it is a group.
func (s *store) describe(n *Node, dir string) (group bool, err error) {
	if v, err := s.document(dir, "zarr.json"); v != nil || err != nil {
		if err != nil {
			return false, err
		}
		n.addAttributes(v.Get("attributes"))
		if string(v.GetStringBytes("node_type")) == "array" {
			n.Array, err = s.version3(n.Path, v)
			return false, err
		}
		return true, nil
	}
	v, err := s.document(dir, ".zarray")
	if err != nil {
		return false, err
	}
	if v != nil {
		if n.Array, err = s.version2(n.Path, v); err != nil {
			return false, err
		}
	}
	attributes, err := s.document(dir, ".zattrs")
	if err != nil {
		return false, err
	}
	n.addAttributes(attributes)
	return n.Array == nil, nil
}

// document reads a file of JSON, or returns nil if it does not exist.
func (s *store) document(dir, name string) (*fastjson.Value, error) {
	file := path.Join(dir, name)
	if info, err := fs.Stat(s.fsys, file); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	data, err := s.read(file, mostMetadata, jsonShare)
	if err != nil {
		return nil, err
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		return nil, damaged(file, "it is no JSON: %v", err)
	}
	return v, nil
}

// open opens a regular file and returns its size. Opening a pipe could wait for its writer forever.
// The error of a file that does not exist is that of the store's file system.
func (s *store) open(file string) (fs.File, int64, error) {
	info, err := fs.Stat(s.fsys, file)
	if missing(err) {
		return nil, 0, err
	}
	if err != nil {
		return nil, 0, damaged(file, "it cannot be read: %v", err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, damaged(file, "it is not a regular file")
	}
	f, err := s.fsys.Open(file)
	return f, info.Size(), err
}

// read reads a file of at most some bytes, of which each takes share bytes in memory.
func (s *store) read(file string, most, share int64) ([]byte, error) {
	f, size, err := s.open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most {
		return nil, &LimitError{file, msg.Sprintf("it holds %d bytes", size), "bytes", most}
	}
	if err := s.limits.Reserve(share * size); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	return data, filled(file, f, data)
}

// filled fills data from a reader of a file.
func filled(file string, r io.Reader, data []byte) error {
	if _, err := io.ReadFull(r, data); err != nil {
		return &FormatError{Path: file, Reason: msg.Sprintf("it cannot be read: %v", err),
			Err: err}
	}
	return nil
}

// addAttributes adds numbers, lists of numbers and texts.
func (n *Node) addAttributes(v *fastjson.Value) {
	if v == nil {
		return
	}
	n.Document = v
	o, err := v.Object()
	if err != nil {
		return
	}
	o.Visit(func(key []byte, v *fastjson.Value) {
		switch v.Type() {
		case fastjson.TypeNumber:
			n.Attributes[string(key)] = v.GetFloat64()
		case fastjson.TypeString:
			n.Attributes[string(key)] = string(v.GetStringBytes())
		case fastjson.TypeArray:
			var list []float64
			for _, entry := range v.GetArray() {
				x, err := entry.Float64()
				if err != nil {
					n.Attributes[string(key)] = ""
					return
				}
				list = append(list, x)
			}
			n.Attributes[string(key)] = list
		case fastjson.TypeObject:
			n.Attributes[string(key)] = ""
		}
	})
}

// missing reports whether an error says that a file does not exist.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
