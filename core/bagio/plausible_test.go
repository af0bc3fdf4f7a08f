package bagio

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// normal returns (k, d) numbers from a normal distribution.
func normal(k, d int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]float32, k*d)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// upperHalves returns the upper halves of numbers as the bytes of an array of the type <u2.
func upperHalves(values []float32) (data []byte) {
	for _, v := range values {
		data = append(data, byte(math.Float32bits(v)>>16), byte(math.Float32bits(v)>>24))
	}
	return data
}

// TestBfloat16Bits asks about the bits of bfloat16 in every type that holds them, and reads the
// same numbers after the answer.
func TestBfloat16Bits(t *testing.T) {
	values := normal(12, 8)
	halves := upperHalves(values)
	wide, floats := make([]byte, 0, 8*96), make([]float32, 96)
	for i := range values {
		v := uint16(halves[2*i]) | uint16(halves[2*i+1])<<8
		wide = append(wide, byte(v), byte(v>>8), 0, 0, 0, 0, 0, 0)
		floats[i] = float32(v)
	}
	for _, raw := range []Raw{
		{Type: "<u2", Data: halves}, {Type: "<i2", Data: halves}, {Type: "<i8", Data: wide},
		{Type: "<f4", Data: bytesOf(floats)},
	} {
		raw.Shape = []int{12, 8}
		_, err := ReadRaw("x", raw, Options{})
		var question *QuestionError
		if !errors.As(err, &question) || question.Option != "dtype" {
			t.Errorf("%s: %v", raw.Type, err)
			continue
		}
		for _, a := range question.Answers {
			raw.Data = slices.Clone(raw.Data)
			set := must.Get(ReadRaw("x", raw, Options{DType: a.Value}))(t)
			bag := must.Get(set.Bag(0))(t)
			for i, v := range values {
				kept := math.Float32frombits(math.Float32bits(v) &^ 0xffff)
				if (bag.Values[i] == kept) != (a.Value == "bfloat16") {
					t.Fatalf("%s as %s: value %d is %v, and %v was written", raw.Type, a.Value, i,
						bag.Values[i], kept)
				}
			}
		}
	}
}

// TestNotBfloat16 reads integers that are no bits of real numbers without a question, and refuses
// the answer bfloat16 for what cannot be its bits.
func TestNotBfloat16(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float32{
		"counts":   func() float32 { return float32(r.IntN(400)) },
		"pixels":   func() float32 { return float32(r.IntN(1 << 16)) },
		"float16":  func() float32 { return float32(11000 + r.IntN(6000)) },
		"classes":  func() float32 { return float32(r.IntN(2)) },
		"measures": func() float32 { return float32(16000 + r.IntN(100)) },
	} {
		values := make([]float32, 20*16)
		for i := range values {
			values[i] = draw()
		}
		raw := Raw{Type: "<f4", Shape: []int{20, 16}, Data: bytesOf(values)}
		must.Do(t, must.Err(ReadRaw("x", raw, Options{})), name)
	}
	raw := Raw{Type: "<f4", Shape: []int{2, 2}, Data: bytesOf([]float32{1, 2, .5, 3})}
	_, err := ReadRaw("x", raw, Options{DType: "bfloat16"})
	wantError(t, err, "x: its value 0.5 is not an integer of 16 bits, so that it does not hold "+
		"the bits of bfloat16; omit dtype")
	_, err = ReadRaw("x", raw, Options{DType: "int4"})
	var setting *core.SettingError
	must.As(t, err, &setting)
	must.Equal(t, setting.Setting, "dtype", err)
}

