package bagio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// A reading is a call of ReadFiles.
type reading struct {
	name  string
	files []File
	o     Options
}

// result returns what a read gives: bags with all that they hold, the number of notes, and the
// bytes that were reserved; or the type of the error and what it names. Wording does not count.
func (r reading) result() string {
	m := quota.NewMemory(1 << 30)
	r.o.Limits.Memory = m
	set, err := ReadFiles(r.files, r.o)
	if err != nil {
		return fmt.Sprintf("%T %s", err, fields(err))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d notes, %d bytes", len(set.Notes()), m.Peak())
	for i := range set.Len() {
		bag, err := set.Bag(i)
		if err != nil {
			fmt.Fprintf(&out, "; %T %s", err, fields(err))
			continue
		}
		fmt.Fprintf(&out, "; %q %v raw %t at %v labels %v %v values %v covariates %v", bag.Name,
			bag.Shape, bag.Raw, bag.Boxes, bag.Class, bag.Labels, bag.Values, bag.Covariates)
		if bag.Slide != nil {
			fmt.Fprintf(&out, " slide %+v", *bag.Slide)
		}
		if bag.Relations != nil {
			fmt.Fprintf(&out, " relations %+v", *bag.Relations)
		}
		if p := set.Picture(i); p != nil {
			fmt.Fprintf(&out, " picture %v %v", p.Bounds(), p.At(1, 1))
		}
	}
	return out.String()
}

// fields returns what errors name beside their words.
func fields(err error) string {
	var format *FormatError
	var question *QuestionError
	var setting *core.SettingError
	switch {
	case errors.As(err, &question):
		return fmt.Sprint(question.File, question.Option, len(question.Answers))
	case errors.As(err, &setting):
		return setting.Setting
	case errors.As(err, &format):
		return fmt.Sprint(format.File, format.Row, format.Column, format.Arrays)
	}
	return ""
}

// TestReads reads the files of all tests with the usual options, and random tables, arrays,
// pictures and folders of tiles, whose names and values decide what they hold. Results have the
// bytes that are reserved.
func TestReads(t *testing.T) {
	var all []reading
	r := rand.New(rand.NewPCG(8, 8))
	all = append(all, committedReads(t)...)
	for _, one := range all {
		all = append(all, damagedReads(t, r, one)...)
	}
	for n := range 120 {
		all = append(all, drawnNIfTI(r, n))
	}
	for n := range 500 {
		all = append(all, drawnTable(r, n))
	}
	for n := range 300 {
		all = append(all, drawnArrays(t, r, n))
	}
	for n := range 120 {
		all = append(all, drawnPicture(t, r, n))
	}
	var names, results []string
	for _, one := range all {
		names, results = append(names, one.name), append(results, one.result())
	}
	testfile.Recorded(t, "testdata/reads.txt", *update, names, results)
}

// committedReads reads the committed files of the tests.
func committedReads(t *testing.T) (all []reading) {
	files := samples(t)
	files["weka.arff"] = []byte(weka)
	files["a.svm"] = []byte("2 qid:7 1:1 2:.5\n0 qid:3 1:2\n2 qid:7 2:3 3:-1\n")
	for _, pattern := range []string{"columnar/*.feather", "columnar/*.parquet", "columnar/*.csv",
		"nifti/*.nii*", "zarr/*.zip", "torch/*.pt", "torch/*.safetensors", "*.npz", "*.npy"} {
		for _, file := range must.Get(filepath.Glob("testdata/" + pattern))(t) {
			files[filepath.Base(file)] = must.Get(os.ReadFile(file))(t)
		}
	}
	for _, name := range []string{"cells73.mat", "structs73.mat", "sparse73.mat", "csr.npz",
		"csc.npz", "coo.npz", "slides.npz", "ids.npz", "groups.h5", "listed.h5", "raw.h5ad",
		"spatial.zarr.zip", "bfloat16.h5", "table.h5"} {
		files[name] = heldFile(t, name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for at, o := range []Options{{}, {Array: "*", Patch: PatchOptions{Size: 4}},
			{BagBy: "slide", SlideMPP: .5, PatchSide: 100, CoordsUnit: "um"}} {
			all = append(all, reading{fmt.Sprint(name, " ", at),
				[]File{{Name: name, Data: bytes.Clone(files[name])}}, o})
		}
	}
	for _, name := range []string{"mat-andrews.mat", "mat-prtools.mat", "mat-cells.mat",
		"mat-turned.mat", "mat-pairs.mat", "mat-structs.mat", "mat-columns.mat", "mat-v73.mat"} {
		for _, o := range []Options{{}, {BagBy: "flag", Columns: "site=label;data{2}=label"}} {
			all = append(all, reading{name + " " + o.BagBy, toolFiles(t, name), o})
		}
	}
	for _, layout := range toolLayouts {
		all = append(all, reading{layout.tool, toolFiles(t, layout.files...), layout.options})
	}
	return all
}

// damagedReads damages the first file of a reading, in archives also a member of it.
func damagedReads(t *testing.T, r *rand.Rand, of reading) (all []reading) {
	for n := range 3 {
		one := of
		one.name = fmt.Sprint(of.name, ", damage ", n)
		one.files = slices.Clone(of.files)
		one.o.Limits = small
		data := bytes.Clone(of.files[0].Data)
		if members := membersOf(t, data); n > 0 && members != nil {
			data = damagedMember(t, members, r.IntN(len(members)), r)
		} else {
			data = damage.Bytes(data, r)
		}
		one.files[0].Data = data
		all = append(all, one)
	}
	return all
}

// drawnNIfTI returns a volume.
func drawnNIfTI(r *rand.Rand, n int) reading {
	v := niftiFile{order: oneOf[binary.ByteOrder](r, binary.LittleEndian, binary.BigEndian),
		version: 1 + r.IntN(2), slope: oneOf[float64](r, 0, 1, 2), inter: oneOf[float64](r, 0, -3),
		dtype: oneOf(r, 2, 4, 8, 16, 64, 256, 512, 1, 128)}
	for range oneOf(r, 2, 3, 3, 3, 4, 5) {
		v.dims = append(v.dims, int64(1+r.IntN(4)))
	}
	if r.IntN(3) > 0 {
		scale := []float64{oneOf[float64](r, 1, -2, .5), oneOf[float64](r, 1, -1), 3}
		axes := r.Perm(3)
		v.srow = make([]float64, 12)
		for row, axis := range axes {
			v.srow[4*row+axis] = scale[row]
			v.srow[4*row+3] = float64(r.IntN(9))
		}
	}
	v.voxels = make([]byte, 8*4*4*4*4*4)
	for i := range v.voxels {
		v.voxels[i] = byte(r.IntN(64))
	}
	o := Options{SliceAxes: oneOf(r, "", "", "SPL", "kij", "ijk", "xyz"), Series: oneOf(r, "", "",
		"1", "2", "x"), Window: oneOf(r, "", "40,400", "10,5"),
		InstanceShape: oneOf(r, nil, nil, []int{1, 2, 2}, []int{3, -1, -1})}
	return reading{fmt.Sprint("volume ", n), []File{{Name: "v.nii", Data: v.file()}}, o}
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// columnNames are names that say what a column holds, by the cells that fit them.
var columnNames = [][]string{
	{"bag", "slide_id", "case_id", "id", "name", "patient", "filename", "ID", "Bag"},
	{"label", "target", "y_true", "class", "LABEL", "sex", "response"},
	{"f1", "f2", "f3", "feature_3", "0", "1", "2", "Area", "Mean Intensity", "age"},
	{"x", "y", "x0", "y0", "x1", "y1", "minx", "miny", "width", "height", "left", "top", "right",
		"bottom", "Centroid X µm", "Centroid Y µm", "coord_x", "coord_y"},
	{"instance_label", "tumour", "class_name"},
	{"Unnamed: 0", "", "index", "row"},
}

// columnGroups are columns that belong together.
var columnGroups = [][]string{{"x", "y"}, {"x0", "y0", "x1", "y1"}, {"left", "top", "right",
	"bottom"}, {"coord_x", "coord_y"}, {"minx", "miny", "width", "height"},
	{"Centroid X µm", "Centroid Y µm"}}

// drawnCell returns a cell of a kind, in an instance of a bag.
func drawnCell(r *rand.Rand, kind, instance, bag int) string {
	switch kind {
	case 0:
		return fmt.Sprintf("slide %c", 'a'+bag)
	case 1:
		return oneOf(r, fmt.Sprint(bag%2), fmt.Sprint(bag%2), fmt.Sprint(bag%2), "0")
	case 2:
		return fmt.Sprintf("%.3f", r.NormFloat64()*10)
	case 3:
		return fmt.Sprint(256 * r.IntN(6))
	case 4:
		return fmt.Sprint(r.IntN(3) - 1)
	case 5:
		return fmt.Sprint(instance)
	}
	return oneOf(r, "tumour", "normal", "1.5", "", "nan", "-2")
}

// drawnTable returns a table of random columns, most of which have cells that fit their names.
func drawnTable(r *rand.Rand, n int) reading {
	rows, bags := 1+r.IntN(14), 1+r.IntN(4)
	var names []string
	var kinds []int
	for range 1 + r.IntN(5) {
		kind := oneOf(r, 0, 1, 2, 2, 2, 3, 4, 5)
		name := oneOf(r, columnNames[kind]...)
		if slices.Contains(names, name) {
			continue
		}
		if r.IntN(8) == 0 {
			kind = r.IntN(7)
		}
		names, kinds = append(names, name), append(kinds, kind)
	}
	if r.IntN(2) == 0 {
		for _, name := range oneOf(r, columnGroups...) {
			if !slices.Contains(names, name) {
				names, kinds = append(names, name), append(kinds, 3)
			}
		}
	}
	cells := [][]string{names}
	for i := range rows {
		var row []string
		for _, kind := range kinds {
			row = append(row, drawnCell(r, kind, i, i*bags/rows))
		}
		cells = append(cells, row)
	}
	ending := oneOf(r, ".csv", ".csv", ".tsv", ".txt")
	between := oneOf(r, ",", ";", "\t")
	if ending == ".tsv" {
		between = "\t"
	}
	text := ""
	for i, row := range cells {
		if i > 0 || r.IntN(12) > 0 {
			text += strings.Join(row, between) + oneOf(r, "\n", "\r\n")
		}
	}
	data := []byte(text)
	if r.IntN(10) == 0 { // a text of UTF-16
		data = []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			data = append(data, byte(unit), byte(unit>>8))
		}
	}
	o := Options{CoordsUnit: oneOf(r, "", "", "um", "4", "0.5um"), SlideMPP: oneOf(r, 0, 0, .5),
		PatchSide: oneOf(r, 0, 0, 256), Classes: oneOf(r, nil, nil, []string{"normal", "tumour"})}
	switch r.IntN(8) {
	case 0:
		o.Columns = oneOf(r, "#1=bag", "f*=feature", "x=feature;y=feature", "Area=label",
			"#2=skip; #3=label", "bag=name", "age=skip")
	case 1:
		o.BagBy = oneOf(r, names...)
	case 2:
		o.Covariates = []core.CovariateInput{{Name: "age"}}
	}
	return reading{fmt.Sprint("table ", n), []File{{Name: "table" + ending, Data: data}}, o}
}

// drawnArrays returns an archive of arrays with random names and shapes, or one array.
func drawnArrays(t *testing.T, r *rand.Rand, n int) reading {
	k, d := 2+r.IntN(8), 1+r.IntN(4)
	shapes := [][]int{{k, d}, {k, d}, {k, d}, {k, 2}, {k, 4}, {k}, {k}, {2}, {1}, {3}, {1, k, d},
		{d, k}, {k, 1, d}, {k, k}, {2, k}, {k, d, 2}, {}}
	var members []member
	used := map[string]bool{}
	if r.IntN(3) > 0 {
		used["features"] = true
		members = append(members, floats("features", k*d, k, d))
	}
	for range 1 + r.IntN(5) {
		name := oneOf(r, "instances", "features", "feats", "X", "coords", "places", "boxes",
			"labels", "label", "y", "instance_labels", "offsets", "names", "slide_id", "bag_ids",
			"age", "edges", "edge_index", "adjacency", "uni/features", "mpp", "patch_size", "other")
		if used[name] {
			continue
		}
		used[name] = true
		if name == "names" || r.IntN(12) == 0 {
			var words []string
			for i := range oneOf(r, 1, 2, k) {
				words = append(words, fmt.Sprint("slide ", i%2))
			}
			members = append(members, wordsOf(name, words...))
			continue
		}
		shape := oneOf(r, shapes...)
		values := make([]float32, product(shape))
		scale := oneOf[float32](r, 1, 1, 1, 256, .25)
		limit := oneOf(r, 2, 3, 9)
		for i := range values {
			values[i] = scale * float32(r.IntN(limit)-r.IntN(2)*r.IntN(2))
		}
		if name == "offsets" && len(values) > 0 {
			clear(values)
			values[len(values)-1] = float32(k)
		}
		members = append(members, member{name, func(w io.Writer) error {
			return WriteNpy(w, shape, values)
		}})
	}
	file := File{Name: "arrays.npz", Data: npz(t, members...)}
	if r.IntN(5) == 0 {
		var one bytes.Buffer
		must.Do(t, members[0].write(&one))
		file = File{Name: "array.npy", Data: one.Bytes()}
	}
	o := Options{Array: oneOf(r, "", "", "", "", "", "", "features", "*"),
		InstanceShape: oneOf(r, nil, nil, nil, []int{d}, []int{-1}),
		Axis:          r.IntN(2), Layout: oneOf(r, nil, nil, []int{d, -1}, []int{1, d, -1}),
		Batch: r.IntN(3) == 0, PatchSide: oneOf(r, 0, 0, 16), SlideMPP: oneOf(r, 0, 0, .25),
		CoordsUnit: oneOf(r, "", "", "um", "2"), Adjacency: oneOf(r, "", "", "", "knn(2)")}
	if r.IntN(5) == 0 {
		o.Covariates = []core.CovariateInput{{Name: "age"}}
	}
	return reading{fmt.Sprint("arrays ", n), []File{file}, o}
}

// drawnPicture returns a picture that is cut, or tiles with places in their names.
func drawnPicture(t *testing.T, r *rand.Rand, n int) reading {
	o := Options{Patch: PatchOptions{Size: oneOf(r, 0, 4, 8, 27), Stride: oneOf(r, 0, 0, 2, 8),
		Background: oneOf[float64](r, 0, 0, 120, 256), Channels: oneOf(r, 0, 1, 3)},
		InstanceShape: oneOf(r, nil, nil, []int{3, 4, 4}, []int{1, 8, 8}, []int{6})}
	if r.IntN(2) == 0 {
		img := noise(image.Point{}, 4+r.IntN(24), 4+r.IntN(24))
		return reading{fmt.Sprint("picture ", n), []File{{Name: "a.png", Data: pngFile(t, img)}}, o}
	}
	form := oneOf(r, "s1_x%d_y%d.png", "a/tile_(%d,%d).png", "%05dx_%05dy.png", "row_%d_col_%d.png",
		"a [x=%d,y=%d,w=4,h=4].png", "%d_%d.png", "tumour/%d-%d.png", "b%d/%d.png")
	step := oneOf(r, 1, 4, 8)
	var names []string
	for at := range 1 + r.IntN(6) {
		names = append(names, path.Clean(fmt.Sprintf(form, step*(at%2), step*(at/2))))
	}
	return reading{fmt.Sprint("tiles ", n), tiles(t, names...), o}
}
