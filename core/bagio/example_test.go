package bagio_test

import (
	"fmt"

	"github.com/bagscope/bagscope/core/bagio"
)

func ExampleRead() {
	table := []byte("bag,label,f1,f2\nmusk,1,42,-198\nother,0,7,5\nmusk,1,40,-191\n")
	set, err := bagio.Read("molecules.csv", table, bagio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range set.Len() {
		bag, err := set.Bag(i)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(bag.Name, bag.Class, bag.Values)
	}
	// Output:
	// musk [1] [42 -198 40 -191]
	// other [0] [7 5]
}

func ExampleFormatError() {
	_, err := bagio.Read("t.csv", []byte("bag,label,f1,f2\na,0,1,abc\n"), bagio.Options{})
	fmt.Println(err)
	// Output:
	// t.csv, row 2, column 4 (f2): "abc" is not a number; or ignore the column: columns f2=skip
}
