package bagio

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A niftiVersion is where the fields of a header lie.
//
// https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h and nifti2.h.
type niftiVersion struct {
	header                    int // bytes of the header, which it begins with
	magic                     string
	magicAt                   int
	dims, dimSize             int // eight whole numbers
	dtype, offset, offsetSize int
	slope, pixdim, floatSize  int // scl_slope, then scl_inter; and eight of pixdim
	cal                       int // cal_max, then cal_min
	qform, formSize           int // qform_code, then sform_code
	quaternion, rows          int // six of the quaternion, and twelve of srow
}

var niftiVersions = []niftiVersion{
	{348, "n+1\x00", 344, 40, 2, 70, 108, 4, 112, 76, 4, 124, 252, 2, 256, 280},
	{540, "n+2\x00\r\n\x1a\n", 4, 16, 8, 12, 168, 8, 176, 104, 8, 192, 344, 4, 352, 400},
}

// niftiTypes are the types of voxels. Colours are three bytes.
var niftiTypes = map[uint64]dtype{2: {kind: 'u', size: 1}, 4: {kind: 'i', size: 2},
	8: {kind: 'i', size: 4}, 16: {kind: 'f', size: 4}, 64: {kind: 'f', size: 8},
	niftiColours: {kind: 'u', size: 1}, 256: {kind: 'i', size: 1}, 512: {kind: 'u', size: 2},
	768: {kind: 'u', size: 4}, 1024: {kind: 'i', size: 8}, 1280: {kind: 'u', size: 8}}

const niftiColours = 128 // RGB24

// A nifti is what the header of a NIfTI file says.
type nifti struct {
	name         string
	sides        [3]int // voxels along the first, second and third axis
	volumes      int
	first        int // index of the first slice, for messages
	colours      bool
	dtype        dtype
	offset       int64 // bytes before the voxels
	slope, inter float64
	scaled       bool          // voxels stand for slope x + inter
	axes         [3][3]float64 // direction of each axis in the patient, a voxel long, in mm
	placed       bool          // the file states axes
	// window is the range from cal_min to cal_max, of values as they are scaled; its width is 0 if
	// the file states none
	window core.Window
}

// isNIfTI reports whether a file begins as a NIfTI file of either version and byte order.
func isNIfTI(head []byte) bool {
	_, _, ok := niftiVersionOf(head)
	return ok
}

func niftiVersionOf(head []byte) (niftiVersion, binary.ByteOrder, bool) {
	for _, v := range niftiVersions {
		if len(head) < v.header || !begins(head[v.magicAt:], v.magic) {
			continue
		}
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			if order.Uint32(head) == uint32(v.header) {
				return v, order, true
			}
		}
	}
	return niftiVersion{}, nil, false
}

