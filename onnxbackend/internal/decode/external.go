package decode

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// External returns length bytes from an offset of the file at location, a slash-separated path
// below the model's folder without "..". The caller uses the bytes before it calls External again.
// A length of -1 asks for the whole file. If the file does not exist, the error is fs.ErrNotExist.
type External func(location string, offset, length int64) ([]byte, error)

// place is the position of a tensor's data in another file. The file may also hold a checksum of
// the whole data file. It is ignored, as ONNX Runtime ignores it.
type place struct {
	location, offset, length string // texts of the file; "" if it has none
}

// entry reads one entry of a tensor's external_data. Each key may occur once: a second location
// could be checked against one file and read from another.
func (p *place) entry(f field) error {
	var e Entry
	if err := entry(f, &e); err != nil {
		return err
	}
	to := map[string]*string{"location": &p.location, "offset": &p.offset,
		"length": &p.length}[e.Key]
	if to == nil {
		return nil
	}
	if *to != "" {
		return f.fault(f.at, "the %s of external data is given twice", e.Key)
	}
	*to = e.Value
	return nil
}

// fetch sets raw to a tensor's external data of want bytes. If the file is missing, it notes the
// name and leaves raw empty, so that one error can name all missing files.
func (d *decoder) fetch(p *proto, what string, want int64) error {
	wrong := func(reason string, args ...any) error {
		return &fault.Format{Offset: p.at, What: what, Reason: msg.Sprintf(reason, args...)}
	}
	if len(p.raw) > 0 || p.hasTyped {
		return wrong("it holds data and also refers to data in another file")
	}
	// Some exporters write "./weights.bin", which names the same file.
	location := strings.TrimPrefix(p.place.location, "./")
	if !below(location) {
		return wrong("its data lie in the file %q; only files in the model's folder are read, by "+
			"a path with slashes and without \"..\"", p.place.location)
	}
	// The offset is optional, and so is the length, which follows from shape and type.
	offset, err := byteCount(p.place.offset, 0)
	if err != nil || offset > math.MaxInt64-want {
		return wrong("its data begin at byte %q of %q, which is not a valid offset",
			p.place.offset, location)
	}
	if length, err := byteCount(p.place.length, want); err != nil || length != want {
		return wrong("shape %v of %v needs %d bytes, but the model declares %q bytes in %q",
			p.dims, p.typ, want, p.place.length, location)
	}
	// A missing file is no error yet: complete names all of them.
	if d.external == nil {
		d.missing.add(location)
		return nil
	}
	data, err := d.external(location, offset, want)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.missing.add(location)
		return nil
	case err != nil:
		return msg.Errorf("%s: %w", what, err)
	case int64(len(data)) != want:
		return wrong("%d bytes of %q were read instead of %d", len(data), location, want)
	}
	d.read.add(location)
	p.raw, p.hasRaw = data, true
	return nil
}

// below reports whether a path leads down from a folder and has no character that would break a
// list of names. It keeps a model from reading files outside of its folder.
func below(location string) bool {
	if strings.ContainsFunc(location, func(c rune) bool { return c < ' ' || c == '\\' }) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(location, "/"), func(name string) bool {
		return name == "" || name == "." || name == ".."
	})
}

// byteCount parses a decimal number of bytes. It returns fallback for "".
func byteCount(s string, fallback int64) (int64, error) {
	if s == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// A nameList holds distinct names in the order in which they were added. The map keeps a model of
// many tensors in one file from quadratic time.
type nameList struct {
	names []string
	seen  map[string]bool
}

// add appends a name unless the list has it.
func (l *nameList) add(name string) {
	if l.seen[name] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[name] = true
	l.names = append(l.names, name)
}

// complete returns a *fault.Missing if files are missing.
func (d *decoder) complete() error {
	if d.missing.names == nil {
		return nil
	}
	return &fault.Missing{Files: d.missing.names}
}
