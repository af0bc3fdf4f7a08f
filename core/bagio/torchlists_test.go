package bagio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// torchNumber is the pickle of an integer, and torchText that of a text.
func torchNumber(n int) string {
	return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

func torchText(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// tensorOf is the pickle of a contiguous tensor that begins at an element of the storage 0.
func tensorOf(first int, shape ...int) string {
	step, sizes, strides := 1, "", ""
	for _, d := range slices.Backward(shape) {
		sizes, strides = torchNumber(d)+sizes, torchNumber(step)+strides
		step *= d
	}
	return "ctorch._utils\n_rebuild_tensor_v2\n((" + torchText("storage") +
		"ctorch\nFloatStorage\n" + torchText("0") + torchText("cpu") + torchNumber(100) + "tQ" +
		torchNumber(first) + "(" + sizes + "t(" + strides + "t\x89NtR"
}

// listOf is the pickle of a list, and dictOf that of a dict of keys and values.
func listOf(items ...string) string { return "](" + strings.Join(items, "") + "e" }

func dictOf(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

// countingFile is a file of torch.save whose storage 0 has the numbers 0 to 99.
func countingFile(t *testing.T, program string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	var values []float32
	for i := range 100 {
		values = append(values, float32(i))
	}
	var storage bytes.Buffer
	must.Do(t, binary.Write(&storage, binary.LittleEndian, values))
	for name, data := range map[string]string{"a/data.pkl": "\x80\x02" + program + ".",
		"a/data/0": storage.String()} {
		m := must.Get(w.Create(name))(t)
		m.Write([]byte(data))
	}
	w.Close()
	return file.Bytes()
}

// TestTorchLists checks what lists of tensors are: bags of vectors, sets of bags, or features with
// lists beside them.
func TestTorchLists(t *testing.T) {
	vectors := listOf(tensorOf(0, 3), tensorOf(10, 3))
	for _, c := range []struct {
		name, program string
		bags          [][]float32
		note          string
	}{
		{"vectors", vectors, [][]float32{{0, 1, 2, 10, 11, 12}},
			"x.pt is a list of 2 vectors: each is an instance of one bag."},
		{"one vector", listOf(tensorOf(5, 3)), [][]float32{{5, 6, 7}}, "list of 1 vectors"},
		{"bags", listOf(tensorOf(0, 2, 3), tensorOf(10, 1, 3)),
			[][]float32{{0, 1, 2, 3, 4, 5}, {10, 11, 12}},
			"x.pt is a list of 2 tensors: each is a bag."},
		{"vectors in a dict", dictOf(torchText("features"), vectors, torchText("n"), "K\x02"),
			[][]float32{{0, 1, 2, 10, 11, 12}}, "x.pt/features is a list of 2 vectors"},
		{"vectors by another name", dictOf(torchText("slide"), vectors),
			[][]float32{{0, 1, 2, 10, 11, 12}}, "x.pt/slide is a list of 2 vectors"},
		{"bags in a dict", dictOf(torchText("x"),
			listOf(tensorOf(0, 1, 3), tensorOf(10, 2, 3))),
			[][]float32{{0, 1, 2}, {10, 11, 12, 13, 14, 15}}, "x.pt/x is a list of 2 tensors"},
		{"other lists", dictOf(torchText("uni"), tensorOf(0, 2, 3), torchText("loss"), vectors),
			[][]float32{{0, 1, 2, 3, 4, 5}}, "ignored"},
		{"a label behind the bag", listOf(tensorOf(0, 2, 3), tensorOf(50, 1)),
			[][]float32{{0, 1, 2, 3, 4, 5}}, "ignored"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(Read("x.pt", countingFile(t, c.program), Options{}))(t)
			must.Equal(t, s.Len(), len(c.bags))
			for i, want := range c.bags {
				b := must.Get(s.Bag(i))(t)
				must.EqualSlices(t, b.Values, want, i, b.Stride())
				must.Equal(t, b.Stride(), 3, i, b.Values, want)
			}
			must.Contain(t, strings.Join(s.Notes(), " "), c.note)
		})
	}
}

// TestTorchListOfPlaces checks that a list of coordinates belongs to a list of vectors.
func TestTorchListOfPlaces(t *testing.T) {
	s := must.Get(Read("x.pt", countingFile(t, dictOf(
		torchText("features"), listOf(tensorOf(0, 3), tensorOf(10, 3)),
		torchText("coords"), listOf(tensorOf(0, 2), tensorOf(60, 2)))), Options{PatchSide: 8}))(t)
	b := must.Get(s.Bag(0))(t)
	if len(b.Boxes) != 2 || b.Boxes[1].Min.X != 60 || b.Boxes[1].Max.Y != 69 {
		t.Errorf("places are %v", b.Boxes)
	}
}

// TestTorchListRefusals checks lists that could be read in two ways, or in none.
func TestTorchListRefusals(t *testing.T) {
	for _, c := range []struct{ name, program, want string }{
		{"lengths", listOf(tensorOf(0, 3), tensorOf(0, 4)), "vectors of different lengths"},
		{"mixture", listOf(tensorOf(0, 3), tensorOf(0, 2, 3)), "vectors and matrices of the same"},
		{"rows", listOf(tensorOf(0, 1, 3), tensorOf(5, 1, 3)), "save torch.cat of the list"},
		{"widths", listOf(tensorOf(0, 2, 3), tensorOf(0, 2, 4)), "choose one by its name"},
		{"too large", listOf(slices.Repeat([]string{tensorOf(0, 100)}, 400)...), "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("x.pt", countingFile(t, c.program),
				Options{Limits: Limits{Elements: 30_000}})
			must.Equal(t, err != nil, true, err, c.want)
			must.Contain(t, err.Error(), c.want)
		})
	}
}
