package bagio

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio/internal/hdf5"
	"github.com/bagscope/bagscope/internal/msg"
)

// A FeatureFile describes a file of the patches of a slide in the form of TRIDENT (Zhang et al.,
// arXiv 2502.06750): an HDF5 file with the dataset "coords", (n, 2) int64, the upper left corners
// in pixels of level 0, and "features", (n, d) float32. Attributes of "coords" have the numbers
// below under TRIDENT's names; "level0_mpp" and "target_mpp" are added. Form chooses the names of
// another tool.
type FeatureFile struct {
	Form      FeatureForm
	Name      string // name of the slide, without its ending
	Corners   []image.Point
	Features  int        // features of each patch, d; 0 writes coordinates alone
	Slide     core.Slide // PatchSize is required, other fields that are 0 are left out
	PatchSize int        // side of a patch in pixels, as an encoder takes it
	Overlap   int        // pixels of a patch that the next one repeats
	// Microns that a pixel of a patch covers, as was asked for: the side of a patch is rounded. 0
	// is unknown: patches have the pixels of level 0.
	Microns float64
	// Settings are further attributes, such as those that found the tissue. Values are int, float64
	// or string.
	Settings []core.Setting
}

// A FeatureForm is the tool under whose names a FeatureFile is written.
type FeatureForm int

// Forms of files of features.
const (
	FormTRIDENT FeatureForm = iota
	// FormCLAM has "features" and "coords" without attributes; coordinates alone have patch_size,
	// patch_level 0 and name.
	FormCLAM
	// FormSTAMP has "feats" and "coords", (n, 2) float64 in micrometres, and attributes of the
	// file: unit, tile_size_um, tile_size_px and feat_type. Slide.MPP is required.
	FormSTAMP
)

// mostAttribute bounds the bytes of the text of an attribute, which an HDF5 message holds.
const mostAttribute = 1 << 15

// Head returns the bytes before the features: the description and the coordinates. Features of all
// patches follow as float32, little-endian, row by row, and then the file ends. Equal descriptions
// give equal bytes.
func (f FeatureFile) Head() ([]byte, error) {
	attributes, err := f.attributes()
	if err != nil {
		return nil, err
	}
	n := len(f.Corners)
	coords := hdf5.Output{Name: "coords", Kind: hdf5.Int64, Shape: []int{n, 2}}
	features := hdf5.Output{Name: "features", Kind: hdf5.Float32, Shape: []int{n, f.Features}}
	var ofFile []hdf5.OutputAttribute
	number := func(v int) uint64 { return uint64(v) }
	switch f.Form {
	case FormSTAMP:
		coords.Kind, features.Name, ofFile = hdf5.Float64, "feats", attributes
		number = func(v int) uint64 { return math.Float64bits(float64(v) * f.Slide.MPP) }
	case FormCLAM:
		if f.Features == 0 {
			coords.Attributes = attributes
		}
	default:
		coords.Attributes = attributes
		features.Attributes = []hdf5.OutputAttribute{{Name: "name", Value: f.Name}}
	}
	list := []hdf5.Output{coords}
	if f.Features > 0 {
		list = append(list, features)
	}
	head := hdf5.Header(list, ofFile...)
	for _, at := range f.Corners {
		head = binary.LittleEndian.AppendUint64(head, number(at.X))
		head = binary.LittleEndian.AppendUint64(head, number(at.Y))
	}
	return head, nil
}

// attributes returns the attributes of "coords", or of the file.
func (f FeatureFile) attributes() ([]hdf5.OutputAttribute, error) {
	list := f.tridents()
	switch f.Form {
	case FormCLAM:
		list = []core.Setting{{Name: "patch_size", Value: f.PatchSize},
			{Name: "patch_level", Value: 0}, {Name: "name", Value: f.Name}}
	case FormSTAMP:
		list = []core.Setting{{Name: "unit", Value: "um"},
			{Name: "tile_size_um", Value: float64(f.Slide.PatchSize) * f.Slide.MPP},
			{Name: "tile_size_px", Value: f.PatchSize}, {Name: "feat_type", Value: "tile"}}
	}
	var out []hdf5.OutputAttribute
	for _, a := range slices.Concat(list, f.Settings) {
		if text, ok := a.Value.(string); ok && len(text) > mostAttribute {
			return nil, bad(f.Name, "the text of attribute %s has %d bytes; the limit is %d",
				a.Name, len(text), mostAttribute)
		}
		out = append(out, hdf5.OutputAttribute{Name: a.Name, Value: a.Value})
	}
	return out, nil
}

