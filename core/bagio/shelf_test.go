package bagio

import (
	"archive/zip"
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// shelfFile returns a file that testdata/shelf/make.py writes.
func shelfFile(t *testing.T, name string) []byte {
	t.Helper()
	data := testdata(t, "shelf/shelf.zip")
	archive := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	return must.Get(io.ReadAll(must.Get(archive.Open(name))(t)))(t)
}

// TestShelf reads further layouts of the classic sets in MATLAB's files: bags of four, six and two
// instances that count from 0, of which the second one has the label 1, and once more from 100.
func TestShelf(t *testing.T) {
	three := []int{4, 6, 2}
	six := append([]int{4, 6, 2}, three...)
	for file, c := range map[string]struct {
		options Options
		sizes   []int
		classes []int
		names   string
		note    string
	}{
		"pairs.mat": {Options{}, three, []int{0, 1, 0}, "pairs 0", "labels are data{2}."},
		"variables.mat": {Options{Array: "*"}, six, nil, "apple 0",
			"its arrays apple to banana are taken for 6 bags."},
		"grid.mat": {Options{Array: "SIVAL*"}, six, nil, "SIVAL 0",
			"its arrays SIVAL to SIVAL{2} are taken for 6 bags."},
		"nested.mat": {Options{}, six, nil, "nested 0", "the cells of bags are 6 bags."},
		"miml.mat": {Options{Array: "bags"}, three, nil, "miml 0",
			"not part of the bag: targets"},
		"perbag.mat": {Options{}, three, []int{0, 1, 0}, "3", "labels are y."},
		"unordered.mat": {Options{BagBy: "bagID"}, three, nil, "7",
			"ignored arrays that are not part of the bag: y"},
		"counts.mat": {Options{}, []int{12}, nil, "counts",
			"ignored arrays that are not part of the bag: bag_sizes"},
		"words.mat": {Options{}, three, []int{1, 0, 1}, "3",
			"labels are x/nlab (0 is positive, 1 is negative)."},
	} {
		t.Run(file, func(t *testing.T) {
			set := must.Get(Read(file, shelfFile(t, file), c.options))(t)
			var sizes, classes []int
			for i := range set.Len() {
				bag := must.Get(set.Bag(i))(t)
				first := [...]float32{0, 2, 5}[i%3] + float32(i/3*100)
				must.Equal(t, bag.Values[0], first, i, bag.Values[:6])
				must.Equal(t, bag.Values[5], first+5./8, i, bag.Values[:6])
				sizes, classes = append(sizes, bag.Len()), append(classes, bag.Class...)
			}
			must.Equal(t, reflect.DeepEqual(sizes, c.sizes), true, set.Names(), sizes, classes)
			must.Equal(t, reflect.DeepEqual(classes, c.classes), true, set.Names(), sizes, classes)
			must.Equal(t, set.Names()[0], c.names, set.Names(), sizes, classes)
			must.Contain(t, strings.Join(set.Notes(), "\n"), c.note)
		})
	}
	words := Options{Classes: []string{"Negative", "Positive"}}
	set := must.Get(Read("words.mat", shelfFile(t, "words.mat"), words))(t)
	must.Equal(t, must.Get(set.Bag(1))(t).Class[0], 1)
}

// TestShelfAsks names the arrays of files that hold several lists of bags.
func TestShelfAsks(t *testing.T) {
	for file, want := range map[string]string{
		"variables.mat": "(it holds apple (12, 4), banana (12, 4)); array * makes a bag of each",
		"grid.mat":      "(it holds SIVAL (12, 4), SIVAL{2} (12, 4)); array * makes a bag of each",
		"miml.mat":      "(it holds bags (12, 4), targets (2, 3))",
	} {
		_, err := Read(file, shelfFile(t, file), Options{})
		if err == nil || typed(t, err) == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}
