package decode

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// External returns length bytes, from offset on, of the file at location, a slash-separated path
// below the model's folder without "..". The bytes are read before it is called again. Of a file
// that is not there it returns fs.ErrNotExist.
type External func(location string, offset, length int64) ([]byte, error)

// place says where in which file a tensor's data lie. The checksum that may stand beside it is of
// the whole file, as whoever wrote the model knew it; it is read by no runtime and not by this one.
type place struct {
	location, offset, length string // as the file has them; "" where it does not
}

func (p *place) entry(f field) error {
	var e Entry
	if err := entry(f, &e); err != nil {
		return err
	}
	var to *string
	switch e.Key {
	case "location":
		to = &p.location
	case "offset":
		to = &p.offset
	case "length":
		to = &p.length
	default:
		return nil
	}
	if *to != "" {
		return f.fault(f.at, "the %s of external data is given twice", e.Key)
	}
	*to = e.Value
	return nil
}

// fetch puts a tensor's external data, want bytes, where raw data are; none where the file is
// missing, which is noted.
func (d *decoder) fetch(p *proto, what string, want int64) error {
	wrong := func(reason string, args ...any) error {
		return &fault.Format{Offset: p.at, What: what, Reason: fmt.Sprintf(reason, args...)}
	}
	if len(p.raw) > 0 || p.hasTyped {
		return wrong("it holds data, and says that they lie in another file")
	}
	location := strings.TrimPrefix(p.place.location, "./")
	if !below(location) {
		return wrong("its data lie in the file %q; only files in the model's folder are read, by "+
			"a path with slashes and without \"..\"", p.place.location)
	}
	offset, err := byteCount(p.place.offset, 0)
	if err != nil || offset > math.MaxInt64-want {
		return wrong("its data begin at byte %q of %q, where no file has bytes", p.place.offset,
			location)
	}
	if length, err := byteCount(p.place.length, want); err != nil || length != want {
		return wrong("shape %v of %v wants %d bytes, and %q are said to lie in %q", p.dims, p.typ,
			want, p.place.length, location)
	}
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
		return fmt.Errorf("%s: %w", what, err)
	case int64(len(data)) != want:
		return wrong("%d bytes of %q came instead of %d", len(data), location, want)
	}
	d.read.add(location)
	p.raw, p.hasRaw = data, true
	return nil
}

// below says whether a path leads down from a folder and has no character that would break a list
// of names.
func below(location string) bool {
	for i := range len(location) {
		if c := location[i]; c < ' ' || c == '\\' {
			return false
		}
	}
	for rest := location; ; {
		name, more, found := strings.Cut(rest, "/")
		if name == "" || name == "." || name == ".." {
			return false
		}
		if !found {
			return true
		}
		rest = more
	}
}

// byteCount reads a decimal number of bytes.
func byteCount(s string, otherwise int64) (int64, error) {
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// A nameList holds names in the order in which they came, each once.
type nameList struct {
	names []string
	seen  map[string]bool
}

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

// complete fails when files were missing.
func (d *decoder) complete() error {
	if d.missing.names == nil {
		return nil
	}
	return &fault.Missing{Files: d.missing.names}
}
