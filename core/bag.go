package core

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Bag is k instances of one shape. A pooling model ignores the order of the instances. No
// function changes the order, so that instance i of a bag is entry i of every explanation.
type Bag struct {
	Name   string
	Shape  []int             // shape of one instance: [30] features, [1 28 28] channel, row, column
	Values []float32         // (instance, shape...), row-major
	Raw    bool              // Values are pixels 0..255 before a model's preprocessing
	Boxes  []image.Rectangle // rectangle of each instance in its picture, or nil
	Slide  *Slide            // the image that Boxes lie on, or nil
	Slices []Slice           // place of each instance in a volume, or nil
	Origin *Origin           // the DICOM files that instances are of, or nil
	Noun   Noun              // what the file says that an instance is
	// Pictures are what the instances were encoded from, or nil if they cannot be encoded again.
	Pictures Pictures
	// values of pairs of instances for models of graphs, or nil
	Relations *Relations
	// what the inputs of the model beside the instances take for this bag; the others take their
	// defaults
	Covariates []Covariate
	Class      []int // true classes of the bag (several if it is multi-label), or nil
	// what the file calls each instance, and each value of an instance, or nil
	InstanceNames, FeatureNames []string
	// true label of each instance (-1 unknown), or nil; used by metrics only
	Labels []int
}

// A Slide is what a file says of the image that instances are patches of. Zero means unknown.
type Slide struct {
	Name          string
	Width, Height int     // size of level 0, the full resolution, in pixels
	Magnification float64 // objective power of level 0, such as 40
	MPP           float64 // microns a pixel at level 0
	PatchSize     int     // side of a patch in pixels of level 0, 0 if patches are not square
	Overlap       int     // pixels of level 0 that a patch shares with the next one
	// Unit is Microns if Boxes, PatchSize and Overlap are in micrometres, because MPP is unknown,
	// and empty if they are in pixels of level 0.
	Unit string
	// The pixels of level 0 that QuPath shows, in the words of OpenSlide: the scanned part of a
	// glass, or all. Sides of 0 are unknown. Boxes count from the corner of level 0.
	BoundsX, BoundsY, BoundsWidth, BoundsHeight int
	// "canvas" or "bounds" if the caller states what places in files count from, or empty.
	Origin string
}

// Microns is the Unit of places in micrometres.
const Microns = "um"

// Stride returns the number of values of one instance.
func (b *Bag) Stride() int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// Len returns the number of instances k.
func (b *Bag) Len() int {
	if s := b.Stride(); s > 0 {
		return len(b.Values) / s
	}
	return 0
}

// Instance returns the values of instance i, shared with the bag.
func (b *Bag) Instance(i int) []float32 {
	s := b.Stride()
	return b.Values[i*s : (i+1)*s : (i+1)*s]
}

// Select returns a new bag of the given instances in the given order. It panics if an index is
// out of range, as indexing a slice does.
func (b *Bag) Select(instances []int) *Bag {
	s := b.Stride()
	out := &Bag{Name: b.Name, Shape: slices.Clone(b.Shape), Raw: b.Raw, Slide: b.Slide,
		Origin: b.Origin, Noun: b.Noun, Covariates: b.Covariates, Class: slices.Clone(b.Class),
		FeatureNames: b.FeatureNames}
	out.Relations = b.Relations.Select(b.Len(), instances)
	if b.Pictures != nil {
		out.Pictures = somePictures{b.Pictures, slices.Clone(instances)}
	}
	out.Values = make([]float32, 0, len(instances)*s)
	for _, i := range instances {
		out.Values = append(out.Values, b.Instance(i)...)
		if b.Boxes != nil {
			out.Boxes = append(out.Boxes, b.Boxes[i])
		}
		if b.Slices != nil {
			out.Slices = append(out.Slices, b.Slices[i])
		}
		if b.Labels != nil {
			out.Labels = append(out.Labels, b.Labels[i])
		}
		if b.InstanceNames != nil {
			out.InstanceNames = append(out.InstanceNames, b.InstanceNames[i])
		}
	}
	return out
}

