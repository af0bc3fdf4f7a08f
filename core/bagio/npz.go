package bagio

import (
	"archive/zip"
	"fmt"
	"image"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/otherfile"
)

// An archive is an .npz file: a zip archive of .npy members.
type archive struct {
	file    string
	members map[string]*zip.File // members by their names without .npy
	order   []string
	packed  int64 // bytes of the whole archive
	left    int64 // bytes that may still be unpacked
	limits  Limits
	// pictures has the files of an archive that holds pictures and no arrays, or is nil.
	pictures fs.FS
}

// openArchive returns the directory of an .npz file. It unpacks no member. A name that occurs twice
// is an error, because readers of zip archives disagree on which member counts.
func openArchive(s *source, l Limits) (*archive, error) {
	file := s.name
	r, err := openZip(s, l)
	if err != nil {
		return nil, err
	}
	a := &archive{file: file, members: map[string]*zip.File{}, packed: s.size, left: l.Bytes,
		limits: l}
	for _, f := range r.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if a.members[name] != nil {
			return nil, bad(file, "it holds %s twice", f.Name)
		}
		a.members[name] = f
		a.order = append(a.order, name)
	}
	if len(a.order) == 0 {
		if a.pictures, err = picturesIn(file, r); a.pictures != nil || err != nil {
			return a, err
		}
	}
	if len(a.order) == 0 && len(r.File) > 0 {
		var names []string
		for _, f := range r.File[:min(len(r.File), 64)] {
			names = append(names, f.Name)
		}
		return nil, refused(file, otherfile.InZip(names))
	}
	return a, nil
}

// array returns an unpacked member, or nil if the archive has no member of that name.
func (a *archive) array(name string) (*Array, error) {
	f := a.members[name]
	if f == nil {
		return nil, nil
	}
	file := a.file + "/" + f.Name
	data, err := a.unpack(file, f)
	if err != nil {
		return nil, err
	}
	return ReadNpy(file, data, a.limits)
}

// maxDeflate exceeds the largest compression ratio of deflate, 1032: 258 bytes from two bits.
const maxDeflate = 1040

// unpack returns the bytes of a member. It rejects a declared size that is impossible for the
// packed size, before it allocates memory, and a length or checksum that differs from the declared
// one.
func (a *archive) unpack(file string, f *zip.File) ([]byte, error) {
	size := f.UncompressedSize64
	if size > uint64(a.left) {
		return nil, &LimitError{file, fmt.Sprintf(
			"it unpacks to %d bytes, but only %d bytes of the archive's limit are left", size,
			a.left), "bytes", a.limits.Bytes}
	}
	if f.CompressedSize64 > uint64(a.packed) || size/maxDeflate > f.CompressedSize64 {
		return nil, bad(file, "it claims that %d bytes unpack from %d bytes, which is impossible",
			size, f.CompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return nil, because(err, bad(file, "it cannot be unpacked: %v", err))
	}
	defer r.Close()
	if err := a.limits.reserve(file, int64(size)); err != nil {
		return nil, err
	}
	data := make([]byte, size) // one allocation of the declared size, which is checked above
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, because(err, bad(file, "it cannot be unpacked: %v", err))
	}
	// The reader compares the checksum at the end, so that the end must be read too.
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, bad(file,
			"it does not unpack to the %d bytes and the checksum that the archive states", size)
	}
	a.left -= int64(size)
	return data, nil
}

