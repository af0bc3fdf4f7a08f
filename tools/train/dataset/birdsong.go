package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

const birdsongSource = "the HJA birdsong data set of Briggs et al. (2012): the four files " +
	"hja_birdsong_*.txt"

// openBirdsong is ten-second recordings as bags of syllables. A recording holds several species at
// once, and about half of the syllables are labelled with theirs. Nobody published settings for it:
// it takes those of 4-MNIST-Bags, with its own mean bag size.
func openBirdsong(f *folder, o Options) (*Set, error) {
	f.at("birdsong", birdsongSource)
	names, err := f.species()
	if err != nil {
		return nil, err
	}
	const features = 38
	instances, err := f.rows("features", features)
	if err != nil {
		return nil, err
	}
	labels, err := f.rows("instance_labels", 1)
	if err != nil {
		return nil, err
	}
	species, err := f.rows("bag_labels", -1)
	if err != nil {
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
	if err != nil {
		return nil, err
	}
	set.split = divided(examples, sixty, o, measure)
	return set, nil
}

// recordings puts the syllables of each recording together.
func recordings(species, instances, labels []numbered, classes int) ([]Example, error) {
	at := map[int]*core.Bag{}
	for i, row := range instances {
		bag := at[row.id]
		if bag == nil {
			bag = &core.Bag{Name: fmt.Sprintf("recording %d", row.id),
				Shape: []int{len(row.values)}}
			at[row.id] = bag
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
		bag := at[row.id]
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
		examples = append(examples, held(bag, oneHot(classes, bag.Class...)))
	}
	if len(examples) != len(at) {
		return nil, &core.BagError{Reason: fmt.Sprintf(
			"%d recordings of birdsong have syllables but %d have species", len(at), len(examples))}
	}
	return examples, nil
}

// class turns a species' number, from 1, into a class from 0; -1 stays unknown where that is
// allowed.
func class(v float64, classes int, unknown bool) (int, error) {
	if unknown && v == -1 {
		return -1, nil
	}
	if v != math.Trunc(v) || v < 1 || v > float64(classes) {
		return 0, fmt.Errorf("%v is not a species; species are numbered from 1 to %d", v, classes)
	}
	return int(v) - 1, nil
}

// species reads the names of the species: a line of number, tabulator, code and name for each, in
// order.
func (f *folder) species() ([]string, error) {
	file, data, err := f.text("hja_birdsong_class_names.txt.gz", "hja_birdsong_class_names.txt")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		number, name, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if number == "" {
			continue
		}
		if !ok || number != strconv.Itoa(len(names)+1) {
			return nil, &bagio.FormatError{File: file, Row: len(names) + 1,
				Reason: fmt.Sprintf("%q is not the name of species %d", strings.TrimSpace(line),
					len(names)+1)}
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

// A numbered is a line of a file: the number of a recording, and values.
type numbered struct {
	id     int
	values []float64
}

// rows reads a file of lines of numbers parted by commas, under a heading. Each has the given
// number of values behind the recording's number, or one or more where that is -1.
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
			if err != nil || v-v != 0 {
				return nil, &bagio.FormatError{File: file, Row: number,
					Reason: fmt.Sprintf("%q is not a number", cell)}
			}
			row = append(row, v)
		}
		if len(row) < 2 || values > 0 && len(row) != 1+values || row[0] != math.Trunc(row[0]) {
			return nil, &bagio.FormatError{File: file, Row: number,
				Reason: fmt.Sprintf(
					"the row has %d numbers, but must have the number of a recording and %d values",
					len(row), max(values, 1))}
		}
		rows = append(rows, numbered{int(row[0]), row[1:]})
	}
	return rows, nil
}
