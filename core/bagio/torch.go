package bagio

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/pickle"
	"github.com/bagscope/bagscope/internal/msg"
)

// Files of torch.save hold a pickle of tensors, dicts and lists, and the values of their storages:
// since PyTorch 1.6 as members of a zip archive, before that one after the other.

// A torchFile is an opened file of torch.save.
type torchFile struct {
	file   string
	limits Limits
	// data returns the values of a storage.
	data func(key string) (*span, error)
	big  bool // big-endian
}

// torchMagic is a pickle of PyTorch's magic number behind its protocol. Files that are not zip
// archives begin with it.
const torchMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."

// torchLegacy lists how these files begin in protocols 2, the default, to 5, and in the protocols 0
// and 1, which write the number in decimal.
var torchLegacy = []string{"\x80\x02" + torchMagic, "\x80\x03" + torchMagic,
	"\x80\x04\x95\x0d\x00\x00\x00\x00\x00\x00\x00" + torchMagic,
	"\x80\x05\x95\x0d\x00\x00\x00\x00\x00\x00\x00" + torchMagic,
	"L119547037146038801333356L\n."}

// A span is a part of a source.
type span struct {
	s        *source
	at, size int64
}

// take returns n bytes at a place in the span.
func (p *span) take(at, n int, l Limits) ([]byte, error) {
	return p.s.take(p.at+int64(at), int64(n), l)
}

// isTorch reports whether a file is a zip archive of torch.save, or a file from before those.
func isTorch(s *source) bool {
	if magic(torchLegacy...)(s.head) {
		return true
	}
	if !begins(s.head, "PK\x03\x04") {
		return false
	}
	r, err := openZip(s, Limits{})
	return err == nil && torchPickle(r) != nil
}

// torchPickle returns the member that holds the pickle, or nil.
func torchPickle(r *zip.Reader) *zip.File {
	i := slices.IndexFunc(r.File, func(f *zip.File) bool {
		return f.Name == "data.pkl" || strings.HasSuffix(f.Name, "/data.pkl")
	})
	if i < 0 {
		return nil
	}
	return r.File[i]
}

func setFromTorch(s *source, o Options) (*Set, error) {
	n, err := torchArrays(s, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	return setFromFeatures(n, o)
}

// torchArrays returns the tensors of a file.
func torchArrays(s *source, l Limits) (*namedArrays, error) {
	open := openTorchZip
	if magic(torchLegacy...)(s.head) {
		open = openTorchLegacy
	}
	t, root, err := open(s, l)
	if err != nil {
		return nil, err
	}
	return t.arrays(root)
}

// openTorchZip opens an archive: NAME/data.pkl, NAME/byteorder and NAME/data/KEY.
func openTorchZip(s *source, l Limits) (*torchFile, any, error) {
	file := s.name
	r, err := openZip(s, l)
	if err != nil {
		return nil, nil, err
	}
	a := &archive{file: file, packed: s.size, left: l.Bytes, limits: l}
	main := torchPickle(r)
	prefix := strings.TrimSuffix(main.Name, "data.pkl")
	members := map[string]*zip.File{}
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, prefix)
		switch {
		case !ok:
		case members[name] != nil:
			return nil, nil, bad(file, "it holds %s twice", f.Name)
		case strings.HasPrefix(name, "code/"):
			return nil, nil, bad(file, "it is a TorchScript program, not data; save the features "+
				"with torch.save")
		default:
			members[name] = f
		}
	}
	packed, err := a.unpack(file+"/"+main.Name, main)
	if err != nil {
		return nil, nil, err
	}
	root, err := readPickle(file+"/"+main.Name, packed, 0, l)
	if err != nil {
		return nil, nil, err
	}
	t := &torchFile{file: file, limits: l, data: func(key string) (*span, error) {
		f := members["data/"+key]
		if f == nil {
			return nil, bad(file, "the storage %q is missing", key)
		}
		return a.span(s, f)
	}}
	if f := members["byteorder"]; f != nil {
		order, err := a.unpack(file+"/"+f.Name, f)
		if err != nil {
			return nil, nil, err
		}
		t.big = string(order) == "big"
	}
	return t, root.Value, nil
}

// span returns the content of a member: the part of the archive where it is if it is not
// compressed.
func (a *archive) span(s *source, f *zip.File) (*span, error) {
	start, err := f.DataOffset()
	if err == nil && f.Method == zip.Store && start >= 0 && start <= s.size &&
		f.UncompressedSize64 == f.CompressedSize64 &&
		f.UncompressedSize64 <= uint64(s.size-start) {
		return &span{s, start, int64(f.UncompressedSize64)}, nil
	}
	name := a.file + "/" + f.Name
	data, err := a.unpack(name, f)
	return &span{inMemory(name, data), 0, int64(len(data))}, err
}