// setFromNpz reads a bag set of B bags with N instances in total. Its members are:
//
//	instances        (N, ...)  the instances of all bags, bag after bag
//	offsets          (B+1)     bag b is the instances offsets[b] to offsets[b+1]-1; the first is 0
//	                           and the last N; by default all instances are one bag
//	labels           (B)       class of each bag; optional
//	instance_labels  (N)       label of each instance, -1 unknown; optional
//	boxes            (N, 4)    corners x0 y0 x1 y1 in the picture; optional
//	names            (B)       names of the bags; optional
//	adj              (N, N)    a value for each pair of instances, for one bag; optional
//	edge_index       (2, E)    the instances that each edge joins, as numbers from 0 to N-1;
//	                           optional
//	edge_weight      (E)       the values of the edges, by default 1; optional
//
// and arrays with a row for each bag, called like the inputs of covariates in Options.Covariates.
// In an archive with neither instances nor offsets, the only array of two or more axes holds the
// instances. With coordinates beside it, the archive holds features as setFromFeatures reads them.
func setFromNpz(source *source, o Options) (*Set, error) {
	file := source.name
	a, err := openArchive(source, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	if a.pictures != nil {
		return setFromPictureZip(file, a.pictures, o)
	}
	if o.Array == "" {
		matrix, err := a.sparse()
		if err != nil {
			return nil, err
		}
		if matrix != nil {
			return oneBag(file, matrix, o)
		}
	}
	features, several := a.holdsFeatures(), a.members["instances"] == nil &&
		a.members["offsets"] == nil && len(a.order) > 1
	if features || several {
		n, err := a.named()
		if err != nil {
			return nil, err
		}
		if features || n.holdsBags(o) {
			return setFromFeatures(n, o)
		}
	}
	instances, err := a.instances(o)
	if err != nil {
		return nil, err
	}
	o.Array = "" // chosen
	s, err := newSet(file, instances, o)
	if err != nil {
		return nil, err
	}
	names := func(s *Set) error { return a.names(s, o) }
	covariates := func(s *Set) error { return a.covariates(s, o) }
	// offsets comes first, because it sets the number of bags; names sets the length of s.names.
	for _, read := range []func(*Set) error{a.offsets, names, a.classes, a.labels, a.boxes,
		a.instanceNames, a.featureNames, a.relations, covariates} {
		if err := read(s); err != nil {
			return nil, err
		}
	}
	if err := s.narrowToFloat32(); err != nil {
		return nil, err
	}
	if left := a.unknownMembers(instances, o); len(left) > 0 {
		s.notes = append(s.notes, msg.Sprintf(
			"%s: ignored members that are not part of a bag set: %s", file, msg.List(left)))
	}
	return s, nil
}

// setMembers are the arrays that a bag set may hold.
var setMembers = []string{"instances", "offsets", "labels", "instance_labels", "boxes", "names",
	instanceNameList, featureNameList}

// unknownMembers returns the members that are neither part of a bag set nor the array of instances.
func (a *archive) unknownMembers(instances *Array, o Options) []string {
	return slices.DeleteFunc(slices.Clone(a.order), func(name string) bool {
		return slices.Contains(setMembers, name) || holdsRelations(name) ||
			o.takesCovariate(name) ||
			a.file+"/"+name+".npy" == instances.file
	})
}

// instances returns the member called o.Array, if that is not empty, else the member instances.npy
// or, in an archive without offsets, the only array of two or more axes.
func (a *archive) instances(o Options) (*Array, error) {
	if name := o.Array; name != "" {
		found, err := a.array(name)
		if found == nil && err == nil {
			err = bad(a.file, "it has no array %q (it holds %s)", name, orNothing(a.order))
		}
		return found, err
	}
	if found, err := a.array("instances"); found != nil || err != nil {
		return found, err
	}
	var found *Array
	for _, name := range a.order {
		// With offsets the archive is a bag set, whose instances must be named; boxes have two axes
		// too.
		if a.members["offsets"] != nil || name == "boxes" || holdsRelations(name) ||
			o.takesCovariate(name) {
			continue
		}
		array, err := a.array(name)
		if err != nil {
			return nil, err
		}
		if len(array.Shape) < 2 || array.dtype.isText() {
			continue
		}
		if found != nil {
			n, err := a.named()
			if err != nil {
				return nil, err
			}
			return nil, n.choose("several of its arrays could be the bag; choose one by its "+
				"name, or call one instances (it holds %s)", msg.List(a.order))
		}
		found = array
	}
	if found == nil {
		return nil, bad(a.file, "it has no member instances.npy (it holds %s)", orNothing(a.order))
	}
	return found, nil
}

// orNothing joins names for a message, where an empty list would be unclear.
func orNothing(names []string) msg.Text {
	if len(names) == 0 {
		return "no .npy member"
	}
	return msg.List(names)
}

// ints returns a member as integers of the given shape, or nil if there is no member of that name.
func (a *archive) ints(name string, shape ...int) ([]int, error) {
	array, err := a.shaped(name, shape)
	if array == nil || err != nil {
		return nil, err
	}
	return array.Ints()
}

// shaped returns a member that must have the given shape, up to axes of size 1, or nil if there is
// no member of that name.
func (a *archive) shaped(name string, shape []int) (*Array, error) {
	array, err := a.array(name)
	if array == nil || err != nil {
		return nil, err
	}
	if !slices.Equal(withoutOnes(array.Shape), withoutOnes(shape)) {
		return nil, bad(array.file, "it has shape %s, but shape %s is needed",
			shapeText(array.Shape), shapeText(shape))
	}
	return array, nil
}

// offsets sets the offsets of the bags: bag b is the instances offsets[b] to offsets[b+1]-1.
// Without the member, all instances are one bag.
func (a *archive) offsets(s *Set) error {
	n := s.array.Len()
	array, err := a.array("offsets")
	if err != nil {
		return err
	}
	if array == nil {
		s.offsets = []int{0, n}
		return nil
	}
	if len(array.Shape) != 1 || array.Len() < 2 {
		return bad(array.file, "it has shape %s; B bags need (B+1,) offsets, and at least one bag",
			shapeText(array.Shape))
	}
	if err := a.limits.bags(a.file, int64(array.Len()-1)); err != nil {
		return err
	}
	if s.offsets, err = array.Ints(); err != nil {
		return err
	}
	last := 0
	for b, at := range s.offsets {
		if at < last {
			return badAt(array.file, array.offset(b),
				"offset %d is %d; offsets must not be negative and must not decrease", b, at)
		}
		if at > n {
			return badAt(array.file, array.offset(b),
				"offset %d is %d, but there are only %d instances", b, at, n)
		}
		last = at
	}
	// Instances outside of all bags would be dropped without an effect on any result.
	if first := s.offsets[0]; first > 0 || last < n {
		return bad(array.file, "the offsets go from %d to %d, but must go from 0 to %d: %d of %d "+
			"instances would belong to no bag", first, last, n, first+n-last, n)
	}
	return nil
}

// names sets the names of the bags, by default those of bagNames.
func (a *archive) names(s *Set, o Options) error {
	bags := len(s.offsets) - 1
	names, err := a.words("names", bags)
	if names == nil && err == nil {
		names = bagNames(a.file, bags, o)
	}
	s.names = names
	return err
}

// classes sets the class of each bag, if the archive has the member labels.
func (a *archive) classes(s *Set) (err error) {
	s.classes, err = a.ints("labels", len(s.names))
	return err
}

// labels sets the label of each instance, if the archive has the member instance_labels.
func (a *archive) labels(s *Set) (err error) {
	s.labels, err = a.ints("instance_labels", s.array.Len())
	return err
}

// relations sets the relations of the instances, if the archive has any.
func (a *archive) relations(s *Set) error {
	if !slices.ContainsFunc(a.order, holdsRelations) {
		return nil
	}
	n, err := a.named()
	if err != nil {
		return err
	}
	_, err = s.addRelations(n, &namedArray{}, a.limits)
	return err
}

// boxes sets the box of each instance, if the archive has the member boxes.
func (a *archive) boxes(s *Set) error {
	corners, err := a.ints("boxes", s.array.Len(), 4)
	if corners == nil || err != nil {
		return err
	}
	s.boxes = make([]image.Rectangle, s.array.Len())
	for i := range s.boxes {
		if s.boxes[i], err = box(corners[4*i : 4*i+4]); err != nil {
			return bad(a.file+"/boxes.npy", "box %d: %v", i, err)
		}
	}
	return nil
}