// tridents returns the attributes of TRIDENT.
func (f FeatureFile) tridents() []core.Setting {
	s, scale := f.Slide, 1.0 // side of a pixel of a patch in pixels of level 0
	if f.Microns > 0 && s.MPP > 0 {
		scale = f.Microns / s.MPP
	}
	list := []core.Setting{{Name: "patch_size", Value: f.PatchSize},
		{Name: "patch_size_level0", Value: s.PatchSize}, {Name: "overlap", Value: f.Overlap},
		{Name: "name", Value: f.Name}}
	type number struct {
		name  string
		value float64
	}
	numbers := []number{{"level0_width", float64(s.Width)}, {"level0_height", float64(s.Height)},
		{"level0_magnification", s.Magnification},
		{"target_magnification", s.Magnification / scale},
		{"level0_mpp", s.MPP}, {"target_mpp", f.Microns}}
	if s.BoundsWidth != s.Width || s.BoundsHeight != s.Height { // others follow from the size
		numbers = append(numbers, number{"openslide.bounds-x", float64(s.BoundsX)},
			number{"openslide.bounds-y", float64(s.BoundsY)},
			number{"openslide.bounds-width", float64(s.BoundsWidth)},
			number{"openslide.bounds-height", float64(s.BoundsHeight)})
	}
	for _, known := range numbers {
		// TRIDENT writes whole numbers as such.
		switch v := known.value; {
		case v == 0:
		case v == math.Trunc(v):
			list = append(list, core.Setting{Name: known.name, Value: int(v)})
		default:
			list = append(list, core.Setting{Name: known.name, Value: v})
		}
	}
	return list
}

// Rows returns how many patches have all their features in a file of size bytes that was begun with
// this description; the bytes behind them are to be written again. It returns a *FormatError that
// names the first different attribute if the file was begun with another description.
func (f FeatureFile) Rows(r io.ReaderAt, size int64) (int, error) {
	head, err := f.Head()
	if err != nil {
		return 0, err
	}
	begun := make([]byte, min(size, int64(len(head))))
	if _, err := r.ReadAt(begun, 0); err != nil && err != io.EOF {
		return 0, unreadable(f.Name, err)
	}
	if !bytes.Equal(begun, head[:len(begun)]) {
		return 0, bad(f.Name, "the file was begun with other settings%s", f.difference(r, size))
	}
	if f.Features == 0 {
		return 0, nil
	}
	rows := (size - int64(len(head))) / int64(4*f.Features)
	return int(max(0, min(rows, int64(len(f.Corners))))), nil
}

// sameOrigin are the attributes that say what features were made of, and by what.
var sameOrigin = []string{"patch_size", "patch_size_level0", "level0_width", "level0_height",
	"target_mpp", "encoder_sha256"}

// SameOrigin returns a *FormatError unless a file of size bytes holds features of patches like
// those of this description: of a slide of the same size, by the same encoder. Their places, and
// how tissue was found, may differ.
func (f FeatureFile) SameOrigin(name string, r io.ReaderAt, size int64) error {
	if _, err := hdf5.Open(r, size, hdf5.Limits{}); err != nil {
		return hdf5Error(name, err)
	}
	if d := f.difference(r, size, sameOrigin...); d != "" {
		return bad(name, "its features belong to other patches%s", d)
	}
	return nil
}

// difference returns the first attribute in which a file differs, as text, or "". It compares those
// with the given names, or all. The file may end early.
func (f FeatureFile) difference(r io.ReaderAt, size int64, names ...string) string {
	want, _ := f.attributes() // Head has returned its error
	// The file may not be complete, so that its end lies behind what it has.
	file, err := hdf5.Open(extended{r, size}, 1<<40, hdf5.Limits{})
	if err != nil {
		return ""
	}
	have := hdf5Attributes(file)
	for _, a := range want {
		value := a.Value
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		compared := len(names) == 0 || slices.Contains(names, a.Name)
		old, stated := have[a.Name]
		switch {
		case !compared || old == value:
		case !stated:
			return msg.Sprintf(": %s is not stated and is %v now", a.Name, a.Value)
		default:
			return msg.Sprintf(": %s was %v and is %v now", a.Name, old, a.Value)
		}
	}
	return ""
}

// An extended is a file with zeros behind its size bytes.
type extended struct {
	r    io.ReaderAt
	size int64
}

// ReadAt implements io.ReaderAt.
func (e extended) ReadAt(p []byte, at int64) (int, error) {
	n := int(max(0, min(int64(len(p)), e.size-at)))
	clear(p[n:])
	if n > 0 {
		if _, err := e.r.ReadAt(p[:n], at); err != nil && err != io.EOF {
			return 0, err
		}
	}
	return len(p), nil
}

// Float32Bytes returns numbers in the form of FeatureFile's features.
func Float32Bytes(values []float32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