// parseNIfTI reads the header of a file.
func parseNIfTI(s *source, l Limits) (*nifti, error) {
	v, order, _ := niftiVersionOf(s.head)
	h := niftiHeader{s.head, order}
	n := &nifti{name: s.name, volumes: 1}
	if err := n.readShape(h, v, l); err != nil {
		return nil, err
	}
	code := h.whole(v.dtype, 2)
	known := false
	n.dtype, known = niftiTypes[uint64(code)]
	switch {
	case code == 32 || code == 1792 || code == 2048:
		return nil, bad(s.name, "its voxels are complex numbers; nibabel writes their magnitudes: "+
			"python3 -c \"import nibabel, numpy; i=nibabel.load('FILE'); "+
			"nibabel.save(nibabel.Nifti1Image(numpy.abs(i.dataobj), i.affine), "+
			"'magnitude.nii.gz')\"")
	case !known:
		return nil, bad(s.name, "its voxels have the NIfTI type %d, which is not read", code)
	}
	n.colours, n.dtype.big = code == niftiColours, order == binary.BigEndian
	n.offset = h.whole(v.offset, v.offsetSize)
	if v.header == niftiVersions[0].header {
		n.offset = int64(clampedFloat(h.float(v.offset, v.offsetSize)))
	}
	if n.offset < int64(v.header) || n.offset > s.size {
		return nil, bad(s.name, "its voxels begin at byte %d, and it has %d bytes", n.offset,
			s.size)
	}
	left := s.size - n.offset
	if int64(n.volumes) > left/n.volumeBytes() {
		return nil, bad(s.name, "%d volumes of %d x %d x %d voxels take %d bytes each, and %d "+
			"bytes follow the header", n.volumes, n.sides[0], n.sides[1], n.sides[2],
			n.volumeBytes(), left)
	}
	n.slope = h.float(v.slope, v.floatSize)
	n.inter = h.float(v.slope+v.floatSize, v.floatSize)
	n.scaled = n.slope != 0 && !math.IsNaN(n.slope) && !math.IsInf(n.slope, 0) && !n.colours &&
		!(n.slope == 1 && n.inter == 0)
	if n.scaled && (math.IsNaN(n.inter) || math.IsInf(n.inter, 0)) {
		return nil, bad(s.name, "its voxels are scaled by %v and then moved by %v, which is not "+
			"finite", n.slope, n.inter)
	}
	n.axes, n.placed = h.axes(v)
	high, low := h.float(v.cal, v.floatSize), h.float(v.cal+v.floatSize, v.floatSize)
	if width := high - low; width > 0 && width < math.MaxFloat32 && !n.colours {
		n.window = core.Window{Center: low + width/2, Width: width}
	}
	return n, nil
}

// readShape reads the dimensions of the header.
func (n *nifti) readShape(h niftiHeader, v niftiVersion, l Limits) error {
	var dims [8]int64
	for i := range dims {
		dims[i] = h.whole(v.dims+i*v.dimSize, v.dimSize)
	}
	if dims[0] < 1 || dims[0] > 7 {
		return bad(n.name, "its NIfTI header states %d dimensions", dims[0])
	}
	for i := range dims[1:] {
		if int64(i) >= dims[0] {
			dims[i+1] = 1
		}
		if dims[i+1] < 1 || dims[i+1] > math.MaxInt32 {
			return bad(n.name, "axis %d of its voxels has %d elements", i+1, dims[i+1])
		}
	}
	for _, d := range dims[5:] {
		if d > 1 {
			return bad(n.name, "it holds a vector or a matrix for each voxel; a bag has slices of "+
				"one value a voxel: write the one that the model takes")
		}
	}
	n.sides = [3]int{int(dims[1]), int(dims[2]), int(dims[3])}
	n.volumes = int(dims[4])
	if n.sides[2] == 1 && n.volumes == 1 {
		return bad(n.name, "it holds one slice, and a bag has several; a picture is read from "+
			"PNG, TIFF or DICOM files, in patches")
	}
	if _, err := l.elements(n.name, n.sides[:]); err != nil {
		return err
	}
	return l.instances(n.name, dims[3])
}

// samples returns the numbers of a voxel.
func (n *nifti) samples() int {
	if n.colours {
		return 3
	}
	return 1
}

// volumeBytes returns the bytes of a volume. [Limits.elements] has checked its sides.
func (n *nifti) volumeBytes() int64 {
	return int64(n.sides[0]) * int64(n.sides[1]) * int64(n.sides[2]) *
		int64(n.samples()*n.dtype.size)
}