// openTorchLegacy opens a file of five pickles, the magic number, a version, facts about the
// machine, the object, and the keys of storages, before the storages: a number of elements and the
// values of each.
func openTorchLegacy(s *source, l Limits) (*torchFile, any, error) {
	data, err := s.take(0, s.size, l)
	if err != nil {
		return nil, nil, err
	}
	file, at := s.name, 0
	var pickles [5]*pickle.Pickle
	for i := range pickles {
		p, err := readPickle(file, data[at:], at, l)
		if err != nil {
			return nil, nil, err
		}
		pickles[i], at = p, at+p.Size
	}
	t := &torchFile{file: file, limits: l}
	if machine, ok := pickles[2].Value.(*pickle.Dict); ok {
		t.big = machine.Get("little_endian") == any(false)
	}
	keys, ok := pickles[4].Value.(*pickle.List)
	if !ok {
		return nil, nil, badAt(file, at, "it has no list of storages")
	}
	sizes, err := legacySizes(file, pickles[3].References)
	if err != nil {
		return nil, nil, err
	}
	storages, s := map[string]*span{}, inMemory(file, data)
	for _, k := range keys.Items {
		key, ok := k.(string)
		size, known := sizes[key]
		if !ok || !known { // k can be a nest of tuples, which would take forever to print
			return nil, nil, badAt(file, at, "it lists a storage that no tensor uses")
		}
		if len(data)-at < 8 {
			return nil, nil, badAt(file, at, "it ends before the storage %q", key)
		}
		count := binary.LittleEndian.Uint64(data[at:])
		if at += 8; count > uint64(len(data)-at)/uint64(size) {
			return nil, nil, badAt(file, at-8, "the storage %q claims %d elements, and the file "+
				"ends before", key, count)
		}
		storages[key] = &span{s, int64(at), int64(count) * int64(size)}
		at += int(count) * size
	}
	t.data = func(key string) (*span, error) {
		if storages[key] == nil {
			return nil, bad(file, "the storage %q is missing", key)
		}
		return storages[key], nil
	}
	return t, pickles[3].Value, nil
}

// legacySizes returns the bytes of an element for each storage. The place of a storage in the file
// depends on the sizes of all storages before it.
func legacySizes(file string, references []pickle.Reference) (map[string]int, error) {
	sizes := map[string]int{}
	for _, r := range references {
		if id, ok := r.ID.(pickle.Tuple); ok && first(id) == any("module") {
			continue // the source of a class
		}
		s, err := storageOf(file, r)
		if err != nil {
			return nil, err
		}
		if s.other != "" {
			return nil, bad(file, "the data type %s is not supported", s.other)
		}
		sizes[s.key] = s.dtype.size
	}
	return sizes, nil
}

// readPickle returns the pickle that stands at a byte of a file.
func readPickle(file string, data []byte, at int, l Limits) (*pickle.Pickle, error) {
	p, err := pickle.Read(data, func(n int) error { return l.reserve(file, int64(n)) })
	if broken := (*pickle.Error)(nil); errors.As(err, &broken) {
		return nil, badAt(file, at+broken.Offset, "its pickle: %s", msg.Text(broken.Reason))
	}
	return p, err
}

// maxDepth, maxVisits and maxName bound a walk through the values of a pickle, which may contain
// each other. A name repeats the key of a dict for every value inside.
const (
	maxDepth  = 32
	maxVisits = 1 << 18
	maxName   = 1 << 10 // bytes
)

// eachValue calls visit for a value and the values inside of its lists, tuples and dicts, with
// their names: the keys and indices that lead to them, separated by slashes.
func eachValue(file string, root any, visit func(name string, v any) error) error {
	visits := 0
	var walk func(name string, v any, depth int) error
	walk = func(name string, v any, depth int) error {
		if visits++; visits > maxVisits || depth > maxDepth {
			return bad(file, "its values are nested too deeply or are too many")
		}
		if len(name) > maxName {
			return bad(file, "the names of its dicts and values have more than %d bytes", maxName)
		}
		if err := visit(name, v); err != nil {
			return err
		}
		keys, values := children(v)
		for i, inner := range values {
			key := strconv.Itoa(i)
			if keys != nil {
				key = fmt.Sprint(keys[i])
			}
			if name != "" {
				key = name + "/" + key
			}
			if err := walk(key, inner, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk("", root, 0)
}

// children returns what a container holds, with the keys of a dict.
func children(v any) (keys, values []any) {
	switch v := v.(type) {
	case *pickle.List:
		return nil, v.Items
	case pickle.Tuple:
		return nil, v
	case *pickle.Dict:
		return v.Keys, v.Values
	case *pickle.Call:
		if isDict(v) && v.Entries != nil {
			return v.Entries.Keys, v.Entries.Values
		}
	}
	return nil, nil
}
