package bagio

import (
	"encoding/binary"
	"image"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// rows returns a table of rows that a function writes.
func rows(header string, n int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// utf16Text returns a text in UTF-16 with a byte-order mark.
func utf16Text(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

// TestTablesOfTools reads tables as tools write them: each holds two instances, (0.5, -2) and
// (1500, 3), beside columns that are not features.
func TestTablesOfTools(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		bag   string
		class []int
		boxes []image.Rectangle
		slide core.Slide
		notes []string // parts of all notes, in order
	}{
		"pandas, index=False": {"0,1,2\n0.5,-2,0\n1.5e3,3,0\n", "t", nil, nil, core.Slide{},
			[]string{"all rows are one bag, 3 columns from 0 to 2 are features"}},
		"pandas, with an index and text": {",feat_0,feat_1,site,label,slide_id\n" +
			"0,0.5,-2,,1,s\n1,1500.0,3,a,1,s\n", "s", []int{1}, nil, core.Slide{},
			[]string{"not features: #1, site", "bags are the values of slide_id, labels are " +
				"label, " +
				"2 columns from feat_0 to feat_1 are features (columns states others)"}},
		"a byte-order mark": {"\xef\xbb\xbfslide,area,shape\ns,0.5,-2\ns,1500,3\n", "s", nil, nil,
			core.Slide{}, nil},
		"semicolons and decimal commas": {"slide;area;shape\ns;0,5;-2\ns;1,5e3;3,0\n", "s",
			nil, nil, core.Slide{}, []string{"numbers have decimal commas"}},
		"semicolons and decimal points": {"slide;area;shape\ns;0.5;-2\ns;1500;3\n", "s", nil, nil,
			core.Slide{}, nil},
		"a separator that is named": {"sep=;\r\nslide;\"a,b,c,d\";shape\r\ns;0,5;-2\r\n" +
			"s;1500;3\r\n", "s", nil, nil, core.Slide{}, []string{"numbers have decimal commas"}},
		"vertical bars": {"slide|area|shape\ns|0.5|-2\ns|1500|3\n", "s", nil, nil, core.Slide{},
			nil},
		"spaces, as write.table of R": {"\"slide\" \"area\" \"shape\"\n\"s\" 0.5 -2\n" +
			"\"s\" 1500 3\n", "s", nil, nil, core.Slide{}, nil},
		"UTF-16, as Excel's Unicode text": {utf16Text(binary.LittleEndian,
			"slide\tarea\tshape\r\ns \U0001f52c\t0,5\t-2\r\ns \U0001f52c\t1500\t3\r\n"),
			"s \U0001f52c", nil, nil, core.Slide{}, []string{"numbers have decimal commas"}},
		"UTF-16, big-endian": {utf16Text(binary.BigEndian, "slide,area,shape\ns,.5,-2\ns,1500,3"),
			"s", nil, nil, core.Slide{}, nil},
		"QuPath": {"Image\tObject ID\tObject type\tName\tClassification\tParent\tROI\t" +
			"Centroid X µm\tCentroid Y µm\tNucleus: Area µm^2\tHematoxylin: Mean\n" +
			"s.svs\tc0ffee\tDetection\t\tTumor\tRoot object (Image)\tPolygon\t32.0\t32.0" +
			"\t0.5\t-2\n" +
			"s.svs\tdecade\tDetection\t\t\tRoot object (Image)\tPolygon\t96.0\t32.0\t1500\t3\n",
			"s.svs", nil, []image.Rectangle{square(0, 0, 64), square(64, 0, 64)},
			core.Slide{PatchSize: 64, Unit: core.Microns}, []string{"not features: Object ID, " +
				"Object type, Name, Classification, Parent, ROI",
				"bags are the values of Image, places are Centroid X µm and Centroid Y µm, " +
					"2 columns from Nucleus: Area µm^2 to Hematoxylin: Mean",
				"how large a patch is", "are in micrometres"}},
		"QuPath in Latin-1": {"Image,Centroid X \xb5m,Centroid Y \xb5m,area,shape\n" +
			"s.svs,32,32,0.5,-2\ns.svs,96,32,1500,3\n", "s.svs", nil,
			[]image.Rectangle{square(0, 0, 64), square(64, 0, 64)},
			core.Slide{PatchSize: 64, Unit: core.Microns},
			[]string{"how large a patch is", "are in micrometres"}},
		"HALO": {"Image Location,Analysis Region,Algorithm Name,Object Id,XMin,XMax,YMin,YMax," +
			"Cell Area,Stain OD\n\\\\s\\a.svs,entire image,HighPlex,0,10,20,0,8,0.5,-2\n" +
			"\\\\s\\a.svs,entire image,HighPlex,1,20,30,0,8,1500,3\n", `\\s\a.svs`, nil,
			[]image.Rectangle{image.Rect(10, 0, 20, 8), image.Rect(20, 0, 30, 8)}, core.Slide{},
			[]string{"Analysis Region, Algorithm Name, Object Id",
				"boxes are XMin, YMin, XMax, YMax"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(c.table), Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			want := []float32{.5, -2, 1500, 3}
			if strings.HasPrefix(c.table, "0,") {
				want = []float32{.5, -2, 0, 1500, 3, 0}
			}
			if set.Len() != 1 || bag.Name != c.bag || !slices.Equal(bag.Values, want) ||
				!slices.Equal(bag.Class, c.class) || !slices.Equal(bag.Boxes, c.boxes) {
				t.Errorf("%d bags, the first %+v", set.Len(), bag)
			}
			if c.slide != (core.Slide{}) && *bag.Slide != c.slide {
				t.Errorf("slide %+v, want %+v", *bag.Slide, c.slide)
			}
			if notes := set.Notes(); len(notes) != len(c.notes) {
				t.Errorf("notes %q, want %q", notes, c.notes)
			} else {
				for i, note := range notes {
					must.Contain(t, note, c.notes[i])
				}
			}
		})
	}
}

// TestDecimalMarks checks that points and commas are not mixed, because 1.234 would be either of
// two numbers, and that commas stay errors between commas.
func TestDecimalMarks(t *testing.T) {
	for table, want := range map[string]string{
		"bag;f1;f2\na;0,5;1.234\n":       `row 2, column 3 (f2): "1.234" is not a number`,
		"bag;f1;f2\na;0.5;1,234\n":       `row 2, column 3 (f2): "1,234" is not a number`,
		"bag\tf1\na\t1.234,5\n":          `row 2, column 2 (f1): "1.234,5" is not a number`,
		"bag,f1\na,\"1,234\"\n":          `row 2, column 2 (f1): "1,234" is not a number`,
		"bag;f1;label\na;0,5;1,5\n":      `row 2, column 3 (label): "1,5" is not an integer`,
		"0,05;0,7;1\n0,1;0,2;1\n":        "row 1, column 1: the first row holds numbers",
		"0,1,2\n1,1,0\n":                 "row 1, column 1: the first row holds numbers",
		"0,1\n0.5,0.25\n":                "row 1, column 1: the first row holds numbers",
		"bag;x;y;size;f1\na;0,5;1;0;7\n": "row 2, column 4 (size)",
		// The last unit is the first half of a pair.
		utf16Text(binary.LittleEndian, "bag,f1\na,") + "\x3d\xd8": "row 2, column 2 (f1)",
	} {
		t.Run(table, func(t *testing.T) {
			_, err := Read("t.csv", []byte(table), Options{})
			must.Equal(t, err != nil, true, err, want)
			must.Equal(t, strings.HasPrefix(err.Error(), "t.csv, "+want), true, err, want)
		})
	}
}

// TestDecimalCommasEverywhere reads places, sides and covariates with decimal commas.
func TestDecimalCommasEverywhere(t *testing.T) {
	const table = "bag;x_um;y_um;tile_size_um;age;f1\na;0,0;0,0;2,5;63,5;7\n" +
		"a;2,5;0,0;2,5;63,5;8,25\n"
	set := must.Get(Read("t.csv", []byte(table), Options{SlideMPP: .25,
		Covariates: []core.CovariateInput{{Name: "age", Size: 1}}}))(t)
	bag := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, bag.Values, []float32{7, 8.25}, bag)
	must.Equal(t, bag.Covariates[0].Values[0], 63.5, bag)
	must.EqualSlices(t, bag.Boxes, []image.Rectangle{square(0, 0, 10), square(10, 0, 10)}, bag)
}
