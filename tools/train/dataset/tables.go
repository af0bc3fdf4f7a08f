package dataset

import (
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// The sources for MissingError.
const (
	muskSource = "https://archive.ics.uci.edu/dataset/74/musk+version+1 and " +
		".../75/musk+version+2: clean1.data and clean2.data, or the same as a table " +
		"bag,label,f1..f166"
	tefSource = "a collection of multiple-instance data sets that has it as a table " +
		"bag,label,f1..f230, such as those of Andrews, Tsochantaridis and Hofmann (2002)"
)

// openMusk reads Musk1 or Musk2, either as a table with a heading or in the format of UCI.
func openMusk(f *folder, o Options) (*Set, error) {
	original := strings.Replace(f.set, "musk", "clean", 1)
	file, data, err := f.at("musk_tef", muskSource).text(f.set+".csv.gz", f.set+".csv",
		original+".data", original+".data.gz", original+".data.Z")
	if err != nil {
		return nil, err
	}
	// The files of UCI have no heading, which the reader of tables needs.
	if strings.HasPrefix(file, original) {
		data = append(cleanHeader(), data...)
	}
	set := &Set{Classes: []string{"no musk", "musk"}, Settings: settings("musk")}
	return set.binary(f, file, data, o, 166)
}

// cleanHeader returns the heading that UCI's files lack: molecule, conformation, features, class.
func cleanHeader() []byte {
	b := []byte("bag,instance")
	for i := range 166 {
		b = fmt.Appendf(b, ",f%d", i+1)
	}
	return append(b, ",label\n"...)
}

// openTEF reads Tiger, Elephant or Fox.
func openTEF(f *folder, o Options) (*Set, error) {
	file, data, err := f.at("musk_tef", tefSource).text(f.set+".csv.gz", f.set+".csv")
	if err != nil {
		return nil, err
	}
	article := "a "
	if f.set == "elephant" {
		article = "an "
	}
	set := &Set{Classes: []string{"no " + f.set, article + f.set}, Settings: settings("tef"),
		Outliers: true}
	return set.binary(f, file, data, o, 230)
}

// binary completes a set of two classes from a table with one row for each instance. The set's
// title is its name with a capital.
func (s *Set) binary(
	f *folder, file string, data []byte, o Options, features int,
) (*Set, error) {
	bags, err := readTable(file, data, features)
	if err != nil {
		return nil, err
	}
	s.Title = strings.ToUpper(f.set[:1]) + f.set[1:]
	s.Scale, s.Shape = core.ScaleLogits, []int{features}
	var examples []Example
	for _, bag := range bags {
		if c := bag.Class[0]; c != 0 && c != 1 {
			return nil, &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf("its class is %d, but %s has the classes 0 and 1", c, s.Title)}
		}
		examples = append(examples, inMemory(bag, oneHot(2, bag.Class[0])))
	}
	s.split = divided(examples, seventy, o, 1)
	return s, nil
}

// readTable reads bags of one class each from a table with the given number of features.
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

// inMemory returns the example of a bag that stays in memory. Example.Bag copies it.
func inMemory(bag *core.Bag, target []float32) Example {
	all := ascending(bag.Len())
	return Example{Name: bag.Name, Size: bag.Len(), Target: target,
		bag: func() (*core.Bag, error) { return bag.Select(all), nil }}
}

// Hold returns a user's bag as an example for a network with the given number of classes. If the
// bag is invalid or has a class outside of 0 to classes-1, Example.Bag returns a *core.BagError.
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
	return inMemory(bag, oneHot(classes, bag.Class...))
}
