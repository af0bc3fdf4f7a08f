package cohort

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSplits keeps the slides of a part of CLAM's splits, in both of their forms.
func TestSplits(t *testing.T) {
	clam := jobFolder(t, map[string]string{"pt_files/a.1.pt": "f32.pt", "pt_files/b.pt": "f16.pt",
		"pt_files/c.pt": "f16.pt"})
	for name, c := range map[string]struct {
		text, part string
		want       []string
		wrong      string
	}{
		"lists": {",train,val,test\n0,b,,a.1.svs\n1,,,c\n", "", []string{"a.1.pt", "c.pt"}, ""},
		"train": {",train,val,test\n0,b,,a.1\n", "train", []string{"b.pt"}, ""},
		"truths": {",train,val,test\na.1,False,False,True\nb,True,False,False\n", "test",
			[]string{"a.1.pt"}, ""},
		"torchmil": {"bag_name,split\na.1,test\nb.svs,train\nc,train\n", "train",
			[]string{"b.pt", "c.pt"}, ""},
		"no column":  {"slide_id,label\na,0\n", "test", nil, "needs a column test"},
		"no slide":   {",train,val,test\n0,b,,\n", "test", nil, "has no slide in test"},
		"no feature": {",train,val,test\n0,b,,d\n", "test", nil, "without features, such as d"},
		"other part": {",train,val,test\n0,b,,a.1\n", "all", nil, "none of train, val and test"},
		"no rows":    {"", "test", nil, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "splits_0.csv")
			must.Do(t, os.WriteFile(file, []byte(c.text), 0o600))
			f := Folder{Clam: clam, Model: "m.onnx", Split: file, Part: c.part}
			must.Do(t, f.check())
			lines, err := f.lines()
			if c.wrong != "" {
				must.Equal(t, err != nil, true, err, c.wrong)
				must.Contain(t, err.Error(), c.wrong)
				return
			}
			var got []string
			for _, l := range lines {
				got = append(got, filepath.Base(l.Bag))
			}
			must.Do(t, err, got, c.want)
			must.EqualSlices(t, got, c.want)
		})
	}
}

// TestTorchmilLines reads the labels of the bags and instances of a dataset of torchmil.
func TestTorchmilLines(t *testing.T) {
	dir := t.TempDir()
	npy := func(path, shape string, values string) {
		path = filepath.Join(dir, path)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		head := "{'descr': '|i1', 'fortran_order': False, 'shape': (" + shape + "), }"
		head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
		must.Do(t, os.WriteFile(path, []byte("\x93NUMPY\x01\x00"+string(rune(len(head)))+"\x00"+
			head+values), 0o600))
	}
	npy("features_uni/a.npy", "2, 1", "\x01\x02")
	npy("features_uni/b.npy", "1, 1", "\x03")
	f := Folder{Torchmil: dir, Model: "m.onnx"}
	must.Do(t, f.check())
	if lines := must.Get(f.lines())(t); len(lines) != 2 || lines[0].Label != "" ||
		lines[0].Labels != nil {
		t.Errorf("%+v", lines)
	}
	npy("labels/a.npy", "", "\x01")
	npy("labels/b.npy", "1,", "\x00")
	npy("patch_labels/a.npy", "2,", "\x00\x01")
	if _, err := f.lines(); err == nil || !strings.Contains(err.Error(), "b.npy") {
		t.Errorf("a bag without labels of instances: %v", err)
	}
	npy("patch_labels/b.npy", "1,", "\xff")
	lines := must.Get(f.lines())(t)
	if lines[0].Label != "1" || !slices.Equal(lines[0].Labels, []int{0, 1}) ||
		lines[1].Label != "0" || !slices.Equal(lines[1].Labels, []int{-1}) {
		t.Errorf("%+v", lines)
	}
	npy("labels/b.npy", "2,", "\x00\x00")
	if _, err := f.lines(); err == nil || !strings.Contains(err.Error(), "a bag has one") {
		t.Errorf("two labels of a bag: %v", err)
	}
}

// TestFolderOptionsTogether refuses options of folders that do not belong together.
func TestFolderOptionsTogether(t *testing.T) {
	for _, f := range []Folder{{Clam: "a", Torchmil: "b", Model: "m"}, {Split: "s"},
		{Clam: "a", Model: "m", Part: "test"}, {Part: "test"}} {
		must.Equal(t, f.check() != nil, true, f)
	}
}