// setFromNIfTI returns the bag of a volume: each slice is an instance. Several volumes are a
// *QuestionError, unless o.Series states one.
func setFromNIfTI(s *source, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	n, err := parseNIfTI(s, l)
	if err != nil {
		return nil, err
	}
	volume, err := n.choose(o.Series)
	if err != nil {
		return nil, err
	}
	axes := o.UsualSliceAxes
	if o.SliceAxes != "" {
		if axes, err = core.ParseSliceAxes(o.SliceAxes); err != nil {
			return nil, err
		}
	}
	turn, err := n.turn(axes)
	if err != nil {
		return nil, err
	}
	o.SliceAxes = ""
	start := n.offset + int64(volume)*n.volumeBytes()
	var windows core.Windows
	if n.scaled || n.dtype.kind != 'u' || n.dtype.size > 1 {
		if windows, err = o.takeWindows(); err != nil {
			return nil, err
		}
	}
	sampler, err := o.takeSampler()
	if err != nil {
		return nil, err
	}
	places := turn.places(n)
	var array *Array
	var sampled []string
	if sampler.none() && turn[0].Axis == 2 && o.defers(n.sides[turn[2].Axis]) {
		array, err = n.deferred(s, start, turn, windows, o.InstanceShape, l)
	} else {
		var data []byte
		if data, err = s.take(start, n.volumeBytes(), l); err != nil {
			return nil, err
		}
		if sampler.none() {
			array, err = n.slices(data, turn, windows, o.InstanceShape, l)
		} else {
			array, places, sampled, err = n.sampled(data, turn, sampler, windows, o, l)
		}
		if !s.held() {
			l.Memory.Release(int64(len(data)))
		}
	}
	if err != nil {
		return nil, err
	}
	set, err := oneBag(s.name, array, o)
	if err != nil {
		return nil, err
	}
	set.noun = sliceNoun
	set.notes = append(append(set.notes, turn.note(n)), sampled...)
	set.slices = places
	switch {
	case len(windows) > 0:
		set.notes = append(set.notes, windowNote(windows))
	case n.scaled:
		set.notes = append(set.notes, msg.Sprintf("Values are %v times those that the file holds, "+
			"plus %v, as it states.", n.slope, n.inter))
	}
	if n.window.Width > 0 && !set.array.Raw() {
		set.notes = append(set.notes, msg.Sprintf("Pictures show its window %v,%v first, from "+
			"cal_min to cal_max; the values stay as they are.", n.window.Center, n.window.Width))
	}
	return set, nil
}

// choose returns the index of the volume that the caller states, or of the only one.
func (n *nifti) choose(stated string) (int, error) {
	i, err := strconv.Atoi(stated)
	if err == nil && i >= 1 && i <= n.volumes {
		return i - 1, nil
	}
	if stated == "" && n.volumes == 1 {
		return 0, nil
	}
	seen := msg.Sprintf("it holds %d volumes", n.volumes)
	if stated != "" {
		seen = msg.Sprintf("it holds no volume %s, but %d", stated, n.volumes)
	}
	const most = 8
	var answers []Answer
	for i := range min(n.volumes, most) {
		answers = append(answers, Answer{strconv.Itoa(i + 1),
			msg.Sprintf("the bag is volume %d", i+1)})
	}
	return 0, &QuestionError{File: n.name, Seen: seen, Option: "series", Answers: answers}
}

// shape returns the shape (slice, channel, row, column) of the slices of a volume.
func (n *nifti) shape(t turn, windows core.Windows, instance []int, l Limits) ([]int, error) {
	channels, err := channelsUnder(n.name, instance, windows, n.samples())
	if err != nil {
		return nil, err
	}
	if n.colours && channels != 3 {
		return nil, bad(n.name, "its voxels are colours, and the model takes %d channel", channels)
	}
	shape := []int{n.sides[t[0].Axis], channels, n.sides[t[1].Axis], n.sides[t[2].Axis]}
	_, err = l.elements(n.name, shape)
	return shape, err
}

// convertedBytes returns the bytes of a voxel that is scaled or under a window, or 0 if voxels stay
// as they are stored.
func (n *nifti) convertedBytes(windows core.Windows) int64 {
	switch {
	case len(windows) > 0:
		return 1
	case n.scaled:
		return 4
	}
	return 0
}

