package dicomout

import (
	"io"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
)

// segmentationClass is the SOP class of segmentations.
const segmentationClass = "1.2.840.10008.5.1.4.1.1.66.4"

// mostFrames bounds the frames of a map.
const mostFrames = 1 << 16

// A frame of a map is a picture of levels of one relation, where a picture of the bag lies.
type frame struct {
	of     relation
	levels []byte // (row, column), compressed
	groups *dataset
	place  []int // its values of the dimensions behind that of the segment
}

// A geometry is what the pictures of a map have in common.
type geometry struct {
	width, height int
	spacing       core.Spacing
	thickness     float64
	reference     string         // UID of the frame of reference, or ""
	directions    []float64      // rows and columns if all frames have the same, or nil
	dimensions    [][2]tag       // pointers to an attribute and to its functional group
	more          func(*dataset) // writes attributes of the whole map; may be nil
}

// Segmentation writes a map of the explanation of o.Class by the first method that explains it as a
// DICOM segmentation (PS3.3, A.51): one segment of what supports the class, one of what refutes it.
// A pixel is the distance of its instance's score from the neutral point in parts of the largest
// one, as levels from 0 to 255. What does not stand out has no frame; if nothing stands out, the
// first segment has one frame of zeros.
//
// It returns a *core.BagError for a bag that is not of DICOM files, a *core.SettingError for a
// class that the report does not explain or another setting that cannot hold, a *draw.LimitError
// for a map of more than 65536 frames, and errors of w.
func Segmentation(w io.Writer, bag *core.Bag, report *core.Report, o Options) error {
	x, err := newExplained(bag, report, o)
	if err != nil {
		return err
	}
	lay := x.overPicture
	switch {
	case bag.Slices != nil:
		lay = x.overSlices
	case x.origin.Matrix != nil:
		lay = x.overSlide
	}
	g, list, err := lay()
	if err != nil {
		return err
	}
	d, instance := x.file(segmentationClass, "SEG", "9001", "Explanation: "+x.className)
	x.describe(d, g, list)
	var pixels [][]byte
	for _, f := range list {
		pixels = append(pixels, f.levels)
	}
	return write(w, segmentationClass, instance, d, pixels)
}

// tooMany returns the error for a map of too many frames, or nil.
func tooMany(n int) error {
	if n > mostFrames {
		return &draw.LimitError{What: "the map's frames", Requested: n, Limit: mostFrames}
	}
	return nil
}

// describe writes the attributes of a map (PS3.3, C.8.20.2, C.7.6.16 and C.7.6.17).
func (x *explained) describe(d *dataset, g geometry, list []frame) {
	d.text(imageType, "DERIVED", "PRIMARY")
	d.text(contentLabel, "EXPLANATION")
	d.text(contentText, "Explanation of "+x.className)
	d.text(contentCreator, "")
	d.short(samples, 1)
	d.text(photometric, "MONOCHROME2")
	d.text(frames, strconv.Itoa(len(list)))
	d.short(rows, g.height)
	d.short(columns, g.width)
	d.short(allocated, 8)
	d.short(stored, 8)
	d.short(highBit, 7)
	d.short(representation, 0)
	d.text(burnedIn, "NO")
	d.text(lossy, "00")
	d.text(segmentationType, "FRACTIONAL")
	d.text(fractionalType, "OCCUPANCY")
	d.short(mostFraction, mostLevel)
	if g.reference != "" {
		d.text(reference, g.reference)
		d.text(referenceMark, "")
	}
	if g.directions == nil {
		d.text(patientDirections, "")
	}
	d.sequence(referencedSeries, x.seriesOf(x.origin.Images, referencedImages))
	d.sequence(sharedGroups, g.shared())
	x.dimensions(d, g)
	if g.more != nil {
		g.more(d)
	}
	numbers := x.segments(d, list)
	var each []*dataset
	for _, f := range list {
		segment := &dataset{}
		segment.short(referencedSegment, numbers[f.of])
		f.groups.sequence(segmentIdentity, segment)
		place := &dataset{}
		place.long(dimensionValues, append([]int{numbers[f.of]}, f.place...)...)
		if len(g.dimensions) > 0 && g.dimensions[0][0] == stackPlace {
			place.text(stackID, "1")
			place.long(stackPlace, f.place[0])
		}
		f.groups.sequence(frameContent, place)
		each = append(each, f.groups)
	}
	d.sequence(perFrameGroups, each...)
}

// shared returns the functional groups of all frames.
func (g geometry) shared() *dataset {
	d := &dataset{}
	if g.spacing.Rows > 0 {
		m := &dataset{}
		m.decimal(pixelSpacing, g.spacing.Rows, g.spacing.Columns)
		if g.thickness > 0 {
			m.decimal(thickness, g.thickness)
		}
		d.sequence(pixelMeasures, m)
	}
	if g.directions != nil {
		p := &dataset{}
		p.decimal(orientation, g.directions...)
		d.sequence(planeOrientation, p)
	}
	return d
}

// dimensions writes what the frames differ in: the segment, and the dimensions of the geometry.
func (x *explained) dimensions(d *dataset, g geometry) {
	uid := x.of("dimensions")
	organisation := &dataset{}
	organisation.text(dimensionUID, uid)
	d.sequence(dimensions, organisation)
	var items []*dataset
	for _, pair := range append([][2]tag{{referencedSegment, segmentIdentity}}, g.dimensions...) {
		item := &dataset{}
		item.text(dimensionUID, uid)
		item.pointer(dimensionPointer, pair[0])
		item.pointer(functionalPointer, pair[1])
		items = append(items, item)
	}
	d.sequence(dimensionIndices, items...)
}

// segments describes the segments that have frames, and returns their numbers.
func (x *explained) segments(d *dataset, list []frame) (numbers [2]int) {
	has := [2]bool{}
	for _, f := range list {
		has[f.of] = true
	}
	theme := draw.Theme(x.o.Colours, false)
	colours := [2]string{"support", "refute"}
	var items []*dataset
	for _, r := range []relation{supports, refutes} {
		if !has[r] {
			continue
		}
		numbers[r] = len(items) + 1
		s := &dataset{}
		s.short(segmentNumber, numbers[r])
		label := r.String() + " " + x.className
		s.text(segmentLabel, label)
		s.text(segmentText, msg.Sprintf("%s: a value of %d is a score of %.4g from the neutral "+
			"point %.4g, in %s. Scores that do not stand out are left out.", msg.Text(label),
			mostLevel, x.most, x.e.Neutral, x.e.Unit))
		s.sequence(segmentCategory, code("309825002", "SCT", "Spatial and Relational Concept"))
		s.sequence(segmentProperty, code(r.String(), scheme, label))
		s.text(segmentAlgorithm, "AUTOMATIC")
		s.text(segmentAlgorithmOf, program+" "+x.e.Method)
		lab := labOf(theme[colours[r]])
		s.short(displayColour, lab[:]...)
		items = append(items, s)
	}
	d.sequence(segments, items...)
	return numbers
}

// derived returns the functional groups of a frame that lies on a frame of a picture, pixel on
// pixel unless frame is -1.
func derived(image core.OriginImage, frame int) *dataset {
	source := referTo(image, frame)
	if frame >= 0 {
		source.text(preserved, "YES")
	}
	source.sequence(purpose, code("121322", "DCM", "Source image for image processing operation"))
	item := &dataset{}
	item.sequence(sourceImages, source)
	item.sequence(derivationCode, code("113076", "DCM", "Segmentation"))
	d := &dataset{}
	d.sequence(derivation, item)
	return d
}
