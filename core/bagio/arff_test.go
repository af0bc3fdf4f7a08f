package bagio

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

const weka = `% Musk, in part
@RELATION musk

@attribute 'molecule name' {m1, 'm 2'}
@attribute bag relational
  @attribute f1 numeric
  @attribute "f 2" REAL
@end bag
@attribute class {MUSK,'NON-MUSK'}

@data
m1,"0.5,1\n-2,3e0",NON-MUSK
% a comment
'm 2', '4 , 5' ,MUSK
`

func TestARFF(t *testing.T) {
	for name, table := range map[string]string{"of Weka": weka,
		"with CRLF": strings.ReplaceAll(weka, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("musk.arff", []byte(table), Options{}))(t)
			if !slices.Equal(set.Names(), []string{"m1", "m 2"}) || !slices.Equal(set.Notes(),
				[]string{"musk.arff: 2 bags of 2 features, labels are class (0 is MUSK, 1 is " +
					"NON-MUSK)."}) {
				t.Fatalf("%q, notes %q", set.Names(), set.Notes())
			}
			for b, want := range [][]float32{{.5, 1, -2, 3}, {4, 5}} {
				bag := must.Get(set.Bag(b))(t)
				must.EqualSlices(t, bag.Values, want, b, bag)
				must.EqualSlices(t, bag.Class, []int{1 - b}, b, bag)
			}
		})
	}
	// Without an id and a class, and a class of numbers.
	for rows, class := range map[string][]int{
		"@end b\n@data\n'1\\n2'\n":                              nil,
		"@end b\n@attribute c numeric\n@data\n\"1\\n2\\n\",3\n": {3},
	} {
		set := must.Get(Read("x.arff", []byte("@relation x\n@attribute b relational\n"+
			"@attribute f integer\n"+rows), Options{}))(t)
		bag := must.Get(set.Bag(0))(t)
		must.Equal(t, bag.Name, "0", rows, bag)
		must.EqualSlices(t, bag.Values, []float32{1, 2}, rows, bag)
		must.EqualSlices(t, bag.Class, class, rows, bag)
	}
}

func TestWrongARFF(t *testing.T) {
	const start = "@relation x\n"
	const head = "@relation x\n@attribute id string\n@attribute b relational\n" +
		"@attribute f real\n@end b\n@attribute c {0,1}\n@data\n"
	for table, want := range map[string]string{
		start + "@attribute f real\n@data\n1\n": "" +
			"row 3: the ARFF file has no relational attribute",
		start + "@attribute f what\n": "" +
			`row 2: attribute f has the type "what"`,
		start + "@end b\n": "" +
			"row 2: a relation ends that has not begun",
		start + "hello\n": "" +
			`row 2: "hello" is no line of a header`,
		start + "@attribute 'f real\n": "" +
			"row 2: the name of an attribute has no end",
		start + "@attribute f {'a\\}\n": "" +
			"row 2: attribute f: a value in quotes has no end",
		start + "@attribute b relational\n@data\n": "" +
			"row 3: the relation b has no end",
		start + "@attribute b relational\n@attribute c relational\n": "" +
			"row 3: a relation in a",
		start + "@attribute b relational\n@end b\n@data\n": "" +
			"row 4: the relation b has no",
		start + "@attribute b relational\n@attribute f {a}\n@end b\n@data\n": "" +
			"row 5: attribute f of b is nominal",
		head:                          "x.arff: it has no data",
		head + "a,1,0\nb,\"1,2\",0\n": "row 9: instance 0 of the bag has 2 values, but there are 1",
		head + "a,\"1\\n?\",0\n":      `row 8: instance 1 of the bag: "?" is not a number`,
		head + "a,1\n":                "row 8: the row has 2 values, but there are 3 attributes",
		head + "a,1,2\n":              `row 8: "2" is none of the values of c`,
		head + "{0 a}\n":              "row 8: it is sparse",
		head + "a,'1,0\n":             "row 8: a value in quotes has no end",
		head + strings.Repeat("a", 1025) + ",1,0\n": "row 8: the id of a bag has 1025 bytes",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Read("x.arff", []byte(table), Options{})
			must.Equal(t, err != nil, true, err, want)
			must.Contain(t, err.Error(), want)
		})
	}
	_, err := Read("x.arff", []byte(weka), Options{Limits: Limits{Instances: 2}})
	wantError(t, err, "x.arff: it holds 3 instances; the limit is 2")
}

func FuzzARFF(f *testing.F) {
	f.Add(weka)
	f.Add("@relation x\n@attribute b relational\n@attribute f real\n@end b\n@data\n'1\\n2'\n")
	f.Fuzz(func(t *testing.T, table string) {
		examine(t, "x.arff", []byte(table), Options{Limits: small})
		examine(t, "x.arff", []byte("@relation x\n"+table), Options{Limits: small})
	})
}
