package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// crcSource names the files and their source for MissingError.
const crcSource = "CRCHistoPhenotypes (Sirinukunwattana et al., 2016), on request from the TIA " +
	"Centre, University of Warwick: " +
	"images/img1.png to img100.png, and nuclei.csv.gz with a row img,type,x,y for each nucleus " +
	"of its classification files"

// The labels of a patch of CRC, by the types of the nuclei in it.
const (
	otherNuclei = iota
	epithelialNuclei
	bothNuclei
	noNuclei = -1 // no label
)

const (
	crcPictures = 100
	crcPatch    = 27  // side of a patch in pixels
	crcBright   = 230 // a patch of this mean brightness or more is background
)

// openCRC cuts the pictures into patches. A patch without a typed nucleus has no label. A picture
// is positive if it contains an epithelial nucleus. The set omits a picture if all its patches are
// background.
func openCRC(f *folder, o Options) (*Set, error) {
	f.at("crc", crcSource)
	nuclei, err := f.nuclei()
	if err != nil {
		return nil, err
	}
	set := &Set{
		Title: "CRC", Classes: []string{"no epithelial nucleus", "epithelial nuclei"},
		Scale: core.ScaleLogits,
		Shape: []int{3, crcPatch, crcPatch}, Settings: settings("crc"),
		Patch: bagio.PatchOptions{Size: crcPatch, Stride: crcPatch, Background: crcBright},
		Truth: []core.Truth{{Support: []int{otherNuclei, bothNuclei}},
			{Support: []int{epithelialNuclei, bothNuclei}}},
	}
	var examples []Example
	for i := range crcPictures {
		name := fmt.Sprintf("img%d", i+1)
		e, err := f.picture(name, nuclei[i+1], set.Patch)
		var empty *core.BagError
		if errors.As(err, &empty) {
			continue
		}
		if err != nil {
			return nil, err
		}
		examples = append(examples, e)
	}
	set.split = divided(examples, sixty, o, 1./255)
	return set, nil
}

// picture reads a picture as an example. It keeps the pixels as bytes: Example.Bag converts them,
// because the float32 values of all pictures take four times the memory.
func (f *folder) picture(name string, nuclei []nucleus, patch bagio.PatchOptions) (Example, error) {
	file, data, err := f.read("images/"+name+".png", name+".png")
	if err != nil {
		return Example{}, err
	}
	set, err := bagio.Read(file, data, bagio.Options{Name: name, Patch: patch,
		Limits: bagio.Limits{Pixels: 1 << 22}})
	if err != nil {
		return Example{}, err
	}
	bag, err := set.Bag(0)
	if err != nil {
		return Example{}, err
	}
	labels, class := patchLabels(bag.Boxes, nuclei), 0
	if slices.ContainsFunc(nuclei, func(n nucleus) bool { return n.epithelial }) {
		class = 1
	}
	return Example{Name: name, Size: bag.Len(), Target: oneHot(2, class),
		bag: func() (*core.Bag, error) {
			bag, err := set.Bag(0)
			if err != nil {
				return nil, err
			}
			bag.Labels, bag.Class = slices.Clone(labels), []int{class}
			return bag, nil
		}}, nil
}

// patchLabels returns the label of each box, by the nuclei whose centres lie in it. Bounds are
// closed, as in the paper's code: a centre on the border of two patches lies in both.
func patchLabels(boxes []image.Rectangle, nuclei []nucleus) []int {
	labels := make([]int, len(boxes))
	for i, b := range boxes {
		labels[i] = noNuclei
		for _, n := range nuclei {
			if n.x < float64(b.Min.X) || n.x > float64(b.Max.X) || n.y < float64(b.Min.Y) ||
				n.y > float64(b.Max.Y) {
				continue
			}
			label := otherNuclei
			if n.epithelial {
				label = epithelialNuclei
			}
			if labels[i] != noNuclei && labels[i] != label {
				label = bothNuclei
			}
			labels[i] = label
		}
	}
	return labels
}

// A nucleus is a nucleus with a type.
type nucleus struct {
	x, y       float64 // its centre in pixels; x is horizontal
	epithelial bool
}

// nuclei reads the typed nuclei of each picture; the key is the picture's number, from 1. It omits
// rows of type detection, which state a nucleus without its type.
func (f *folder) nuclei() (map[int][]nucleus, error) {
	file, data, err := f.text("nuclei.csv.gz", "nuclei.csv")
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.ReuseRecord = 4, true
	out := map[int][]nucleus{}
	for first := true; ; first = false {
		row, err := r.Read()
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, &bagio.FormatError{File: file, Reason: err.Error()}
		case first: // the heading
			continue
		}
		fault := func(format string, args ...any) error {
			line, _ := r.FieldPos(0)
			return &bagio.FormatError{File: file, Row: line, Reason: fmt.Sprintf(format, args...)}
		}
		picture, err := strconv.Atoi(row[0])
		if err != nil || picture < 1 || picture > crcPictures {
			return nil, fault("%q is not the number of a picture from 1 to %d", row[0], crcPictures)
		}
		n := nucleus{epithelial: row[1] == "epithelial"}
		switch row[1] {
		case "detection":
			continue
		case "epithelial", "fibroblast", "inflammatory", "others":
		default:
			return nil, fault("%q is not a type of nucleus", row[1])
		}
		for i, to := range []*float64{&n.x, &n.y} {
			// The difference is not 0 for NaN and the infinities.
			if *to, err = strconv.ParseFloat(row[2+i], 64); err != nil || *to-*to != 0 {
				return nil, fault("%q is not a coordinate", row[2+i])
			}
		}
		out[picture] = append(out[picture], n)
	}
}
