package dicomout

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
)

// Forms are the kinds of files, by their words.
var Forms = []string{"seg", "sr"}

// Write writes a file of a form, see [Segmentation] and [Report]. Another form is a
// *core.SettingError.
func Write(w io.Writer, form string, bag *core.Bag, report *core.Report, o Options) error {
	switch form {
	case "seg":
		return Segmentation(w, bag, report, o)
	case "sr":
		return Report(w, bag, report, o)
	}
	return CheckForm(form)
}

// CheckForm returns a *core.SettingError for a form that does not exist.
func CheckForm(form string) error {
	if slices.Contains(Forms, form) {
		return nil
	}
	return &core.SettingError{Setting: "form", Reason: msg.Sprintf("%q is not one of seg, sr",
		form)}
}

// Options select what is written.
type Options struct {
	Classes []string // names of the model's classes; default their numbers
	Class   int      // the class that scores are about
	// Instances are the positions of the report's scores in the bag, if instances were removed
	// before the explanation; nil means all.
	Instances []int
	Colours   string    // palette of segments, as in draw.Options
	Top       int       // most instances of a Report, largest scores first; 0 means all
	Time      time.Time // the file's date
	Software  string    // version of the program, "" for one that is not known
	// Identifiers are copied from a file of the study with the UID Study, see dicom.Identifiers;
	// nil writes none. A bag of another study is a *core.BagError.
	Identifiers []dicom.Identifier
	Study       string
}

// An explained bag is what a file is written of.
type explained struct {
	bag       *core.Bag
	origin    *core.Origin
	e         *core.Explanation // the first that explains o.Class
	className string
	most      float64 // largest distance of a score that stands out from the neutral point, or 0
	o         Options
	uids
}

// A relation is what an instance does to a class.
type relation int

const (
	supports relation = iota
	refutes
	neither
)

func (r relation) String() string { return [...]string{"supports", "refutes", "neither"}[r] }

// NeedOrigin returns a *core.BagError unless DICOM files state what a file about the bag refers to.
func NeedOrigin(bag *core.Bag) error {
	o := bag.Origin
	if o == nil || bag.Slices == nil && bag.Boxes == nil {
		return &core.BagError{Bag: bag.Name, Reason: "its instances are not slices or patches of " +
			"DICOM files, to which a DICOM file about it would refer; give the files of the " +
			"pictures as the bag, or write the explanation in another format"}
	}
	missing := o.Study == "" || o.Series == "" || len(o.Images) == 0
	for _, image := range o.Images {
		missing = missing || image.Class == "" || image.UID == ""
	}
	if missing {
		return &core.BagError{Bag: bag.Name, Reason: "its DICOM files do not state the UIDs of " +
			"their study, their series and their own, to which a DICOM file about it would " +
			"refer; export them again from the archive"}
	}
	return nil
}

// Check returns the error that files about a bag have whatever its explanation says: that of
// NeedOrigin, a *core.BagError for identifiers of another study, or a *core.SettingError.
func (o Options) Check(bag *core.Bag) error {
	if err := NeedOrigin(bag); err != nil {
		return err
	}
	if o.Top < 0 {
		return &core.SettingError{Setting: "top", Reason: "must not be negative; 0 writes " +
			"all instances that stand out"}
	}
	if o.Identifiers != nil && o.Study != bag.Origin.Study {
		return &core.BagError{Bag: bag.Name, Reason: "the file that identifiers are copied " +
			"from is of another study; give a file of the series"}
	}
	return draw.CheckColours(o.Colours)
}

// newExplained checks what is written.
func newExplained(bag *core.Bag, report *core.Report, o Options) (*explained, error) {
	if err := o.Check(bag); err != nil {
		return nil, err
	}
	x := &explained{bag: bag, origin: bag.Origin, o: o}
	for i := range report.Explanations {
		if e := &report.Explanations[i]; e.Class == o.Class {
			x.e = e
			break
		}
	}
	if x.e == nil {
		return nil, &core.SettingError{Setting: "class",
			Reason: msg.Sprintf("the report does not explain class %d", o.Class)}
	}
	x.className = strconv.Itoa(o.Class)
	if o.Class < len(o.Classes) {
		x.className = o.Classes[o.Class]
	}
	for n := range x.e.Scores {
		if x.relation(n) != neither {
			x.most = max(x.most, x.distance(n))
		}
	}
	x.uids = newUIDs(x)
	return x, nil
}

// position returns the position of score n in the bag.
func (x *explained) position(n int) int {
	if x.o.Instances == nil {
		return n
	}
	return x.o.Instances[n]
}

// distance returns how far score n is from the neutral point.
func (x *explained) distance(n int) float64 { return math.Abs(x.e.Scores[n] - x.e.Neutral) }

// relation returns what the instance of score n does to the class: neither if the score does not
// stand out or is not finite.
func (x *explained) relation(n int) relation {
	d := x.e.Scores[n] - x.e.Neutral
	switch {
	case d == 0 || d-d != 0 || x.e.Evident != nil && !x.e.Evident[n]:
		return neither
	case d > 0:
		return supports
	}
	return refutes
}

// mostLevel is the level of the largest score of a map.
const mostLevel = 255

// level returns the distance of score n from the neutral point as a level of a map, in parts of the
// largest one of those that stand out, and at least 1.
func (x *explained) level(n int) byte {
	return byte(max(1, math.Round(mostLevel*x.distance(n)/x.most)))
}

// strongest returns the scores that stand out, the largest distance first, at most o.Top unless it
// is 0.
func (x *explained) strongest() []int {
	var list []int
	for n := range x.e.Scores {
		if x.relation(n) != neither {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(x.distance(b), x.distance(a))
	})
	if x.o.Top > 0 {
		list = list[:min(len(list), x.o.Top)]
	}
	return list
}
