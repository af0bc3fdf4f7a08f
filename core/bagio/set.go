package bagio

import (
	"context"
	"fmt"
	"image"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// Options are the settings for reading files. The zero value works if the file determines its bags.
type Options struct {
	// Name is the name of a bag without a name in the file; by default the file's name.
	Name string
	// Array is the name of the array of features in a file that names its arrays, such as
	// "uni/features"; default an array with a usual name, or the only one. With an asterisk, as in
	// "*/features", each array whose name fits the pattern of path.Match is a bag. A file that does
	// not name its arrays is then a *FormatError.
	Array string
	// Columns says what columns of a table hold, such as "slide=bag; id=skip": a name, which may
	// end with an asterisk, or the number of a column, such as #1, and one of bag, name, label,
	// instance_label, instance_name, x, y, width, height, feature and skip. The first part that
	// fits a column counts. Names and rows decide about the other columns. Of obs in AnnData's
	// files it can state bag, name, label and instance_label, where categories are labels in their
	// order. UsualColumns are rules that count after those of Columns and BagBy; a note lists those
	// that a file of columns cannot follow.
	Columns      string
	UsualColumns []core.ColumnRule
	// BagBy is the name of the column of a table, or of obs, whose values are the ids of bags.
	BagBy string
	// Patch is how a single picture is cut.
	Patch PatchOptions
	// Adjacency says how relations of instances are built from their places, in the words of
	// core.ParseAdjacency. They replace those of the file. By default a bag has those of the file.
	Adjacency string
	// CoordsUnit is the unit of coordinates in files of features and tables: "px" for pixels of
	// level 0, "um" for micrometres, the pixels of level 0 that a unit is, such as "4", or its
	// micrometres, such as "0.5um". By default the unit that the file states, else pixels of level
	// 0, with a note.
	CoordsUnit string
	// SlideMPP is how many micrometres a pixel of level 0 covers; 0 is what the file states, else
	// UsualMPP. Without it, coordinates in micrometres stay in micrometres, see core.Slide.Unit.
	SlideMPP, UsualMPP float64
	// PatchSide is the side of a patch at coordinates, in pixels of level 0; 0 is what the file
	// states, else the usual distance between neighbours, with a note.
	PatchSide int
	// Origin is what places in files of the slide count from, see core.Slide.StateOrigin.
	Origin string
	// TileNames is the order of the two numbers in names of tiles that no words such as x and col
	// explain: "xy" or "yx"; or "none", if names are no places. By default the sides of the tiles
	// and their edges decide, or it is a *QuestionError.
	TileNames string
	// DType is "bfloat16" if the file holds the bits of bfloat16 in integers, and "stored" if it
	// does not. By default integers that look like such bits are a *QuestionError.
	DType string
	// Series is the number of the series that is read if files hold several: the series number of
	// DICOM, or its place among them if that is not unique, or "all" for the pictures of all; or of
	// the volume of NIfTI, from 1. By default several are a *QuestionError.
	Series string
	// SliceAxes says where instances, rows and columns of a NIfTI volume go, as "SPL" or "kij", see
	// [ReadOptions]. By default slices lie across the third axis as DICOM files have them.
	// UsualSliceAxes are those of volumes if SliceAxes is empty.
	SliceAxes      string
	UsualSliceAxes core.SliceAxes
	// Window maps the values of grey DICOM pictures and NIfTI volumes that are not bytes to pixels,
	// in the words of core.ParseWindows. UsualWindow does so if it is empty.
	Window      string
	UsualWindow core.Windows
	// Spacing samples the slices of DICOM series and NIfTI volumes, in the words of
	// core.ParseSampling. UsualSpacing does so if it is empty. Neighbours are the slices on each
	// side of one that become its channels, up to core.MostNeighbours; 0 is UsualNeighbours.
	Spacing                     string
	UsualSpacing                core.Sampling
	Neighbours, UsualNeighbours int
	// InstanceShape is the shape of one instance in the model's input; a dimension of 0 or less is
	// open. Instances with the same number of values are reshaped, a batch axis of size 1 before
	// the instances is dropped, and pictures get the number of channels of the shape. Nil keeps the
	// shape in the file.
	InstanceShape []int
	// Layout is the shape of the model's whole input; a dimension of 0 or less is open. Axis is its
	// axis of instances. If an array has this layout, such as (1, channels, instances), and cannot
	// be read as instances first, it is transposed so that instances come first. Nil means that the
	// layout is unknown.
	Layout []int
	Axis   int
	// Places says which values of an instance of the model are its coordinates, or is nil. Files
	// that hold features and coordinates apart are then joined, see Set.WithPlaces.
	Places *core.PlaceValues
	// Covariates are the inputs of the model that take covariates of a bag, which files may state
	// by their names. Inputs states them for all bags, before the files, in the words of
	// core.ParseCovariates.
	Covariates []core.CovariateInput
	Inputs     string
	// Classes are the names of the model's classes. Labels of a file that are words are the classes
	// of these names, or else numbered in the order of the words.
	Classes []string
	// Batch states that the first axis of Layout holds bags. An array of Layout's rank with a first
	// axis of size 1 is then one bag, and not a bag of one instance.
	Batch bool
	// ZeroCopy transfers the bytes of the files to the set, which may then convert numbers in place
	// and return bags that share their memory. The caller must not use the bytes afterwards. A bag
	// of 100,000 instances of 1024 float32 is then held once, in 0.4 GB.
	ZeroCopy bool
	// Slide makes a set of a whole slide, a TIFF file that r reads by ranges, so that Limits.Bytes
	// does not bound it, or the description of a Deep Zoom picture. By default a TIFF file is a
	// picture that Patch cuts.
	Slide func(name string, r io.ReaderAt, size int64) (*Set, error)
	// Step is called before each part of a picture that is cut, each file of a series, each of its
	// slices, and while a file is unpacked, with the number of parts that are done and of all. Its
	// error ends reading. Nil is not called.
	Step func(done, total int) error
	// Deferred makes a set of a DICOM series from the headers of its files, or of a NIfTI volume
	// whose slices follow each other in it from the header, if slices are not sampled: a bag or
	// some of its instances are read when Set.Bag or Set.Some asks for them, so that the files must
	// stay readable. See Set.Deferred.
	Deferred bool
	Limits   Limits

	placesAlone bool       // see ReadPlaces: values are not read
	view        *TableView // filled instead of reading bags, or nil; see ViewTable
}

// A Set holds the bags of one file. Instances keep the data type of the file until Bag converts
// them. Methods do not change a Set, so that goroutines may share it.
type Set struct {
	array    *Array            // all instances (N, ...)
	shape    []int             // shape of one instance
	offsets  []int             // (B+1): bag b is the instances offsets[b] to offsets[b+1]-1
	names    []string          // (B)
	classes  []int             // (B), or nil
	labels   []int             // (N), or nil
	boxes    []image.Rectangle // (N), or nil
	pictures []image.Image     // (B), or nil
	cut      *Cut              // how the picture was cut, or nil
	slide    *core.Slide       // what the file says of the image behind boxes, or nil
	// (N) names of instances, or nil
	instanceNames []string
	featureNames  []string          // names of the values of an instance, or nil
	slices        []core.Slice      // (N) places of slices in a volume, or nil
	origin        *core.Origin      // the DICOM files of the instances, or nil
	sources       core.Pictures     // what the instances of the only bag were encoded from, or nil
	placing       placing           // what the caller says of it
	laid          *laidPlaces       // how boxes were read, or nil
	noun          core.Noun         // what an instance is, if the file says it
	kind          string            // see Kind
	insert        *core.PlaceValues // coordinates that bags hold beside features, or nil
	points        [][2]float64      // (N) these coordinates, or nil

	covariates [][]core.Covariate // (B) those of the file, or nil
	stated     []core.Covariate   // those of the caller, which count before them

	relations *core.Relations // relations of the N instances, or nil
	adjacency *core.Adjacency // how relations are built instead, or nil

	notes    []string
	computed bool          // SetOf made it, so that no file can mean something else
	zeroCopy bool          // see Options.ZeroCopy
	memory   *quota.Memory // see Limits.Memory
}

// Len returns the number of bags.
func (s *Set) Len() int { return len(s.names) }

// Kind says what the files are, such as "CT series" or the name of a [Format]; of [SetOf] "".
func (s *Set) Kind() string { return s.kind }

// Names returns the names of the bags.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Notes returns sentences about decisions during reading and about ignored parts of the file.
func (s *Set) Notes() []string { return slices.Clone(s.notes) }

// Picture returns the picture that bag i was cut from, or nil.
func (s *Set) Picture(i int) image.Image {
	if i < 0 || i >= len(s.pictures) {
		return nil
	}
	return s.pictures[i]
}

// Cut returns how the picture of the set was cut, or nil for a set of another file. It must not be
// changed.
func (s *Set) Cut() *Cut { return s.cut }

// Bag returns bag i as BagIn does, with its errors. Its values are reserved in Limits.Memory.
func (s *Set) Bag(i int) (*core.Bag, error) { return s.BagIn(context.Background(), i) }

// BagIn returns bag i in new memory, which it reserves in the Memory of ctx or else in
// Limits.Memory; with Options.ZeroCopy its values may share the memory of the
// set. It returns a *core.SettingError for an index out of range, a *core.BagError for a bag
// without instances, and a *FormatError for a value that is NaN, infinite or too large for a
// float32.
func (s *Set) BagIn(ctx context.Context, i int) (*core.Bag, error) {
	b, n, err := s.Outline(i)
	if err != nil {
		return nil, err
	}
	if s.Deferred() {
		return s.Some(ctx, i, nil, nil)
	}
	from := s.offsets[i]
	if b.Values, err = s.values(ctx, from*b.Stride(), n*b.Stride()); err != nil {
		return nil, err
	}
	if err := s.relate(b, from, from+n); err != nil {
		return nil, err
	}
	if s.insert != nil {
		if err := s.joinPlaces(ctx, b, from); err != nil {
			return nil, err
		}
	}
	return b, b.Validate()
}

// Outline returns bag i without its values and relations, and the number of its instances. Errors
// are the first two of BagIn.
func (s *Set) Outline(i int) (bag *core.Bag, instances int, err error) {
	if i < 0 || i >= s.Len() {
		return nil, 0, &core.SettingError{Setting: "index",
			Reason: fmt.Sprintf("there is no bag %d; the %d of this file are numbered from 0", i,
				s.Len())}
	}
	from, to := s.offsets[i], s.offsets[i+1]
	if from == to {
		return nil, 0, &core.BagError{Bag: s.names[i], Reason: "it has no instances"}
	}
	b := &core.Bag{Name: s.names[i], Shape: slices.Clone(s.shape), Raw: s.array.Raw(),
		Noun: s.noun, Covariates: s.covariatesOf(i), Origin: s.origin, Pictures: s.sources}
	if s.classes != nil {
		b.Class = []int{s.classes[i]}
	}
	if s.labels != nil {
		b.Labels = slices.Clone(s.labels[from:to])
	}
	if s.instanceNames != nil {
		b.InstanceNames = slices.Clone(s.instanceNames[from:to])
	}
	b.FeatureNames = s.featureNames
	if s.boxes != nil {
		b.Boxes = slices.Clone(s.boxes[from:to])
		if b.Slide, err = s.placing.on(b.Name, s.slide); err != nil {
			return nil, 0, err
		}
	} else if s.placing.origin != "" {
		return nil, 0, &core.BagError{Bag: b.Name, Reason: noOrigin}
	}
	if s.slices != nil {
		b.Slices = slices.Clone(s.slices[from:to])
	}
	return b, to - from, nil
}

// values returns n values, starting at entry from. With ZeroCopy they share the memory of the set
// if it holds aligned float32 values.
func (s *Set) values(ctx context.Context, from, n int) ([]float32, error) {
	if s.zeroCopy {
		if v := s.array.view(from, n); v != nil {
			return v, s.finite(firstNonFinite(v, from))
		}
	}
	m := quota.MemoryOf(ctx)
	if m == nil {
		m = s.memory
	}
	if err := m.Reserve(4*int64(n), "the values of a bag"); err != nil {
		return nil, err
	}
	v := make([]float32, n)
	return v, s.finite(s.array.floats(v, from))
}

// finite returns the error for an entry that is not a finite float32, with its instance and bag. It
// returns nil for -1.
func (s *Set) finite(entry int) error {
	if entry < 0 {
		return nil
	}
	stride := product(s.shape)
	i := entry / stride
	b := sort.SearchInts(s.offsets, i+1) - 1 // the last bag that begins at or before i
	place := msg.Sprintf("%s of instance %d", featureText(s.shape, entry%stride), i-s.offsets[b])
	if s.Len() > 1 {
		place += msg.Sprintf(" of bag %q", s.names[b])
	}
	return s.array.nonFinite(entry, place)
}

// oneBag returns a set of one bag with all instances of an array.
func oneBag(file string, a *Array, o Options) (*Set, error) {
	turned, err := o.turned(a)
	if err != nil {
		return nil, err
	}
	// (1, k, ...) is ambiguous: one bag of k instances, or one instance with k rows.
	batch := o.Batch && len(a.Shape) == len(o.Layout) && len(a.Shape) > 2 && a.Shape[0] == 1 &&
		a.Shape[1] > 1
	if batch && turned == a {
		turned = a.withoutFirst()
	}
	s, err := newSet(file, turned, o)
	if err != nil {
		return nil, err
	}
	switch {
	case turned == a:
	case batch && o.Axis == 0:
		s.notes = append(s.notes, msg.Sprintf("The array of shape %s is read as one bag of %d "+
			"instances; if it is one instance, set \"instance_axis\": 0 in the model card.",
			shapeText(a.Shape), a.Shape[1]))
	case product(a.Shape[:o.Axis]) > 1:
		s.notes = append(s.notes, msg.Sprintf("The array of shape %s has the layout of the "+
			"model's input: its axis %d holds the instances.", shapeText(a.Shape), o.Axis))
	}
	s.offsets = []int{0, s.array.Len()}
	s.names = []string{bagName(file, o)}
	return s, s.narrowToFloat32()
}

// severalBags returns bags of some numbers of instances, which follow each other in an array.
func severalBags(file string, a *Array, instances []int, o Options) (*Set, error) {
	if err := o.Limits.withDefaults().bags(file, int64(len(instances))); err != nil {
		return nil, err
	}
	s, err := newSet(file, a, o)
	if err != nil {
		return nil, err
	}
	s.offsets = []int{0}
	for b, n := range instances {
		s.offsets = append(s.offsets, s.offsets[b]+n)
	}
	s.names = bagNames(file, len(instances), o)
	return s, s.narrowToFloat32()
}

// turned returns the array transposed so that instances come first. It returns a itself if a does
// not have the model's layout or already has its instances first.
func (o Options) turned(a *Array) (*Array, error) {
	if o.Axis <= 0 || o.Axis >= len(o.Layout) || len(a.Shape) != len(o.Layout) || len(a.Shape) < 2 {
		return a, nil
	}
	for d, side := range o.Layout {
		if side > 0 && a.Shape[d] != side || d == 0 && side <= 0 && a.Shape[0] != 1 {
			return a, nil
		}
	}
	if _, ok := reshape(a.Shape[1:], o.InstanceShape); ok && a.Shape[0] != 1 {
		return a, nil
	}
	outer, k, inner := product(a.Shape[:o.Axis]), a.Shape[o.Axis],
		product(a.Shape[o.Axis+1:])*a.dtype.size
	if outer == 1 {
		return a, nil // newSet drops the batch axis
	}
	if err := o.Limits.reserve(a.file, int64(len(a.data))); err != nil {
		return nil, err
	}
	// Axes (outer, k, inner) become (k, outer, inner).
	data := make([]byte, 0, len(a.data))
	for i := range k {
		for b := range outer {
			data = append(data, a.data[(b*k+i)*inner:][:inner]...)
		}
	}
	before := a.Shape[:o.Axis]
	if before[0] == 1 {
		before = before[1:]
	}
	return &Array{Shape: slices.Concat([]int{k}, before, a.Shape[o.Axis+1:]), dtype: a.dtype,
		data: data, file: a.file, start: -1, unnamed: a.unnamed}, nil
}

// withoutFirst returns the array without its first axis, which must have size 1.
func (a *Array) withoutFirst() *Array {
	out := *a
	out.Shape = a.Shape[1:]
	return &out
}

// newSet returns a set of the instances of an array, reshaped to o.InstanceShape. The caller must
// set offsets and names, and then call narrowToFloat32. It returns a *FormatError for an array that
// holds no instances of the shape, and a *LimitError for too many instances.
func newSet(file string, a *Array, o Options) (*Set, error) {
	// Readers of files with several arrays clear the name after their choice.
	if o.Array != "" {
		return nil, bad(file, "its format does not name arrays, so that the array %q cannot be "+
			"chosen; omit the name", o.Array)
	}
	if o.SliceAxes != "" {
		return nil, bad(file, "axes of slices are stated, and it is not a NIfTI volume; omit "+
			"slice-axes")
	}
	if o.Window != "" {
		return nil, bad(file, "a window is stated, and its values are no grey ones of DICOM or "+
			"NIfTI beyond 0 to 255; omit window")
	}
	if o.Spacing != "" || o.Neighbours != 0 {
		return nil, bad(file, "the spacing or neighbours of slices are stated, and it is neither "+
			"a DICOM series nor a NIfTI volume; omit spacing and neighbours")
	}
	if o.Columns != "" || o.BagBy != "" {
		return nil, bad(file, "its format has no columns with names, of which columns and bag-by "+
			"state what they hold; omit both")
	}
	if len(a.Shape) < 2 {
		return nil, bad(file, "it holds an array of shape %s; a bag needs an axis of instances "+
			"and at least one of values", shapeText(a.Shape))
	}
	if a.dtype.isText() {
		return nil, bad(file, "its instances are text (%v), not numbers", a.dtype)
	}
	a, err := a.ofDType(o)
	if err != nil {
		return nil, err
	}
	stored := a
	a, err = a.channelsFirst(o.InstanceShape, o.Limits)
	if err != nil {
		return nil, err
	}
	shape, ok := reshape(a.Shape[1:], o.InstanceShape)
	if !ok && a.Shape[0] == 1 && len(a.Shape) == len(o.InstanceShape)+2 {
		if shape, ok = reshape(a.Shape[2:], o.InstanceShape); ok {
			a = a.withoutFirst()
		}
	}
	if features := o.withoutPlaces(); !ok && features != nil {
		apart := o
		apart.Places, apart.InstanceShape = nil, features
		if o.DType != "" {
			apart.DType = dtypeStored // a is converted
		}
		if s, err := newSet(file, a, apart); err == nil {
			s.WithPlaces(o.Places)
			return s, nil
		}
	}
	if !ok {
		way := otherChannels(a.Shape, o.InstanceShape)
		if len(o.InstanceShape) == 1 && len(a.Shape) == 4 {
			way = "; name the encoder as via, which computes features of pictures that are no slide"
		}
		return nil, &FormatError{File: file, Misfit: true, Reason: msg.Sprintf("an instance has "+
			"shape %s, but the model takes %s%s", shapeText(a.Shape[1:]),
			shapeText(o.InstanceShape), msg.Text(way))}
	}
	if err := o.Limits.withDefaults().instances(file, int64(a.Len())); err != nil {
		return nil, err
	}
	s := &Set{array: a, shape: shape, zeroCopy: o.ZeroCopy, memory: o.Limits.Memory}
	if s.placing, err = o.placing(); err != nil {
		return nil, err
	}
	s.notes = a.pixelNotes(stored)
	return s, s.state(o)
}

// state sets the origin, how relations are built, and the covariates that the caller states.
func (s *Set) state(o Options) (err error) {
	s.placing.origin = o.Origin
	if o.Adjacency != "" {
		if s.adjacency, err = core.ParseAdjacency(o.Adjacency); err != nil {
			return err
		}
	}
	s.stated, err = core.ParseCovariates(o.Inputs)
	return err
}

// baseName returns a file's name without folders, .gz and ending. Browsers on Windows may send
// names with backslashes.
func baseName(file string) string {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".gz")
	if base := strings.TrimSuffix(name, path.Ext(name)); base != "" {
		return base
	}
	return name
}

// bagNames returns the names of the bags of a file: that of its only bag, with a number if there
// are several.
func bagNames(file string, bags int, o Options) []string {
	names := make([]string, bags)
	for b := range names {
		if names[b] = bagName(file, o); bags > 1 {
			names[b] = fmt.Sprintf("%s %d", names[b], b)
		}
	}
	return names
}

// bagName returns the name of the only bag of a file.
func bagName(file string, o Options) string {
	if o.Name != "" {
		return o.Name
	}
	return baseName(file)
}
