package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
)

// A Set is a data set: the meaning of its bags, and the function that splits them.
type Set struct {
	Name     string   // "mnist", as on command lines
	Title    string   // "4-MNIST-Bags"
	Classes  []string // names of a network's outputs
	Negative int      // the class that means "nothing found", or -1
	// Scale is the scale of a network's outputs: logits of one class, of several classes at once,
	// or numbers.
	Scale core.Scale
	// Truth states for each class the instance labels that support or refute it. It is nil if
	// instances have no labels.
	Truth   []core.Truth
	Shape   []int              // shape of one instance
	Patch   bagio.PatchOptions // how pictures were cut; zero for other sets
	Microns float64            // microns that a pixel of a patch covers; 0 if they are not known
	// Settings are those of the paper: n, alpha, beta and mean bag size. Other sets have those of
	// the most similar set of the paper.
	Settings methods.DataSettings
	AllData  bool // see Options.AllData
	// Outliers is true if some features hardly vary among training bags but lie hundreds of
	// deviations from their mean in other bags. Networks for such sets limit their inputs. The
	// largest distance is 2,500 deviations in Tiger, 36 in Musk1 and 10 in SIVAL.
	Outliers bool
	// Content is a hash of the files, for sets with constant statistics. Other sets are identified
	// by the statistics of Preprocess and have "".
	Content string

	split func(seed uint64) (*Split, error)
}

// SmallestBag is the least size of a bag that the paper's code explains. One or two instances have
// no order of removal that could be judged.
const SmallestBag = 3

// Options configure how a set is read. The zero value works.
type Options struct {
	// AllData measures the statistics of Preprocess on all bags, including test bags, as the
	// paper's code does. Sets of digits reject it, because their statistics are constants.
	AllData bool
	// Raw keeps the pixels of digits from 0 to 255. The paper's code has such bags, because it
	// draws them after its own standardisation. Other sets reject it.
	Raw bool
	// Train, Validation and Test are the numbers of bags to draw, for sets whose bags are drawn. 0
	// means the paper's 2500, 1000 and 1000 for mnist; 1000, 400 and 400 for digits and counting;
	// 160, 60 and 100 for tissue; 600, 200 and 200 for nuclei. The limit is 100,000 for each part,
	// and 2,000 for tissue, whose slides take 1 MB of memory each.
	Train, Validation, Test int
}

// maxBags limits the bags that are drawn for a part.
const maxBags = 100_000

// check returns a *core.SettingError for options that do not apply to a data set.
func (o Options) check(k kind) error {
	most := cmp.Or(k.maxBags, maxBags)
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

// Seeds are the seeds of the paper's ten repeats.
var Seeds = [...]uint64{868, 207, 702, 999, 119, 401, 74, 9, 741, 744}

// Split returns the split of a repeat from 0 to 9. Equal repeats give equal splits on every
// machine.
//
// Errors: *core.SettingError for another repeat, and those of drawing bags.
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
	maxBags  int  // limit for each part; 0 means the constant maxBags
}

// kinds is the table of data sets: those of the paper, in the order of its tables, then others.
var kinds = []kind{
	{name: "sival", open: openSIVAL},
	{name: "mnist", open: openMNIST, constant: true},
	{name: "crc", open: openCRC},
	{name: "musk1", open: openMusk},
	{name: "musk2", open: openMusk},
	{name: "tiger", open: openTEF},
	{name: "elephant", open: openTEF},
	{name: "fox", open: openTEF},
	{name: "birdsong", open: openBirdsong},
	{name: "digits", open: openDigits, constant: true},
	{name: "counting", open: openCounting, constant: true},
	{name: "tissue", open: openTissue, maxBags: 2000},
	{name: "nuclei", open: openNuclei},
}

// Names returns the names of the data sets.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Open reads a data set by name from a folder; "musk" means "musk1". Files may lie in the folder or
// in the set's subfolder: sival, mnist, crc, musk_tef or birdsong. Drawn sets need no folder.
//
// Errors: *core.SettingError for an unknown name and for options that do not apply to the set,
// *MissingError for a missing file, and those of package bagio.
func Open(name, dir string, o Options) (*Set, error) {
	if name == "musk" { // the paper uses the first of the two sets
		name = "musk1"
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, &core.SettingError{Setting: "dataset",
			Reason: fmt.Sprintf("%q is unknown; use one of %s", name, strings.Join(Names(), ", "))}
	}
	if err := o.check(kinds[i]); err != nil {
		return nil, err
	}
	set, err := kinds[i].open(&folder{set: name, dir: dir}, o)
	if err != nil {
		return nil, err
	}
	set.Name, set.AllData = name, o.AllData
	if o.Raw {
		set.split = raw(set.split)
	}
	return set, nil
}

// settings returns the paper's settings of a data set that package core lists.
func settings(name string) methods.DataSettings {
	s, err := methods.Settings(name)
	if err != nil {
		panic(err) // the names are constants of this package
	}
	return s
}
