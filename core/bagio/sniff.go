package bagio

import (
	"bytes"
	"compress/gzip"
	"path"
	"slices"
	"strings"
)

// Read reads the bags of a file in one of [Formats], with or without gzip. Its content determines
// the format and, if that is not enough, the ending of its name. The set may keep a reference to
// data. Errors are a *FormatError, a *LimitError, a *core.SettingError for invalid PatchOptions, or
// a *core.BagError if no patch of a picture remains.
func Read(name string, data []byte, o Options) (*Set, error) {
	o.Limits = o.Limits.withDefaults()
	data, err := unzipped(name, data, o.Limits)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, bad(name, "it is empty")
	}
	formats := Formats()
	for _, f := range formats {
		if f.begins != nil && f.begins(data) {
			return f.read(name, data, o)
		}
	}
	for _, k := range others {
		if begins(data, k.magic) {
			return nil, bad(name, "%s", k.advice)
		}
	}
	ending := strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz")))
	// The name promises a format that the content is not: a broken or renamed file.
	for _, f := range formats {
		if f.begins != nil && slices.Contains(f.Endings, ending) {
			return nil, bad(name, "it does not begin like a %s file", ending)
		}
	}
	// A zero byte does not occur in text, so the file is binary and of no known format.
	if head := data[:min(len(data), 4096)]; bytes.IndexByte(head, 0) >= 0 {
		return nil, bad(name, "its format is not known; bags are read from %s files",
			FormatList("and"))
	}
	return setFromCSV(name, data, o)
}

// others are unsupported formats and the advice in their error message. A user who opens such a
// file learns how to convert it, and not only that the format is unknown.
var others = []struct{ magic, advice string }{
	{"GIF8", "it is a GIF picture; save it as PNG"},
	{"II+\x00", "it is a BigTIFF picture; save the region of interest as PNG"},
	{"MM\x00+", "it is a BigTIFF picture; save the region of interest as PNG"},
	{"\x80\x02", pickleAdvice}, // pickle protocols 2 to 5; earlier ones have no magic number
	{"\x80\x03", pickleAdvice},
	{"\x80\x04", pickleAdvice},
	{"\x80\x05", pickleAdvice},
}

// pickleAdvice is the advice for all protocols of pickle. A pickle can run any program when it is
// loaded.
const pickleAdvice = "it is a Python pickle of something else than tensors, which bagscope never " +
	"loads; save the bag with torch.save or numpy.save"

// begins reports whether data begin with a magic number.
func begins(data []byte, magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }

// unzipped returns the decompressed data, or data itself if it is not compressed by gzip. Both must
// be within the limit of bytes, else it returns a *LimitError. It stops at the limit, so that a
// small file cannot fill the memory.
func unzipped(name string, data []byte, l Limits) ([]byte, error) {
	if err := l.bytes(name, int64(len(data))); err != nil {
		return nil, err
	}
	if !begins(data, "\x1f\x8b") {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, bad(name, "the gzip header cannot be read: %v", err)
	}
	return unpacked(name, r, unpackedSize(data), l)
}
