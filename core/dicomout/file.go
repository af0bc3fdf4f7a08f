package dicomout

import (
	"encoding/binary"
	"io"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
)

// Names that files state of the program.
const (
	program        = "bagscope"
	implementation = "2.25.302485619930477915416713893640412017831"
	scheme         = "99BAGSCOPE" // codes of meanings that no public scheme has
)

// UIDs of transfer syntaxes.
const (
	explicit = "1.2.840.10008.1.2.1"
	rleFrame = "1.2.840.10008.1.2.5"
)

// write writes a file: 128 bytes, the letters DICM, the meta information, the data set, and frames
// if there are any.
func write(w io.Writer, class, instance string, d *dataset, frames [][]byte) error {
	syntax := explicit
	if frames != nil {
		syntax = rleFrame
	}
	var meta dataset
	meta.set(metaVersion, []byte{0, 1})
	meta.text(metaClass, class)
	meta.text(metaInstance, instance)
	meta.text(metaSyntax, syntax)
	meta.text(metaImplementation, implementation)
	meta.text(metaName, "BAGSCOPE")
	body := meta.append(nil)
	head := append(make([]byte, 128), "DICM"...)
	head = appendHead(head, metaLength, 4)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(body)))
	out := d.append(append(head, body...))
	if frames != nil {
		out = appendPixels(out, frames)
	}
	_, err := w.Write(out)
	return err
}

// file returns the attributes that files of all classes have (PS3.3, A.51 and A.35.3): those of
// the patient, of the study, of the series, of the equipment and of the file.
func (x *explained) file(class, kind, number, text string) (d *dataset, instance string) {
	instance = x.of(kind)
	d = &dataset{}
	d.text(characterSet, "ISO_IR 192")
	d.text(sopClass, class)
	d.text(sopInstance, instance)
	d.text(study, x.origin.Study)
	d.text(series, x.of(kind+" series"))
	d.text(seriesNumber, number)
	d.text(seriesText, text)
	d.text(instanceNumber, "1")
	d.text(modality, kind)
	d.text(manufacturer, program)
	d.text(model, program)
	d.text(serialNumber, "1")
	d.text(software, x.software())
	now := x.o.Time
	d.text(contentDate, now.Format("20060102"))
	d.text(contentTime, now.Format("150405.000000"))
	item := &dataset{}
	item.text(codeScheme, scheme)
	item.text(schemeName, "bagscope: explanations of multiple-instance-learning models")
	d.sequence(schemes, item)
	x.identify(d)
	return d, instance
}

// software returns the version of the program.
func (x *explained) software() string {
	if x.o.Software == "" {
		return "not stated"
	}
	return x.o.Software
}

// identify writes the identifiers that are copied, and those that a file must have as empty ones.
func (x *explained) identify(d *dataset) {
	given := map[uint32]bool{}
	for _, id := range x.o.Identifiers {
		given[id.Tag] = true
		d.text(tag{id.Tag, id.VR}, id.Value)
	}
	for _, t := range []tag{patientName, patientID, patientBirth, patientSex, studyDate, studyTime,
		accession, physician, studyID} {
		if !given[t.number] {
			d.text(t, "")
		}
	}
}

// code returns the item of a code.
func code(value, designator, meaning string) *dataset {
	d := &dataset{}
	d.text(codeValue, value)
	d.text(codeScheme, designator)
	d.text(codeMeaning, meaning)
	return d
}

// referTo returns the item that refers to a picture, and to a frame of one of several; -1 refers
// to all.
func referTo(image core.OriginImage, frame int) *dataset {
	d := &dataset{}
	d.text(referencedClass, image.Class)
	d.text(referencedUID, image.UID)
	if frame >= 0 && image.Frames > 1 {
		d.text(referencedFrame, strconv.Itoa(frame+1))
	}
	return d
}

// used returns the pictures that instances of scores lie on, in their order.
func (x *explained) used(scores []int) []core.OriginImage {
	if x.bag.Slices == nil {
		return x.origin.Images
	}
	var at []int
	for _, n := range scores {
		at = append(at, x.bag.Slices[x.position(n)].Image)
	}
	slices.Sort(at)
	var out []core.OriginImage
	for _, i := range slices.Compact(at) {
		out = append(out, x.origin.Images[i])
	}
	return out
}

// seriesOf returns the item of the series of pictures with references to them, under an attribute.
func (x *explained) seriesOf(images []core.OriginImage, list tag) *dataset {
	d := &dataset{}
	d.text(series, x.origin.Series)
	var items []*dataset
	for _, image := range images {
		items = append(items, referTo(image, -1))
	}
	d.sequence(list, items...)
	return d
}
