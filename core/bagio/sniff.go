package bagio

import (
	"bytes"
	"cmp"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/otherfile"
)

// Read reads the bags of a file in one of [Formats], with or without gzip. Its content determines
// the format and, if that is not enough, the ending of its name. The set may keep a reference to
// data. Errors are a *FormatError, a *LimitError, a *core.SettingError for invalid PatchOptions, or
// a *core.BagError if no patch of a picture remains.
func Read(name string, data []byte, o Options) (*Set, error) {
	return plausible(read(inMemory(name, data), o))
}

// ReadFrom reads like [Read] from a file of size bytes that is not in memory. The values of an
// array that is not compressed are read into the memory of the set, and nothing else of .npy, .npz,
// .safetensors, HDF5 and .pt files is held; other formats are read as a whole. r is not used after
// ReadFrom returns. A read that fails or ends early, because the file changed, is a *FormatError
// that wraps the error of r or io.ErrUnexpectedEOF. The set owns its memory, as with
// Options.ZeroCopy.
func ReadFrom(name string, r io.ReaderAt, size int64, o Options) (*Set, error) {
	return plausible(readFrom(name, r, size, o))
}

// readFrom is ReadFrom without checks.
func readFrom(name string, r io.ReaderAt, size int64, o Options) (*Set, error) {
	o.Limits = o.Limits.withDefaults()
	s, err := newSource(name, r, size)
	if err != nil {
		return nil, err
	}
	if o.takesSlide(s) {
		return setFromSlide(s, o)
	}
	if err := o.Limits.bytes(name, size); err != nil {
		return nil, err
	}
	o.ZeroCopy = true
	return read(s, o)
}

// read reads the bags of a file.
func read(s *source, o Options) (*Set, error) {
	o.Limits = o.Limits.withDefaults()
	s, err := unzippedSource(s, o)
	if err != nil {
		return nil, err
	}
	name := s.name
	if s.size == 0 {
		return nil, bad(name, "it is empty")
	}
	if o.takesSlide(s) {
		return setFromSlide(s, o)
	}
	if isOMEZarr(s, o.Limits) {
		return setFromPicture(s, o)
	}
	if slide.IsMIRAX(name) {
		return nil, bad(name, slide.NotMIRAX)
	}
	if slide.IsDZI(name) {
		return nil, bad(name, "a Deep Zoom picture is a folder of tiles beside this file; "+
			"it is read as a whole slide, with an encoder or the microns of a patch's pixels, "+
			"by the command line, and by the server below its folder of bags")
	}
	if f := otherfile.Of(s.head); f != nil && !f.Bags {
		return nil, refused(name, f)
	}
	formats := Formats()
	for _, f := range formats {
		if f.begins != nil && f.begins(s) {
			if o.view != nil {
				return nil, notText(name)
			}
			return ofKind(f.Name)(f.read(s, o))
		}
	}
	ending := strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz")))
	if ending == ".onnx" || isONNX(s.head) {
		return nil, bad(name, "it is an ONNX model or called like one; open it as the model, and "+
			"features or a picture as the bag")
	}
	// The name promises a format that the content is not: a broken or renamed file.
	for _, f := range formats {
		if f.begins != nil && slices.Contains(f.Endings, ending) {
			return nil, bad(name, "it does not begin like a %s file", ending)
		}
	}
	if isUTF16(s.head) {
		return whole(setFromUTF16)(s, o)
	}
	// A zero byte does not occur in text, so the file is binary and of no known format.
	if bytes.IndexByte(s.head, 0) >= 0 {
		return nil, bad(name, "its format is not known; %s", msg.Text(readable()))
	}
	return ofKind("table")(whole(setFromCSV)(s, o))
}

// ofKind states what a set was read from, unless its reader did.
func ofKind(kind string) func(*Set, error) (*Set, error) {
	return func(s *Set, err error) (*Set, error) {
		if err == nil {
			s.kind = cmp.Or(s.kind, kind)
		}
		return s, err
	}
}

// refused returns the error for a kind of file that holds no bag.
func refused(name string, f *otherfile.File) *FormatError {
	if f.Bag == "" {
		return bad(name, "it is %s; %s", msg.Text(f.What), msg.Text(readable()))
	}
	return bad(name, "it is %s; %s", msg.Text(f.What), msg.Text(f.Bag))
}

// readable names the files that are read.
func readable() string {
	return "bags are read from " + FormatList("and") + " files, and models from ONNX files"
}

// isONNX reports whether data begin as exporters write a model: the version of its format, then a
// text, the name of its producer.
func isONNX(data []byte) bool {
	return len(data) > 2 && data[0] == 8 && data[1] > 0 && data[1] < 32 && data[2] == 0x12
}

// begins reports whether data begin with a magic number.
func begins(data []byte, magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }

// unzipped returns the decompressed data, or data itself if it is not compressed by gzip. Both must
// be within the limit of bytes, else it returns a *LimitError. It stops at the limit, so that a
// small file cannot fill the memory.
func unzipped(name string, data []byte, l Limits) ([]byte, error) {
	s, err := unzippedSource(inMemory(name, data), Options{Limits: l})
	if err != nil {
		return nil, err
	}
	return s.data, nil
}

// unzippedSource is unzipped for a source, with o.Step. What is unpacked is in memory.
func unzippedSource(s *source, o Options) (*source, error) {
	l := o.Limits
	if err := l.bytes(s.name, s.size); err != nil {
		return nil, err
	}
	if !begins(s.head, "\x1f\x8b") {
		return s, nil
	}
	stated, err := unpackedSize(s)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(io.NewSectionReader(s, 0, s.size))
	if err != nil {
		return nil, bad(s.name, "the gzip header cannot be read: %v", err)
	}
	data, err := unpacked(s.name, r, stated, o)
	if err != nil {
		return nil, err
	}
	return inMemory(s.name, data), nil
}
