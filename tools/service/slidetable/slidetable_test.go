package slidetable

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestLabels reads the tables of CLAM and CAMELYON and refuses what states no labels.
func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"case_id,slide_id,label,site\np,a.1.svs,tumour, Ulm\n": "map[a.1:{tumour Ulm}]",
		"\ufeffSlide_ID,Label\ns.TIFF,normal_tissue\n":         "map[s:{normal_tissue }]",
		"slide,site\na,Graz\na,Graz\n":                         "map[a:{ Graz}]",
		"test_001,Tumor,IDC,Macro\ntest_002,Normal,None\n": "map[test_001:{Tumor } " +
			"test_002:{Normal }]",
		"image,type,center\ntest/test_001.tif,Macro,1\n": "map[test_001:{Macro }]",
		"name,slide_id,label\nx,C:\\d\\a.ndpi,1\n":       "map[a:{1 }]",
		"":                               "is empty",
		"a,b\nc\n":                       "no label in row 2",
		"slide,label\na\n":               "no label in row 1",
		"a,\"\n":                         "cannot be read as CSV",
		"wsi,label\nb,1\nb,2":            "two different rows of the slide b",
		strings.Repeat("a", mostBytes+1): "more than 16 MB",
	} {
		table, err := ReadLabels(strings.NewReader(text))
		got := fmt.Sprint(map[string]Label(table))
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%.60q: %s, want %s", text, got, want)
		}
	}
	for label, want := range map[string]bool{"Normal": true, "normal_tissue": true, "0": true,
		"Tumor": false, "1": false, "": false} {
		must.Equal(t, (Label{Label: label}).Negative(), want, label, !want)
	}
}

// TestPatients joins the tables of STAMP in any order.
func TestPatients(t *testing.T) {
	const slides = "PATIENT,FILENAME\np1,a.1.h5\np1,sub/b.h5\np2,c.h5\np3,d.h5\n"
	for patients, want := range map[string]string{
		"PATIENT,label\np1,tumor\np2,normal\n": "map[a.1:{tumor } b:{tumor } " +
			"c:{normal }]",
		"PATIENT,age,label,site\np1,60,MSI,Ulm\np2,,,\n": "map[a.1:{MSI Ulm} b:{MSI Ulm}]",
		"isMSIH,PATIENT\nyes,p2\n":                       "map[c:{yes }]",
		"PATIENT,label\np1,a\np1,b\n":                    "two different rows of the patient p1",
		"PATIENT,age,MSI\np1,60,yes\n":                   "have no column label",
		"case,label\np1,a\n":                             "are not the two tables of STAMP",
	} {
		for _, order := range [][2]string{{patients, slides}, {slides, patients}} {
			table, err := ReadPatients(strings.NewReader(order[0]), strings.NewReader(order[1]))
			got := fmt.Sprint(map[string]Label(table))
			if err != nil {
				got = err.Error()
			}
			if got != want && (err == nil || !strings.Contains(got, want)) {
				t.Errorf("%q: %s, want %s", order[0], got, want)
			}
		}
	}
	_, err := ReadPatients(strings.NewReader("PATIENT,label\np1,a\np2,b\n"),
		strings.NewReader("PATIENT,FILENAME\np1,s.h5\np2,s.h5\n"))
	must.Fail(t, err)
	must.Contain(t, err.Error(), "two different patients of the slide s")
}

// TestSplit chooses the slides of a part in the order of a list.
func TestSplit(t *testing.T) {
	slides := []string{"c", "a.1", "b"}
	for text, want := range map[string]string{
		",train,val,test\n0,b,,a.1.svs\n1,,,c\n":            "[0 1]",
		",train,val,test\na.1,False,False,True\nb,True,,\n": "[1]",
		"bag_name,split\nb,Test\nc,train\n":                 "[2]",
		"slide_id,label\na,0\n":                             "needs a column test",
		",train,val,test\n0,b,,\n":                          "has no slide in test",
		"{\n    \"splits\": [\n    {\"train_patients\": [":  "is JSON",
		",train,test\n0,b,d\n": "1 slides in test without features, such " +
			"as d",
	} {
		chosen, err := ReadSplit(strings.NewReader(text), "test")
		var at []int
		if err == nil {
			at, err = Select(slides, chosen, "test")
		}
		got := fmt.Sprint(at)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzTables reads damaged tables: labels and splits name slides without endings, or are errors.
func FuzzTables(f *testing.F) {
	f.Add("case_id,slide_id,label\np,a.svs,1\n")
	f.Add(",train,val,test\n0,b,,a.1.svs\n")
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := ReadLabels(strings.NewReader(text))
		must.Equal(t, (err == nil) != (labels == nil), true, labels, err)
		split, err := ReadSplit(strings.NewReader(text), "train")
		if err == nil && len(split) == 0 {
			t.Error("an empty part")
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(labels)),
			slices.Collect(maps.Keys(split))) {
			if strings.ContainsAny(name, "/\\") && name != "/" {
				t.Errorf("%q is a path", name)
			}
		}
	})
}
