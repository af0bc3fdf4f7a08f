package bagio

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"slices"
	"strings"
)

// Read reads the bags of a file. Its content determines the format and, if that is not enough, the
// ending of its name: .npy, .npz, .csv or IDX, with or without gzip, or a PNG or JPEG picture, which is
// cut into patches. The set may keep a reference to data. Errors are a *FormatError, a *LimitError, a
// *core.SettingError for invalid PatchOptions, or a *core.BagError if no patch of a picture remains.
func Read(name string, data []byte, o Options) (*Set, error) {
	o.Limits = o.Limits.withDefaults()
	data, err := unzipped(name, data, o.Limits)
	if err != nil {
		return nil, err
	}
	ending := strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz")))
	switch {
	case len(data) == 0:
		return nil, bad(name, "it is empty")
	case begins(data, npyMagic):
		return setFromNpy(name, data, o)
	case begins(data, "PK\x03\x04"), begins(data, "PK\x05\x06"):
		return setFromNpz(name, data, o)
	case isPicture(data):
		return setFromPicture(name, data, o)
	case isIDX(data):
		return setFromIDX(name, data, o)
	}
	for _, k := range others {
		if begins(data, k.magic) {
			return nil, bad(name, "%s", k.advice)
		}
	}
	if slices.Contains([]string{".npy", ".npz", ".png", ".jpg", ".jpeg"}, ending) {
		return nil, bad(name, "it does not begin like a %s file", ending)
	}
	if head := data[:min(len(data), 4096)]; bytes.IndexByte(head, 0) >= 0 {
		return nil, bad(name, "its format is not known; bags are read from .npy, .npz, .csv, IDX, PNG and JPEG files")
	}
	return setFromCSV(name, data, o)
}

// others are unsupported formats and the advice in their error message.
var others = []struct{ magic, advice string }{
	{"GIF8", "it is a GIF picture; save it as PNG"},
	{"RIFF", "it is a WebP picture or another RIFF file; save a picture as PNG"},
	{"II*\x00", "it is a TIFF picture; save the region of interest as PNG"},
	{"MM\x00*", "it is a TIFF picture; save the region of interest as PNG"},
	{"\x89HDF", "it is an HDF5 file; save the bag with numpy.save as an .npy file"},
	{"\x80\x02", "it is a Python pickle, which bagscope never loads; save the bag with numpy.save as an .npy file"},
	{"\x80\x03", "it is a Python pickle, which bagscope never loads; save the bag with numpy.save as an .npy file"},
	{"\x80\x04", "it is a Python pickle, which bagscope never loads; save the bag with numpy.save as an .npy file"},
	{"\x80\x05", "it is a Python pickle, which bagscope never loads; save the bag with numpy.save as an .npy file"},
}

func begins(data []byte, magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }

// unzipped returns the decompressed data, or data itself if it is not compressed by gzip. Both must be within
// the limit of bytes.
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
	out, err := io.ReadAll(io.LimitReader(r, l.Bytes+1))
	if err != nil {
		return nil, bad(name, "it cannot be unpacked: %v", err)
	}
	if int64(len(out)) > l.Bytes {
		return nil, &LimitError{name, "it unpacks to too many bytes", "Bytes", l.Bytes}
	}
	return out, nil
}
