package bagio

import (
	"path"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Vectors are the vectors of a file, in float64: of one bag, prototypes of classes, texts, or the
// weights of a linear probe.
type Vectors struct {
	Names []string    // (vector)
	Rows  [][]float64 // (vector) equally long
	Bias  []float64   // (vector) the bias of a probe, 0 if the file has none; nil for other vectors

	numbers int      // the numbers of all vectors
	of      []string // (vector) its name, or that of its array for one of several without names
}

// Bags returns a bag for each name. Several vectors of an array without names are one bag, with the
// array's name.
func (v *Vectors) Bags() []*core.Bag {
	var bags []*core.Bag
	at := map[string]*core.Bag{}
	for n, row := range v.Rows {
		bag := at[v.of[n]]
		if bag == nil {
			bag = &core.Bag{Name: v.of[n], Shape: []int{len(row)}}
			at[bag.Name] = bag
			bags = append(bags, bag)
		}
		for _, x := range row {
			bag.Values = append(bag.Values, float32(x))
		}
	}
	return bags
}

// mostOfVectors bounds the numbers of all vectors of a file: 128 MiB.
const mostOfVectors = 1 << 24

// Names by which files of vectors call their arrays.
var (
	probeWeights = []string{"weight", "weights", "coef_", "coef"}
	probeBiases  = []string{"bias", "intercept_", "intercept"}
	namesOfRows  = []string{"names", "classes", "class_names"}
)

// ReadVectors reads a file of vectors: an .npy file of shape (d) or (n, d), or an .npz, .pt or
// .safetensors file. Of the latter, an array (d) or (1, d) is a vector with the array's name, an
// array (n, d) has n vectors, which an array of text called names names. Arrays called weight and
// bias are those of a probe. Errors are a *FormatError or a *LimitError.
func ReadVectors(name string, data []byte, l Limits) (*Vectors, error) {
	l = l.withDefaults()
	if err := l.bytes(name, int64(len(data))); err != nil {
		return nil, err
	}
	s, err := unzippedSource(inMemory(name, data), Options{Limits: l})
	if err != nil {
		return nil, err
	}
	v := &Vectors{}
	if magic(npyMagic)(s.head) {
		a, err := readNpy(s, l)
		if err != nil {
			return nil, err
		}
		return v, v.add(a, baseName(name), nil)
	}
	var n *namedArrays
	switch {
	case isTorch(s):
		n, err = torchArrays(s, l)
	case isSafetensors(s):
		n, err = safetensorsArrays(s, l)
	case magic("PK\x03\x04", "PK\x05\x06")(s.head):
		var a *archive
		if a, err = openArchive(s, l); err == nil {
			n, err = a.named()
		}
	default:
		return nil, bad(name, "vectors are read from .npy, .npz, .pt and .safetensors files; "+
			"write them by numpy.save, or with names by numpy.savez")
	}
	if err != nil {
		return nil, err
	}
	return v, v.take(n)
}

// take adds the vectors of named arrays.
func (v *Vectors) take(n *namedArrays) error {
	names, err := n.namesOfVectors()
	if err != nil {
		return err
	}
	weight, wrong := n.find(probeWeights)
	if wrong != nil {
		return wrong
	}
	if weight == nil {
		for _, array := range n.arrays {
			if !named(array, namesOfRows) {
				if err := v.read(array, path.Base(array.name), names); err != nil {
					return err
				}
			}
		}
		if len(v.Rows) == 0 {
			return bad(n.file, "it holds no vectors, but %s", n.list())
		}
		return nil
	}
	if err := v.read(*weight, baseName(n.file), names); err != nil {
		return err
	}
	v.Bias = make([]float64, len(v.Rows))
	bias, wrong := n.find(probeBiases)
	if wrong != nil || bias == nil {
		return asError(wrong)
	}
	a, err := bias.read()
	if err != nil {
		return err
	}
	if product(a.Shape) != len(v.Rows) {
		return bad(n.file, "its array %s has shape %s for %d rows of weights", bias.name,
			shapeText(a.Shape), len(v.Rows))
	}
	v.Bias, err = a.float64s(0, len(v.Rows))
	return err
}

// asError returns an error, or nil for none: an interface that holds a nil pointer is not nil.
func asError(e *FormatError) error {
	if e == nil {
		return nil
	}
	return e
}

// named reports whether the last name of an array is among words.
func named(a namedArray, words []string) bool {
	found, _ := (&namedArrays{arrays: []namedArray{a}}).find(words)
	return found != nil
}

// namesOfVectors returns the array of text that names the rows of another, or nil.
func (n *namedArrays) namesOfVectors() ([]string, error) {
	names, wrong := n.find(namesOfRows)
	if wrong != nil || names == nil {
		return nil, asError(wrong)
	}
	a, err := names.read()
	if err != nil {
		return nil, err
	}
	return a.words()
}

// read reads an array and adds its vectors.
func (v *Vectors) read(array namedArray, name string, names []string) error {
	a, err := array.read()
	if err != nil {
		return err
	}
	return v.add(a, name, names)
}

// add adds the vectors of an array, (d), (1, d) or (n, d). One vector has the array's name unless
// names has one for it; several without names are numbered.
func (v *Vectors) add(a *Array, name string, names []string) error {
	rows, d := 1, product(a.Shape)
	if len(a.Shape) == 2 {
		rows, d = a.Shape[0], a.Shape[1]
	}
	if len(a.Shape) < 1 || len(a.Shape) > 2 || d == 0 {
		return bad(a.file, "it has shape %s; a vector has shape (d) or (1, d), several have (n, d)",
			shapeText(a.Shape))
	}
	if n := len(a.data) / a.dtype.size; n > mostOfVectors-v.numbers {
		return bad(a.file, "it has %d numbers, and all vectors of a file have up to %d", n,
			mostOfVectors)
	}
	v.numbers += rows * d
	if names != nil && len(names) != rows {
		return bad(a.file, "it has shape %s, and the file has %d names of vectors",
			shapeText(a.Shape), len(names))
	}
	for i := range rows {
		row, err := a.float64s(i*d, d)
		if err != nil {
			return err
		}
		if len(v.Rows) > 0 && len(v.Rows[0]) != d {
			return bad(a.file, "it has vectors of %d numbers, and those of %s have %d", d,
				v.Names[0], len(v.Rows[0]))
		}
		of := name
		if names != nil {
			of = names[i]
		}
		v.of, v.Rows = append(v.of, of), append(v.Rows, row)
		if names == nil && rows > 1 {
			of = msg.Sprintf("%s %s", strings.TrimSpace(name), strconv.Itoa(i))
		}
		v.Names = append(v.Names, of)
	}
	return nil
}
