package bagio

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/internal/zarr"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// isZarr reports whether a zip archive holds a Zarr store.
func isZarr(s *source) bool {
	if !begins(s.head, "PK\x03\x04") {
		return false
	}
	r, err := openZip(s, Limits{})
	return err == nil && zarr.Root(r) != ""
}

// setFromZarr reads the features of a Zarr store in a zip archive.
func setFromZarr(s *source, o Options) (*Set, error) {
	r, err := openZip(s, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	return setFromStore(s.name, r, o)
}

// A zarrFile is an open Zarr store.
type zarrFile struct {
	name   string
	limits Limits
	nodes  []*zarr.Node
}

// setFromStore reads the features of a Zarr store: AnnData, or arrays with usual names.
func setFromStore(file string, fsys fs.FS, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	f := &zarrFile{name: file, limits: l}
	var err error
	f.nodes, err = zarr.Open(fsys, zarr.Limits{Elements: l.Elements, Bytes: l.Bytes,
		Reserve: func(bytes int64) error { return l.reserve(file, bytes) }})
	if err != nil {
		return nil, f.error(err)
	}
	n, lists := &namedArrays{file: file, attributes: attributes{}, own: map[string]attributes{}},
		f.lists()
	groups := map[string]attributes{}
	for _, node := range f.nodes {
		_, of4 := node.Attributes["multiscales"]
		if _, of5 := node.Attributes["ome"]; of4 || of5 {
			return nil, bad(file, "it holds a picture of OME-Zarr in its folder %s; give that "+
				"folder", cmp.Or(node.Path, "."))
		}
		if node.Array == nil {
			groups[path.Clean(node.Path)] = node.Attributes
		}
	}
	sparse := sparseMatrices(groups, lists)
	n.addSparse(sparse, l)
	for _, node := range f.nodes {
		for key, value := range node.Attributes {
			n.attributes[key] = value
		}
		if a := node.Array; a != nil && sparse[path.Dir(node.Path)] == nil {
			n.own[node.Path] = node.Attributes
			if err := f.add(n, node, o); err != nil {
				return nil, err
			}
		}
	}
	n.columns, n.groups = lists, groups
	return setFromFeatures(n, o)
}

// add adds an array: small ones of AnnData's dicts and single numbers are attributes.
func (f *zarrFile) add(n *namedArrays, node *zarr.Node, o Options) error {
	a := node.Array
	said := strings.HasPrefix(node.Path, "uns/")
	if node.Path != o.Array && (said || len(a.Shape) == 0) {
		if count := product(a.Shape); !a.IsNumber() || a.Supported() != nil || count < 1 ||
			count > mostAttributes {
			return nil
		}
		numbers, err := f.list(node).numbers()
		if err != nil {
			return err
		}
		_, rest, ok := strings.Cut(node.Path, "/")
		if !ok {
			rest = node.Path
		}
		n.attributes[rest] = numbers
		return nil
	}
	if !a.IsNumber() && node.Path != o.Array && !slices.Contains(featureNames,
		path.Base(node.Path)) {
		n.others = append(n.others, msg.Sprintf("%s (texts or records)", node.Path))
		return nil
	}
	n.arrays = append(n.arrays, namedArray{node.Path, a.Shape, func() (*Array, error) {
		return f.list(node).array()
	}})
	return nil
}

// lists returns the arrays of one axis, not nil.
func (f *zarrFile) lists() []pathList {
	lists := []pathList{}
	for _, node := range f.nodes {
		if node.Array != nil && len(node.Array.Shape) == 1 {
			lists = append(lists, pathList{node.Path, f.list(node)})
		}
	}
	return lists
}

func (f *zarrFile) list(node *zarr.Node) zarrList {
	a := node.Array
	z := zarrList{f: f, path: node.Path, Array: a}
	z.arrayList = arrayList{product(a.Shape), dtype{kind: a.Kind, size: a.Size}, f.limits, z.array}
	return z
}

// A zarrList is an array of a store.
type zarrList struct {
	arrayList
	f    *zarrFile
	path string
	*zarr.Array
}

func (z zarrList) isText() bool { return z.Kind == 'T' || z.Kind == 'U' }

// array reads the array in the type of the store.
func (z zarrList) array() (*Array, error) {
	data, err := z.Numbers()
	if err != nil {
		return nil, z.f.error(err)
	}
	return &Array{Shape: z.Shape, dtype: dtype{kind: z.Kind, size: z.Size, big: z.Big}, data: data,
		file: z.f.name + "/" + z.path, start: -1}, nil
}

func (z zarrList) texts() ([]string, error) {
	if z.Kind == 'U' {
		return z.arrayList.texts()
	}
	texts, err := z.Texts()
	if err != nil {
		return nil, z.f.error(err)
	}
	return texts, nil
}

// error returns an error of a store in this package's types.
func (f *zarrFile) error(err error) error {
	var format *zarr.FormatError
	var limit *zarr.LimitError
	var memory *quota.MemoryError
	var busy *quota.MemoryBusyError
	switch {
	case errors.As(err, &memory), errors.As(err, &busy):
		return err
	case errors.As(err, &limit):
		return &LimitError{path.Join(f.name, limit.Path), limit.What, limit.Setting, limit.Limit}
	case errors.As(err, &format):
		return because(format.Err, bad(path.Join(f.name, format.Path), "as a Zarr store it cannot "+
			"be read: %s", msg.Text(format.Reason)))
	}
	return bad(f.name, "%v", err)
}
