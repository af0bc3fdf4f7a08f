package hdf5

import (
	"io"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A File gives access to the objects of an HDF5 file. Its methods do not read the file's reader
// after Open.
type File struct {
	s        *source
	datasets []*Dataset
	groups   []*Group
	links    map[string]link     // links by path, each group by its first path
	byAddr   map[uint64]*Dataset // all datasets
	paths    map[uint64]string   // the first path of each group
}

// A Group holds datasets and groups.
type Group struct {
	Path       string // "/" for the root
	Attributes []Attribute
}

// Open reads the headers of all objects in a file of size bytes. The reader is also used by the
// datasets. Errors are a *FormatError, a *LimitError, or an *UnsupportedError if a feature changes
// the meaning of the whole file. An error of the reader is wrapped in a *FormatError.
func Open(r io.ReaderAt, size int64, l Limits) (*File, error) {
	return open(newSource(r, size, l.withDefaults()))
}

func open(s *source) (*File, error) {
	sb, err := s.open()
	if err == nil {
		err = s.extended(sb)
	}
	if err != nil {
		return nil, err
	}
	f := &File{s: s, links: map[string]link{}, byAddr: map[uint64]*Dataset{},
		paths: map[uint64]string{}}
	if err := f.object("/", sb.root, 0); err != nil {
		return nil, err
	}
	if f.paths[sb.root] == "" {
		return nil, damaged(sb.root, "the root is not a group")
	}
	return f, nil
}

// Datasets returns all datasets, ordered by path. A dataset with several paths is listed once, with
// the first one.
func (f *File) Datasets() []*Dataset { return f.datasets }

// Groups returns all groups, ordered by path.
func (f *File) Groups() []*Group { return f.groups }

// object reads the object with a path and all objects below it. Groups that refer to each other in
// a circle are read once.
func (f *File) object(path string, addr uint64, depth int) error {
	if f.byAddr[addr] != nil || f.paths[addr] != "" {
		return nil
	}
	if depth > deepest {
		return inside(path, damaged(addr, "groups are nested more than %d deep", deepest))
	}
	if most := f.s.limits.Objects; int64(len(f.byAddr)+len(f.paths)) >= most {
		return &LimitError{What: "it has too many objects", Setting: "objects", Limit: most}
	}
	h, err := f.s.header(addr)
	if err != nil {
		return inside(path, err)
	}
	// Even an empty group has one of these messages.
	isGroup := h.find(msgSymbolTable) != nil || h.find(msgLinkInfo) != nil ||
		h.find(msgLink) != nil || h.find(msgGroupInfo) != nil
	switch {
	case isGroup:
		return inside(path, f.group(path, h, depth))
	case h.find(msgLayout) != nil:
		return inside(path, f.dataset(path, h))
	}
	f.paths[addr] = path // a named type, which is read where it is used
	return nil
}

func (f *File) group(path string, h *header, depth int) error {
	f.paths[h.addr] = path
	attributes, err := f.s.attributes(h)
	if err != nil {
		return err
	}
	f.groups = append(f.groups, &Group{Path: path, Attributes: attributes})
	links, err := f.s.links(h)
	if err != nil {
		return err
	}
	for _, l := range links {
		below := join(path, l.name)
		if err := f.s.reserve(int64(len(below))); err != nil {
			return err
		}
		f.links[below] = l
		if l.addr == undefined {
			continue
		}
		if err := f.object(below, l.addr, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Dataset returns the dataset with a path such as "features" or "/a/b", which may lead through soft
// links. Errors are a *LookupError, or an *UnsupportedError for a link that leads out of the file.
func (f *File) Dataset(path string) (*Dataset, error) {
	fault := func(format string) error { return &LookupError{Path: path, Reason: format} }
	// at is the first path of a group, rest what is to be followed from there.
	at, rest, followed := "/", strings.Split(path, "/"), 0
	for {
		var name string
		for len(rest) > 0 && (name == "" || name == ".") {
			name, rest = rest[0], rest[1:]
		}
		if name == "" || name == "." {
			return nil, fault("it is a group, not a dataset")
		}
		l, ok := f.links[join(at, name)]
		switch {
		case !ok:
			return nil, fault(msg.Sprintf("there is no %s", join(at, name)))
		case l.other != "":
			return nil, &UnsupportedError{Path: path, What: l.other, Way: linkWay}
		case l.soft != "":
			if followed++; followed > 40 {
				return nil, fault("soft links refer to each other in a circle")
			}
			if strings.HasPrefix(l.soft, "/") {
				at = "/"
			}
			rest = append(strings.Split(l.soft, "/"), rest...)
			continue
		}
		if d := f.byAddr[l.addr]; d != nil {
			if strings.Trim(strings.Join(rest, ""), ".") != "" {
				return nil, fault("a part of the path is a dataset")
			}
			return d, nil
		}
		at = f.paths[l.addr]
	}
}

// join returns the path of a link in a group.
func join(group, name string) string {
	return strings.TrimSuffix(group, "/") + "/" + name
}
