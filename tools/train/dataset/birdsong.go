package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// birdsongSource names the files and their source for MissingError.
const birdsongSource = "the HJA birdsong data set of Briggs et al. (2012): the four files " +
	"hja_birdsong_*.txt"

// openBirdsong reads ten-second recordings as bags of syllables. A recording contains several
// species, and about half of the syllables have a label. No publication states settings of the
// methods for this set, so it uses those of 4-MNIST-Bags with its own mean bag size.
func openBirdsong(f *folder, o Options) (*Set, error) {
	const features = 38
	f.at("birdsong", birdsongSource)
	names, namesErr := f.species()
	instances, instancesErr := f.rows("features", features)
	labels, labelsErr := f.rows("instance_labels", 1)
	species, speciesErr := f.rows("bag_labels", -1)
	if err := cmp.Or(namesErr, instancesErr, labelsErr, speciesErr); err != nil {
		return nil, err
	}
	if len(labels) != len(instances) {
		return nil, &core.BagError{Reason: fmt.Sprintf(
			"birdsong has %d syllables with features but %d with labels", len(instances),
			len(labels))}
	}
	set := &Set{Title: "HJA birdsong", Classes: names, Negative: -1, Scale: core.ScaleSigmoidLogits,
		Shape: []int{features}, Settings: settings("mnist")}
	set.Settings.Name, set.Settings.Title = "birdsong", set.Title
	set.Settings.Options.MeanBag = int(math.Round(
		float64(len(instances)) / float64(max(1, len(species)))))
	for c := range names {
		set.Truth = append(set.Truth, core.Truth{Support: []int{c}})
	}
	examples, err := recordings(species, instances, labels, len(names))
	set.split = divided(examples, sixty, o, 1)
	return set, err
}

// recordings returns one example for each row of species, with the recording's syllables as
// instances. Row i of labels belongs to row i of instances.
//
// Errors: *core.BagError if the files contradict each other.
func recordings(species, instances, labels []numbered, classes int) ([]Example, error) {
	bags := map[int]*core.Bag{}
	for i, row := range instances {
		bag := bags[row.id]
		if bag == nil {
			bag = &core.Bag{Name: fmt.Sprintf("recording %d", row.id),
				Shape: []int{len(row.values)}}
			bags[row.id] = bag
		}
		for _, v := range row.values {
			bag.Values = append(bag.Values, float32(v))
		}
		label, err := class(labels[i].values[0], classes, true)
		if err != nil || labels[i].id != row.id {
			return nil, &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("syllable %d of the files has an invalid label: %v", i+1, err)}
		}
		bag.Labels = append(bag.Labels, label)
	}
	var examples []Example
	for _, row := range species {
		bag := bags[row.id]
		if bag == nil || bag.Class != nil {
			return nil, &core.BagError{Bag: fmt.Sprintf("recording %d", row.id),
				Reason: "the recording has species but no syllables, or is listed twice"}
		}
		for _, v := range row.values {
			c, err := class(v, classes, false)
			if err != nil {
				return nil, &core.BagError{Bag: bag.Name, Reason: err.Error()}
			}
			if !slices.Contains(bag.Class, c) {
				bag.Class = append(bag.Class, c)
			}
		}
		examples = append(examples, inMemory(bag, oneHot(classes, bag.Class...)))
	}
	// Every recording must occur in both files.
	if len(examples) != len(bags) {
		return nil, &core.BagError{Reason: fmt.Sprintf("%d recordings of birdsong have syllables "+
			"but %d have species", len(bags), len(examples))}
	}
	return examples, nil
}

// class converts a species' number, from 1, to a class from 0. If unknown is true, -1 is allowed
// and means an instance without a label.
func class(v float64, classes int, unknown bool) (int, error) {
	if unknown && v == -1 {
		return -1, nil
	}
	if v != math.Trunc(v) || v < 1 || v > float64(classes) {
		return 0, fmt.Errorf("%v is not a species; species are numbered from 1 to %d", v, classes)
	}
	return int(v) - 1, nil
}

// species reads the names of the species. Each line holds a number, a tabulator, a code and a name:
// "1<TAB>BRCR - Brown Creeper". The numbers ascend from 1.
func (f *folder) species() ([]string, error) {
	file, data, err := f.text("hja_birdsong_class_names.txt.gz", "hja_birdsong_class_names.txt")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		number, name, ok := strings.Cut(line, "\t")
		if !ok || number != strconv.Itoa(len(names)+1) {
			return nil, &bagio.FormatError{File: file, Row: len(names) + 1,
				Reason: fmt.Sprintf("%q is not the name of species %d", line, len(names)+1)}
		}
		if _, words, ok := strings.Cut(name, " - "); ok {
			name = words
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, &bagio.FormatError{File: file, Reason: "the file contains no species"}
	}
	return names, nil
}

// A numbered is a line of a file: the number of a recording, and its values.
type numbered struct {
	id     int
	values []float64
}

// rows reads a file of comma-separated numbers below a heading. Each line has a recording's number
// and then the given number of values, or at least one if values is -1.
func (f *folder) rows(part string, values int) ([]numbered, error) {
	file, data, err := f.text("hja_birdsong_"+part+".txt.gz", "hja_birdsong_"+part+".txt")
	if err != nil {
		return nil, err
	}
	var rows []numbered
	number := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if number++; number == 1 || line == "" {
			continue
		}
		var row []float64
		for cell := range strings.SplitSeq(line, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 32)
			// v-v is not 0 for NaN and the infinities.
			if err != nil || v-v != 0 {
				return nil, &bagio.FormatError{File: file, Row: number,
					Reason: fmt.Sprintf("%q is not a number", cell)}
			}
			row = append(row, v)
		}
		if len(row) < 2 || values > 0 && len(row) != 1+values || row[0] != math.Trunc(row[0]) {
			return nil, &bagio.FormatError{File: file, Row: number, Reason: fmt.Sprintf(
				"the row has %d numbers, but must have the number of a recording and %d values",
				len(row), max(values, 1))}
		}
		rows = append(rows, numbered{int(row[0]), row[1:]})
	}
	return rows, nil
}