// With returns a new bag of the instances of b and then those of another bag, for what-ifs that
// move instances between bags. Boxes and labels stay if both bags have them, and places in a volume
// do not; the slide, the covariates and the classes are those of b. It returns a *BagError for
// instances of another shape, and for bags with relations, because nothing relates the instances
// of two bags.
func (b *Bag) With(other *Bag) (*Bag, error) {
	switch {
	case !slices.Equal(b.Shape, other.Shape) || b.Raw != other.Raw:
		return nil, &BagError{other.Name, msg.Sprintf("its instances have shape %v and pixels %t, "+
			"but those of bag %q have %v and %t", other.Shape, other.Raw, b.Name, b.Shape, b.Raw)}
	case b.Relations != nil || other.Relations != nil:
		return nil, &BagError{other.Name, "instances of bags with relations cannot be joined"}
	}
	out := b.Select(linear.Indices(b.Len()))
	out.Values = append(out.Values, other.Values...)
	out.Slices, out.Origin, out.Pictures = nil, nil, nil
	if out.Boxes = append(out.Boxes, other.Boxes...); b.Boxes == nil || other.Boxes == nil {
		out.Boxes = nil
	}
	if out.Labels = append(out.Labels, other.Labels...); b.Labels == nil || other.Labels == nil {
		out.Labels = nil
	}
	out.InstanceNames = append(out.InstanceNames, other.InstanceNames...)
	if b.InstanceNames == nil || other.InstanceNames == nil {
		out.InstanceNames = nil
	}
	return out, nil
}

// Validate returns a *BagError for the first inconsistency between the fields of the bag, or nil.
func (b *Bag) Validate() error {
	stride := 1
	for _, d := range b.Shape {
		if d <= 0 {
			return &BagError{b.Name, msg.Sprintf(
				"an instance has shape %v, and every side must be positive", b.Shape)}
		}
		if stride > len(b.Values)/d {
			return &BagError{b.Name, msg.Sprintf(
				"it holds %d values, too few for one instance of shape %v", len(b.Values), b.Shape)}
		}
		stride *= d
	}
	if len(b.Values) == 0 {
		return &BagError{b.Name, "it has no instances"}
	}
	if len(b.Values)%stride != 0 {
		return &BagError{b.Name, msg.Sprintf(
			"its %d values are not a multiple of the %d values of an instance of shape %v",
			len(b.Values), stride, b.Shape)}
	}
	k := len(b.Values) / stride
	if b.Boxes != nil && len(b.Boxes) != k {
		return &BagError{b.Name, fmt.Sprintf("it has %d boxes for %d instances", len(b.Boxes), k)}
	}
	if b.Slices != nil && len(b.Slices) != k {
		return &BagError{b.Name, msg.Sprintf("it has %d places of slices for %d instances",
			len(b.Slices), k)}
	}
	if b.Labels != nil && len(b.Labels) != k {
		return &BagError{b.Name, fmt.Sprintf("it has %d instance labels for %d instances",
			len(b.Labels), k)}
	}
	if b.InstanceNames != nil && len(b.InstanceNames) != k {
		return &BagError{b.Name, fmt.Sprintf("it has %d names of instances for %d instances",
			len(b.InstanceNames), k)}
	}
	if b.FeatureNames != nil && len(b.FeatureNames) != stride {
		return &BagError{b.Name, fmt.Sprintf("it has %d names of features for %d values of an "+
			"instance", len(b.FeatureNames), stride)}
	}
	if b.Relations != nil {
		if wrong := b.Relations.validate(k); wrong != "" {
			return &BagError{b.Name, wrong}
		}
	}
	return nil
}

// Hash returns the 64-bit FNV-1a hash of a purpose and of the bag's name, values, relations and
// covariates, value by value. Equal bags have equal hashes on every machine.
func (b *Bag) Hash(purpose string) uint64 {
	h := uint64(fnvOffset)
	for _, s := range [...]string{purpose, b.Name} {
		h = (fnv1a(h, s) ^ 256) * fnvPrime // a separator: 256 is not a byte
	}
	for _, v := range b.Values {
		h = (h ^ uint64(math.Float32bits(v))) * fnvPrime
	}
	if b.Relations != nil {
		h = b.Relations.hash(h)
	}
	for _, c := range b.Covariates {
		h = fnv1a(h, c.Name)
		for _, v := range c.Values {
			h = (h ^ math.Float64bits(v)) * fnvPrime
		}
	}
	return h
}

// Identity returns the 64-bit FNV-1a hash of the values of an instance.
func (b *Bag) Identity(instance int) uint64 {
	h := uint64(fnvOffset)
	for _, v := range b.Instance(instance) {
		h = (h ^ uint64(math.Float32bits(v))) * fnvPrime
	}
	return h
}

// Constants of the 64-bit FNV-1a hash.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// fnv1a continues an FNV-1a hash with the bytes of a string. It does not change from run to run, as
// hash/maphash does.
func fnv1a(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}
