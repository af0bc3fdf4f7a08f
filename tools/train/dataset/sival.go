package dataset

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// sivalSource names the source for MissingError.
const sivalSource = "the SIVAL repository of Washington University (Rahmani et al., 2005), as a " +
	"table bag,class_id,class,flag,f1..f30"

// sivalPositive lists the twelve classes that the paper keeps, by number in the table and name.
// Bags of the other 13 classes become class 0.
var sivalPositive = []struct {
	id   int
	name string
}{
	{2, "Apple"}, {3, "Banana"}, {7, "CheckeredScarf"}, {8, "CokeCan"}, {9, "DataMiningBook"},
	{15, "GoldMedal"}, {18, "LargeSpoon"}, {19, "RapBook"}, {20, "SmileyFaceDoll"},
	{21, "SpriteCan"}, {23, "TranslucentBowl"}, {24, "WD40Can"},
}

// sivalNegatives is the number of bags of each other class that the set contains: the first ones of
// the table.
const sivalNegatives = 30

// openSIVAL reads SIVAL without instance labels, because the tables of features do not have them.
func openSIVAL(f *folder, o Options) (*Set, error) {
	const features = 30
	file, data, err := f.at("sival", sivalSource).read("sival_bags.csv.gz", "sival_bags.csv")
	if err != nil {
		return nil, err
	}
	bags, err := readTable(file, data, features)
	if err != nil {
		return nil, err
	}
	classOf := map[int]int{}
	set := &Set{Title: "SIVAL", Classes: []string{"none of the twelve"}, Scale: core.ScaleLogits,
		Shape: []int{features}, Settings: settings("sival")}
	for i, c := range sivalPositive {
		classOf[c.id] = i + 1
		set.Classes = append(set.Classes, c.name)
	}
	// The paper's code reads one class after another, and splits depend on the order.
	slices.SortStableFunc(bags, func(a, b *core.Bag) int { return a.Class[0] - b.Class[0] })
	var examples []Example
	seen := map[int]int{} // number of bags of each other class
	for _, bag := range bags {
		id := bag.Class[0]
		if id < 1 || id > 25 {
			return nil, &core.BagError{Bag: bag.Name,
				Reason: fmt.Sprintf(
					"its class is %d, but the classes of SIVAL are numbered from 1 to 25", id)}
		}
		class := classOf[id]
		if class == 0 {
			if seen[id]++; seen[id] > sivalNegatives {
				continue
			}
		}
		bag.Class = []int{class}
		examples = append(examples, inMemory(bag, oneHot(len(set.Classes), class)))
	}
	set.split = divided(examples, eighty, o, 1)
	return set, nil
}
