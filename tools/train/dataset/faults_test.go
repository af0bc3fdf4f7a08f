package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// TestMissingFileNamesSource opens every set that needs files in an empty folder.
func TestMissingFileNamesSource(t *testing.T) {
	for _, name := range Names() {
		if slices.Contains([]string{"digits", "counting", "tissue"}, name) { // these are drawn
			continue
		}
		_, err := Open(name, t.TempDir(), Options{})
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Set != name || missing.File == "" ||
			missing.Source == "" {
			t.Errorf("%s: %v, want a MissingError", name, err)
		}
	}
}

func TestSettingsOfSets(t *testing.T) {
	var fault *core.SettingError
	must.As(t, must.Err(Open("imagenet", "", Options{})), &fault, "birdsong")
	must.As(t, must.Err(Open("digits", "", Options{Test: -1})), &fault)
	set := must.Get(Open("digits", "", small))(t)
	for _, repeat := range []int{-1, 10} {
		must.Equal(t, errors.As(must.Err(set.Split(repeat)), &fault), true, repeat)
	}
}

// write puts files into a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

// recording is a row of features of birdsong.
func recording(id string) string { return id + strings.Repeat(",.5", 38) + "\n" }

func birds(change map[string]string) map[string]string {
	files := map[string]string{
		"class_names": "1\tAA - First bird\n2\tBB - Second bird\n",
		"features": "bag_id, [segment features]\n" + recording("1") + recording("1") +
			recording("2"),
		"instance_labels": "bag_id, instance_label\n1,-1\n1,2\n2,1\n",
		"bag_labels":      "bag_id, [labels]\n1,2\n2,1,2\n",
	}
	out := map[string]string{}
	for part, text := range files {
		if other, ok := change[part]; ok {
			text = other
		}
		out["birdsong/hja_birdsong_"+part+".txt"] = text
	}
	return out
}

// TestBirdsongRejectsContradictions reads a small set, then files that contradict each other.
func TestBirdsongRejectsContradictions(t *testing.T) {
	set := must.Get(Open("birdsong", write(t, birds(nil)), Options{AllData: true}))(t)
	s := split(t, set, 0)
	all := append(append(s.Train, s.Validation...), s.Test...)
	sound(t, set, all)
	for _, e := range all {
		bag := must.Get(e.Bag())(t)
		want := map[string][]int{"recording 1": {-1, 1}, "recording 2": {0}}[e.Name]
		if len(all) != 2 || len(bag.Labels) != len(want) || bag.Labels[0] != want[0] {
			t.Errorf("%s has the labels %v, want %v", e.Name, bag.Labels, want)
		}
	}
	must.Equal(t, set.Classes[1], "Second bird", set.Classes)
	must.Equal(t, set.Scale, core.ScaleSigmoidLogits, set.Classes)
	for what, change := range map[string]map[string]string{
		"a species too many":    {"bag_labels": "h\n1,3\n2,1\n"},
		"a recording without":   {"bag_labels": "h\n1,2\n"},
		"a recording twice":     {"bag_labels": "h\n1,2\n1,2\n"},
		"labels of another bag": {"instance_labels": "h\n1,-1\n2,2\n2,1\n"},
		"too few labels":        {"instance_labels": "h\n1,-1\n"},
		"half a species":        {"instance_labels": "h\n1,-1\n1,.5\n2,1\n"},
		"no number":             {"instance_labels": "h\n1,-1\n1,x\n2,1\n"},
		"NaN": {"features": "h\n" + recording("1") + recording("1") +
			strings.Replace(recording("2"), ".5", "NaN", 1)},
		"too few features":        {"features": "h\n1,2,3\n"},
		"species not in order":    {"class_names": "2\tB\n"},
		"no species":              {"class_names": ""},
		"recordings of no number": {"bag_labels": "h\n1.5,2\n"},
	} {
		must.Equal(t, must.Err(Open("birdsong", write(t, birds(change)), Options{})) != nil, true,
			what)
	}
}

// TestMuskOfUCIEqualsTable reads Musk in the format of UCI and as a table.
func TestMuskOfUCIEqualsTable(t *testing.T) {
	dir := testfile.Restricted(t, "data/musk_tef")
	original := must.Get(os.ReadFile(filepath.Join(dir, "clean1.data.gz")))(t)
	set := must.Get(Open("musk", write(t, map[string]string{"clean1.data.gz": string(original)}),
		Options{}))(t)
	want := split(t, open(t, "musk1", "musk_tef", Options{}), 4)
	got := split(t, set, 4)
	for i, e := range got.Test {
		a := must.Get(e.Bag())(t)
		b := must.Get(want.Test[i].Bag())(t)
		must.Equal(t, len(a.Values), len(b.Values), i, a.Name, b.Name)
		must.Equal(t, a.Values[100], b.Values[100], i, a.Name, b.Name)
		must.Equal(t, a.Class[0], b.Class[0], i, a.Name, b.Name)
	}
}

func TestTablesRejectFaults(t *testing.T) {
	header := "bag,label,f1\n"
	for name, text := range map[string]string{
		"musk1": header + "a,1,2\n",
		"tiger": header,
		"sival": header + "a,1,2\n",
	} {
		file := map[string]string{"musk1": "musk1.csv", "tiger": "tiger.csv",
			"sival": "sival_bags.csv"}[name]
		if _, err := Open(name, write(t, map[string]string{file: text}), Options{}); err == nil {
			t.Errorf("%s takes a table of one feature", name)
		}
	}
	for what, nuclei := range map[string]string{
		"a picture too many": "img,type,x,y\n101,epithelial,1,1\n",
		"an unknown type":    "img,type,x,y\n1,bird,1,1\n",
		"no place":           "img,type,x,y\n1,others,here,1\n",
		"a place of NaN":     "img,type,x,y\n1,others,NaN,1\n",
		"an infinite place":  "img,type,x,y\n1,others,1,Inf\n",
		"three columns":      "img,type,x\n1,others,1\n",
	} {
		_, err := Open("crc", write(t, map[string]string{"crc/nuclei.csv": nuclei}), Options{})
		var missing *MissingError
		must.Equal(t, err != nil, true, what, err)
		must.Equal(t, errors.As(err, &missing), false, what, err)
	}
	_, err := Open("mnist", write(t, map[string]string{
		"train-images-idx3-ubyte": "\x00\x00\x08\x03"}), Options{})
	must.Fail(t, err)
}
