package dataset

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// A Set is a data set: what its bags mean, and how they are split.
type Set struct {
	Name     string   // "mnist", as command lines have it
	Title    string   // "4-MNIST-Bags"
	Classes  []string // names of the outputs that a network has
	Negative int      // the class that means "nothing found", -1 when there is none
	// what a network's outputs are: logits of one class, of several at once, or numbers
	Scale core.Scale
	// per class, which instance labels support or refute it; nil when instances have no labels
	Truth []core.Truth
	Shape []int // shape of one instance
	Patch bagio.PatchOptions
	// of the paper: n, alpha, beta, mean bag size; for other sets those of the set that is most
	// like it
	Settings core.DataSettings
	// the statistics of Preprocess are those of all bags, as Options asked
	AllData bool
	// Outliers says that some features hardly vary among training bags, and lie hundreds to
	// thousands of their deviations off in others: of Tiger's up to 2,500, where Musk1's largest is
	// 36 and SIVAL's 10.
	Outliers bool
	// Content hashes the files that bags are drawn from, where no statistics of Preprocess tell
	// them from others; else it is "".
	Content string

	split func(seed uint64) (*Split, error)
}

// SmallestBag is the size below which the paper's code does not explain a bag: one or two instances
// leave nothing to order by removal.
const SmallestBag = 3

// Options configure how a set is read. The zero value works.
type Options struct {
	// AllData takes the statistics of Preprocess from all bags, as the paper's code does, test bags
	// included. Bags of digits have none of their own: theirs are those of MNIST's training
	// pictures.
	AllData bool
	// Raw leaves the pixels of digits as they are, 0 to 255: so the paper's code has them, whose
	// bags are drawn past its own standardisation. Of other sets there are no networks that could
	// learn from such.
	Raw bool
	// Train, Validation and Test are how many bags are drawn, where bags are drawn; 0 means the
	// paper's 2500, 1000 and 1000 of mnist, 1000, 400 and 400 of digits and counting, and 160, 60
	// and 100 of tissue. At most 100,000 of each are drawn, and 2,000 of tissue, whose slides are
	// kept in memory at 1 MB each.
	Train, Validation, Test int
}

// mostBags bounds what is drawn for a part.
const mostBags = 100_000

// check refuses options that a kind of data set cannot have.
func (o Options) check(k kind) error {
	most := cmp.Or(k.most, mostBags)
	switch {
	case min(o.Train, o.Validation, o.Test) < 0:
		return &core.SettingError{Setting: "bags", Reason: "must not be negative"}
	case max(o.Train, o.Validation, o.Test) > most:
		return &core.SettingError{Setting: "bags",
			Reason: fmt.Sprintf("%d are too many; at most %d of %s are allowed per part",
				max(o.Train, o.Validation, o.Test), most, k.name)}
	case o.AllData && k.constant:
		return &core.SettingError{Setting: "all-data",
			Reason: fmt.Sprintf("does not apply to %s, whose pictures are standardised with "+
				"constants, the statistics of MNIST's training pictures; omit it", k.name)}
	case o.Raw && !k.constant:
		return &core.SettingError{Setting: "raw",
			Reason: fmt.Sprintf("does not apply to %s, which has no pictures of digits; omit it",
				k.name)}
	}
	return nil
}

// Seeds are the paper's, of its ten repeats.
var Seeds = [...]uint64{868, 207, 702, 999, 119, 401, 74, 9, 741, 744}

// Split returns the set as repeat 0 to 9 splits it.
func (s *Set) Split(repeat int) (*Split, error) {
	if repeat < 0 || repeat >= len(Seeds) {
		return nil, &core.SettingError{Setting: "repeat",
			Reason: fmt.Sprintf(
				"%d does not exist; the %d repeats of the paper are numbered from 0", repeat,
				len(Seeds))}
	}
	if s.split == nil {
		return nil, &core.SettingError{Setting: "dataset",
			Reason: "the set has no bags to split; use a set from Open"}
	}
	out, err := s.split(Seeds[repeat])
	if err != nil {
		return nil, err
	}
	out.Repeat = repeat
	return out, nil
}

// A kind is a row of the table of data sets.
type kind struct {
	name     string
	open     func(f *folder, o Options) (*Set, error)
	constant bool // the statistics of Preprocess are constants
	most     int  // bags of a part; 0 means mostBags
}

// kinds is the table of data sets, in the order of the paper's tables and then our own.
func kinds() []kind {
	return []kind{
		{name: "sival", open: openSIVAL},
		{name: "mnist", open: openMNIST, constant: true},
		{name: "crc", open: openCRC},
		{name: "musk1", open: openMusk1},
		{name: "musk2", open: openMusk2},
		{name: "tiger", open: openTiger},
		{name: "elephant", open: openElephant},
		{name: "fox", open: openFox},
		{name: "birdsong", open: openBirdsong},
		{name: "digits", open: openDigits, constant: true},
		{name: "counting", open: openCounting, constant: true},
		{name: "tissue", open: openTissue, most: 2000},
	}
}

// Names lists the data sets.
func Names() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Open reads a data set by name ("musk" is musk1) out of a folder: its files lie there or in the
// subfolder that Files names. Sets that are drawn need no folder.
//
// Errors: *core.SettingError for an unknown name and for options that the set cannot have,
// *MissingError for a file that is not there, and those of package bagio.
func Open(name, dir string, o Options) (*Set, error) {
	if name == "musk" { // the paper's Musk is the first of two
		name = "musk1"
	}
	for _, k := range kinds() {
		if k.name == name {
			if err := o.check(k); err != nil {
				return nil, err
			}
			set, err := k.open(&folder{set: name, dir: dir}, o)
			if err != nil {
				return nil, err
			}
			set.Name, set.AllData = name, o.AllData
			if o.Raw {
				set.split = raw(set.split)
			}
			return set, nil
		}
	}
	return nil, &core.SettingError{Setting: "dataset",
		Reason: fmt.Sprintf("%q is unknown; use one of %s", name, strings.Join(Names(), ", "))}
}

// settings returns the paper's settings of a data set that core knows.
func settings(name string) core.DataSettings {
	s, err := core.Settings(name)
	if err != nil {
		panic(err) // the names are constants of this package
	}
	return s
}
