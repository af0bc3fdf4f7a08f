package dataset

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

const (
	muskSource = "https://archive.ics.uci.edu/dataset/74/musk+version+1 and " +
		".../75/musk+version+2: clean1.data and clean2.data, or the same as a table " +
		"bag,label,f1..f166"
	tefSource = "a collection of multiple-instance data sets that has it as a table " +
		"bag,label,f1..f230, such as those of Andrews, Tsochantaridis and Hofmann (2002)"
)

func openMusk1(f *folder, o Options) (*Set, error) { return openMusk(f, o, "musk1", "clean1") }
func openMusk2(f *folder, o Options) (*Set, error) { return openMusk(f, o, "musk2", "clean2") }

func openMusk(f *folder, o Options, name, original string) (*Set, error) {
	f.at("musk_tef", muskSource)
	file, data, err := f.text(name+".csv.gz", name+".csv", original+".data", original+".data.gz",
		original+".data.Z")
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(file, original) {
		data = append(cleanHeader(), data...)
	}
	set := &Set{Title: strings.ToUpper(name[:1]) + name[1:], Classes: []string{"no musk", "musk"},
		Settings: settings("musk")}
	return set.binary(file, data, o, 166)
}

// cleanHeader names the columns of UCI's files, which do not: molecule, conformation, features,
// class.
func cleanHeader() []byte {
	var b bytes.Buffer
	b.WriteString("bag,instance")
	for i := range 166 {
		fmt.Fprintf(&b, ",f%d", i+1)
	}
	b.WriteString(",label\n")
	return b.Bytes()
}

func openTiger(f *folder, o Options) (*Set, error) { return openTEF(f, o, "tiger", "a tiger") }
func openElephant(f *folder, o Options) (*Set, error) {
	return openTEF(f, o, "elephant", "an elephant")
}
func openFox(f *folder, o Options) (*Set, error) { return openTEF(f, o, "fox", "a fox") }

func openTEF(f *folder, o Options, name, animal string) (*Set, error) {
	file, data, err := f.at("musk_tef", tefSource).text(name+".csv.gz", name+".csv")
	if err != nil {
		return nil, err
	}
	_, noun, _ := strings.Cut(animal, " ")
	set := &Set{Title: strings.ToUpper(name[:1]) + name[1:],
		Classes: []string{"no " + noun, animal}, Settings: settings("tef"), Outliers: true}
	return set.binary(file, data, o, 230)
}

// binary fills in a set of two classes from a table with one row an instance.
func (s *Set) binary(file string, data []byte, o Options, features int) (*Set, error) {
	bags, err := readTable(file, data, features)
	if err != nil {
		return nil, err
	}
	s.Scale, s.Shape = core.ScaleLogits, []int{features}
	var examples []Example
	for _, bag := range bags {
		if c := bag.Class[0]; c != 0 && c != 1 {
			return nil, &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("its class is %d, but %s has the classes 0 and 1", c, s.Title)}
		}
		examples = append(examples, held(bag, oneHot(2, bag.Class[0])))
	}
	s.split = divided(examples, seventy, o, measure)
	return s, nil
}

// readTable reads bags of known width, each of one class, from a table.
func readTable(file string, data []byte, features int) ([]*core.Bag, error) {
	set, err := bagio.Read(file, data, bagio.Options{InstanceShape: []int{features},
		Limits: bagio.Limits{Bytes: maxFile}})
	if err != nil {
		return nil, err
	}
	bags := make([]*core.Bag, set.Len())
	for i := range bags {
		if bags[i], err = set.Bag(i); err != nil {
			return nil, err
		}
		if len(bags[i].Class) != 1 {
			return nil, &core.BagError{Bag: bags[i].Name,
				Reason: fmt.Sprintf("%s does not contain its class", file)}
		}
	}
	return bags, nil
}

// held is the example of a bag that is kept in memory.
func held(bag *core.Bag, target []float32) Example {
	all := ascending(bag.Len())
	return Example{Name: bag.Name, Size: bag.Len(), Target: target,
		bag: func() (*core.Bag, error) { return bag.Select(all), nil }}
}

// Hold returns a bag of anywhere as an example. Where a class of it is not from 0 to below the
// given number of them, or the bag contradicts itself, the example's Bag is a *core.BagError.
func Hold(bag *core.Bag, classes int) Example {
	fault := bag.Validate()
	for _, c := range bag.Class {
		if c < 0 || c >= classes {
			fault = &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("its class is %d, but there are %d classes", c, classes)}
		}
	}
	if fault != nil {
		return Example{Name: bag.Name, Target: oneHot(max(classes, 0)),
			bag: func() (*core.Bag, error) { return nil, fault }}
	}
	return held(bag, oneHot(classes, bag.Class...))
}