// TestDoubtfulValues checks the notes on values, and arrays beside each that have none.
func TestDoubtfulValues(t *testing.T) {
	zeros := normal(12, 8)
	clear(zeros[9*8:])
	repeated := normal(12, 8)
	copy(repeated[10*8:], repeated[:16])
	sparse := normal(12, 8)
	clear(sparse[3*8 : 4*8])
	clear(sparse[11*8:])
	one := normal(12, 8)
	copy(one[11*8:], one[:8])
	ended := normal(12, 8)
	copy(ended[10*8:], slices.Repeat([]float32{-1}, 16))
	huge := normal(12, 8)
	huge[0] = 3e30
	few := Raw{Type: "<f4", Shape: []int{12, 1}, Data: bytesOf(make([]float32, 12))}
	spread := make([]byte, 0, 192)
	for i := range 96 {
		spread = append(spread, byte(i*37), byte(i*5/2))
	}
	of := func(kind string, data []byte) Raw {
		return Raw{Type: kind, Shape: []int{12, 8}, Data: data}
	}
	for _, c := range []struct {
		name string
		raw  Raw
		note string // part of the only note; "" for none
	}{
		{"zeros at the end", of("<f4", bytesOf(zeros)), "the last 3 of 12 instances hold 0 " +
			"alone, as padding does, and count as instances; to leave them out, keep the others"},
		{"zeros elsewhere, too", of("<f4", bytesOf(sparse)), "2 of 12 instances, the first of " +
			"them 3, hold 0 alone"},
		{"minus one at the end", of("<f4", bytesOf(ended)), "the last 2 of 12 instances hold -1"},
		{"few features", Raw{Type: "<f4", Shape: []int{4, 2},
			Data: bytesOf([]float32{1, 2, 0, 0, 3, 4, 5, 6})}, ""},
		{"repeated", of("<f4", bytesOf(repeated)), "2 of 12 instances are copies of others, such " +
			"as 10 of 0"},
		{"one copy", of("<f4", bytesOf(one)), ""},
		{"one feature", few, ""},
		{"a wrong byte order", of(">f4", bytesOf(normal(12, 8))), "which no encoder returns"},
		{"one huge number", of("<f4", bytesOf(huge)), "feature 0 of instance 0 is 3e+30"},
		{"signed bytes", of("|i1", spread[:96]), "integers of 8 bits"},
		{"truth", of("|b1", spread[:96]), "true or false"},
		{"wide integers", of("<u2", spread), "integers of 16 bits from 0 to"},
		{"black pictures at the end", Raw{Type: "<f4", Shape: []int{6, 1, 4, 4},
			Data: append(bytesOf(normal(4, 16)), make([]byte, 128)...)}, "the last 2 of 6"},
		{"white pictures at the end", Raw{Type: "|u1", Shape: []int{6, 1, 4, 4},
			Data: append(slices.Clone(spread[:64]), slices.Repeat([]byte{255}, 32)...)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			notes := must.Get(ReadRaw("x", c.raw, Options{}))(t).Notes()
			if c.note == "" && len(notes) > 0 || c.note != "" &&
				(len(notes) != 1 || !strings.Contains(notes[0], c.note)) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// TestSeveralDoubtful names the first bag of a set, and counts the others.
func TestSeveralDoubtful(t *testing.T) {
	table := "bag,f1,f2\n"
	for b := range 3 {
		table += fmt.Sprintf("%d,1,2\n%d,3,4\n%d,0,0\n", b, b, b)
	}
	notes := must.Get(Read("t.csv", []byte(table), Options{}))(t).Notes()
	must.Equal(t, len(notes), 1, notes)
	must.Equal(t, strings.HasPrefix(notes[0], `t.csv: in bag "0", the last 1 of 3`), true, notes)
	must.Equal(t, strings.HasSuffix(notes[0], "and 2 other bags are alike."), true, notes)
}

// TestCrowded asks for the unit of coordinates, and has the places after each answer.
func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		name, header string
		rows         []string
		answers      string // values of the answers; "" for no question
	}{
		{"rows and columns", "x,y,patch_size", []string{"0,0,256", "1,0,256", "0,1,256"},
			"256 um px"},
		{"a small level", "x,y,patch_size", []string{"0,0,512", "32,0,512", "0,32,512"},
			"16 um px"},
		{"micrometres", "x_um,y_um,tile_size_um", []string{"0,0,64", "1,0,64", "0,1,64"},
			"64um um"},
		{"half overlapped", "x,y,patch_size", []string{"0,0,256", "128,0,256", "0,128,256"}, ""},
		{"no overlap, as stated", "x,y,patch_size,overlap",
			[]string{"0,0,256,0", "64,0,256,0", "0,64,256,0", "64,64,256,0"}, "4 um px"},
		{"overlap, as stated", "x,y,patch_size,overlap",
			[]string{"0,0,256,192", "64,0,256,192", "0,64,256,192", "64,64,256,192"}, ""},
		{"two parts that touch", "x,y,patch_size",
			[]string{"0,0,256", "256,0,256", "0,256,256", "9000,3,256", "9005,700,256"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := placedTable(c.header, c.rows...)
			set, err := Read("t.csv", file, Options{})
			var question *QuestionError
			if c.answers == "" {
				must.Do(t, err)
				must.Equal(t, set != nil, true)
				return
			}
			must.As(t, err, &question)
			must.Equal(t, question.Option, "coords-unit", err)
			var values []string
			for _, a := range question.Answers {
				values = append(values, a.Value)
				must.Do(t, must.Err(Read("t.csv", file, Options{CoordsUnit: a.Value})), a.Value)
			}
			must.Equal(t, strings.Join(values, " "), c.answers, err)
			// Patches lie side by side if the first answer holds.
			set = must.Get(Read("t.csv", file, Options{CoordsUnit: question.Answers[0].Value}))(t)
			if b := must.Get(set.Bag(0))(t).Boxes; b[1].Min.X != b[0].Max.X {
				t.Errorf("the second patch is at %v, the first at %v", b[1], b[0])
			}
		})
	}
}

// TestDoubtfulPlaces checks the notes on places that are hardly meant so.
func TestDoubtfulPlaces(t *testing.T) {
	for _, c := range []struct {
		name, header string
		rows         []string
		first        image.Rectangle // empty for a bag without places
		note         string          // part of the only note; "" for none
	}{
		{"all equal", "x,y,patch_size", []string{"5,6,9", "5,6,9", "5,6,9"}, image.Rectangle{},
			"have the place (5,6), which is not shown"},
		{"some equal", "x,y,patch_size", []string{"5,6,9", "5,6,9", "14,6,9"}, square(5, 6, 9),
			"1 of 3 patches have the place of another one"},
		{"equal in two bags", "bag,x,y,patch_size", []string{"a,5,6,9", "a,14,6,9", "b,5,6,9"},
			square(5, 6, 9), ""},
		{"negative", "x,y,patch_size", []string{"-5,6,9", "4,6,9"}, square(-5, 6, 9),
			"1 of 2 patches begin left of or above the slide"},
		{"fractions", "x,y,patch_size", []string{"0.1,0.2,9", "0.9,0.5,9", "0.4,0.1,9"},
			square(0, 0, 9), "lie between 0 and 1"},
		{"corners", "bag,x0,y0,x1,y1", []string{"a,0,0,9,9", "a,0,0,9,9", "a,9,9,18,18"},
			square(0, 0, 9), "1 of 3 patches have the place of another one"},
		{"wide pixels", "x,y,patch_size,mpp", []string{"0,0,9,250", "9,0,9,250"}, square(0, 0, 9),
			"a pixel of level 0 covers 250 micrometres"},
		{"usual pixels", "x,y,patch_size,mpp", []string{"0,0,9,.25", "9,0,9,.25"}, square(0, 0, 9),
			""},
		{"one patch", "x,y,patch_size", []string{"5,6,9"}, square(5, 6, 9), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := must.Get(Read("t.csv", placedTable(c.header, c.rows...),
				Options{CoordsUnit: "px"}))(t)
			bag := must.Get(set.Bag(0))(t)
			var first image.Rectangle
			if bag.Boxes != nil {
				first = bag.Boxes[0]
			}
			notes := set.Notes()
			must.Equal(t, first, c.first, notes, c.note)
			must.Equal(t, len(notes) <= 1, true, first, notes, c.first, c.note)
			must.Equal(t, strings.Contains(strings.Join(notes, " "), c.note), true, first, notes,
				c.first, c.note)
			must.Equal(t, c.note == "", len(notes) == 0, first, notes, c.first, c.note)
		})
	}
}

// TestLapped notes patches of a smaller level if nothing states an overlap, and has them side by
// side after the advice.
func TestLapped(t *testing.T) {
	grid := func(step int) (rows []string) {
		for i := range 36 {
			rows = append(rows, fmt.Sprintf("%d,%d,256", i%6*step, i/6*step))
		}
		return rows
	}
	for step, want := range map[int]string{256: "", 128: "", 64: "4", 32: "8", 60: "", 200: ""} {
		file := placedTable("x,y,patch_size", grid(step)...)
		set := must.Get(Read("t.csv", file, Options{}))(t)
		notes := strings.Join(set.Notes(), " ")
		_, unit, found := strings.Cut(notes, "state coords-unit ")
		if unit, _, _ = strings.Cut(unit, "."); unit != want || found != (want != "") {
			t.Errorf("%d apart: notes %q", step, notes)
			continue
		}
		if !found {
			continue
		}
		set = must.Get(Read("t.csv", file, Options{CoordsUnit: unit}))(t)
		if b := must.Get(set.Bag(0))(t).Boxes; b[1].Min.X != b[0].Max.X || set.Notes() != nil {
			t.Errorf("%d apart: %v and %v, notes %q", step, b[0], b[1], set.Notes())
		}
	}
}

// TestOutsideOfSlide notes patches beyond the sides that the file states.
func TestOutsideOfSlide(t *testing.T) {
	g := groundOf(attributes{"level0_width": 100., "level0_height": 80., "patch_size_level0": 20.,
		"tile_size_um": []float64{}}, "coords")
	s := must.Get(oneBag("x", &Array{Shape: []int{2, 1}, dtype: dtype{kind: 'f', size: 4},
		data: make([]byte, 8), file: "x"}, Options{}))(t)
	must.Do(t, s.place(&places{file: "x", axes: 2, corners: []float64{0, 0, 100, 0}}, g))
	notes := must.Get(plausible(s, nil))(t).Notes()
	if len(notes) != 1 || !strings.Contains(notes[0], "1 of 2 patches lie outside of the slide of "+
		"100 x 80 pixels; coords-unit states") {
		t.Errorf("%q", notes)
	}
}

// TestPlausibleFiles expects no doubt about the committed files: those of examples, of tools and of
// models.
func TestPlausibleFiles(t *testing.T) {
	root := filepath.Dir(testfile.Path(t, ""))
	read := 0
	for _, pattern := range []string{"examples/*/*.npz", "examples/*/*.h5", "testdata/corpus/*",
		"testdata/models/zoo/*/bag_*.npy", "www/tests/data/files/*", "core/bagio/testdata/*.np?"} {
		for _, path := range must.Get(filepath.Glob(filepath.Join(root, pattern)))(t) {
			set, err := Read(filepath.Base(path), must.Get(os.ReadFile(path))(t), Options{})
			var question *QuestionError
			if errors.As(err, &question) {
				t.Error(err)
			}
			if err != nil {
				continue // a model, or a file that needs options
			}
			read++
			for _, check := range plausibility {
				if note, _ := check(set); note != "" {
					t.Errorf("%s: %s", path, note)
				}
			}
		}
	}
	must.Equal(t, read >= 50, true, read)
}

// TestPlausibleShared expects doubts about the restricted files that earn them alone.
func TestPlausibleShared(t *testing.T) {
	doubtful := map[string]string{
		"cases/more/bf16_u2.h5": "look like the bits of bfloat16",
		"cases/more/rowcol.h5":  "lie 1 apart",
		"cases/more/zeros.h5":   "2 of 12 instances",
		"cases/qupath.tsv":      "10 of 30 patches begin left", // a middle at (0, 0)
	}
	folders := []string{testfile.Restricted(t, "cases"), testfile.Restricted(t, "data")}
	read := 0
	for _, folder := range folders {
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "onnx_node_tests") {
				return err
			}
			name := filepath.ToSlash(must.Get(filepath.Rel(filepath.Dir(folder), path))(t))
			set, err := Read(filepath.Base(path), must.Get(os.ReadFile(path))(t), Options{})
			doubts := ""
			var question *QuestionError
			switch {
			case errors.As(err, &question):
				doubts = err.Error()
			case err != nil:
				return nil // a model, or a file that needs options
			default:
				read++
				for _, check := range plausibility {
					note, _ := check(set)
					doubts += note
				}
			}
			if want := doubtful[name]; !strings.Contains(doubts, want) || want == "" &&
				doubts != "" {
				t.Errorf("%s: %q, want %q", name, doubts, want)
			}
			return nil
		}))
	}
	must.Equal(t, read >= 20, true, read)
}