// slices returns the voxels of a volume as an array (slice, channel, row, column), in the type of
// the file or, if they are scaled, as float32.
func (n *nifti) slices(
	data []byte, t turn, windows core.Windows, instance []int, l Limits,
) (*Array, error) {
	shape, err := n.shape(t, windows, instance, l)
	if err != nil {
		return nil, err
	}
	count, size := product(shape), n.dtype.size
	if err := l.reserve(n.name, int64(count)*int64(size)); err != nil {
		return nil, err
	}
	a := &Array{Shape: shape, dtype: n.dtype, data: make([]byte, 0, count*size), file: n.name,
		start: -1}
	at, step := t.walk(n)
	for range shape[0] {
		for c := range shape[1] {
			row := at
			if n.colours {
				row += c * size
			}
			for range shape[2] {
				for place, i := row, 0; i < shape[3]; place, i = place+step[2], i+1 {
					a.data = append(a.data, data[place:place+size]...)
				}
				row += step[1]
			}
		}
		at += step[0]
	}
	each := n.convertedBytes(windows)
	if each == 0 {
		return a, nil
	}
	if err := l.reserve(n.name, int64(count)*each); err != nil {
		return nil, err
	}
	defer l.Memory.Release(int64(len(a.data)))
	return n.converted(a, windows)
}

// sampled returns slices like those of the method slices, sampled, with their places and notes.
func (n *nifti) sampled(
	data []byte, t turn, to sampler, windows core.Windows, o Options, l Limits,
) (*Array, []core.Slice, []string, error) {
	channels, err := to.channels(n.name, o.InstanceShape, windows, n.samples())
	if err != nil {
		return nil, nil, nil, err
	}
	places, d := t.places(n), t.directions(n)
	var spacing core.Spacing
	if n.placed {
		spacing = core.Spacing{Rows: length(d[1]), Columns: length(d[2])}
	}
	var between []taps
	if to.Slices > 0 {
		if places == nil {
			return nil, nil, nil, bad(n.name, "it does not state how slices lie in the patient, "+
				"so that none can be interpolated between them; omit the distance of slices from "+
				"spacing")
		}
		at := evenly(len(places), length(d[0]))
		if between, places, err = to.places(n.name, at, places, l); err != nil {
			return nil, nil, nil, err
		}
	}
	stored, err := n.slices(data, t, nil, []int{n.samples(), 0, 0}, l)
	if err != nil {
		return nil, nil, nil, err
	}
	defer l.Memory.Release(int64(len(stored.data)))
	height, width := stored.Shape[2], stored.Shape[3]
	rows, columns, err := to.plane(n.name, height, width, spacing)
	if err != nil {
		return nil, nil, nil, err
	}
	v := &volume{name: n.name, planes: n.samples(), bytes: stored.Raw()}
	if err := v.hold(stored.Shape[0], len(rows), len(columns), l); err != nil {
		return nil, nil, nil, err
	}
	planes := make([]float32, v.planes*height*width)
	for i := range stored.Shape[0] {
		if at := stored.floats(planes, i*len(planes)); at >= 0 {
			return nil, nil, nil, stored.nonFinite(at, msg.Sprintf("slice %d", i))
		}
		v.add(planes, width, rows, columns)
	}
	array, err := v.instances(to, between, windows, channels, l)
	return array, places, to.notes([2]int{height, width}, [2]int{v.height, v.width}), err
}

// converted returns the voxels of an array as the file scales them, as float32 or under windows.
func (n *nifti) converted(a *Array, windows core.Windows) (*Array, error) {
	slope, inter := 1.0, 0.0
	if n.scaled {
		slope, inter = n.slope, n.inter
	}
	get, i := n.dtype.float(), 0
	out := newValues(product(a.Shape), len(windows) > 0)
	for slice := range a.Shape[0] {
		for channel := range a.Shape[1] {
			for range a.Shape[2] * a.Shape[3] {
				v := get(a.data[i:])*slope + inter
				i += n.dtype.size
				switch {
				case len(windows) == 0:
					out.floats = append(out.floats, float32(v))
				case math.IsNaN(v):
					return nil, bad(n.name, "a voxel of slice %d, counted from 0, is NaN; all "+
						"values must be finite", n.first+slice)
				default:
					out.bytes = append(out.bytes, windows.Of(channel).Pixel(v))
				}
			}
		}
	}
	return out.array(n.name, a.Shape), nil
}
