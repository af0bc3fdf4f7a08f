package ask

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A madeFile is a file of random size whose truth is known.
type madeFile struct {
	name string
	data []byte
	// truth holds the topics that sentences about the file must have. Topics that are not in it
	// must not be in any sentence.
	truth []string
	says  string // what a sentence must have word for word, or ""
	// instances is the number of instances that are read, or of a bag that a model explains; 0 if
	// the file is refused.
	instances int
	width     int // number of features of an instance
	// second is the place of the second instance, if the file states places.
	second  image.Rectangle
	options bagio.Options // how it is read as bags
	microns float64       // a slide's patches have so many for each pixel, 0 for those of level 0
}

// madeKinds makes bags by kind, and madeModels models.
var (
	madeKinds = map[string]func(t *testing.T, r *rand.Rand) madeFile{
		"float32": func(_ *testing.T, r *rand.Rand) madeFile { return npyOf(r, "<f4") },
		"float64": func(_ *testing.T, r *rand.Rand) madeFile { return npyOf(r, ">f8") },
		"bfloat16": func(_ *testing.T, r *rand.Rand) madeFile {
			f := npyOf(r, "<f4")
			words := make([]byte, 0, len(f.data)/2)
			values := f.data[npyHead:]
			for i := 2; i < len(values); i += 4 {
				words = append(words, values[i], values[i+1])
			}
			f.data, f.instances = npy("<u2", f.instances, f.width, words), 0
			f.truth = []string{"bfloat16"}
			return f
		},
		"counts": func(_ *testing.T, r *rand.Rand) madeFile {
			return integers(r, "<i4", 4, func() int { return r.IntN(1000) })
		},
		"int8": func(_ *testing.T, r *rand.Rand) madeFile {
			f := integers(r, "|i1", 1, func() int { return 1 + r.IntN(100) })
			f.truth = []string{"8 bits"}
			return f
		},
		"truth values": func(_ *testing.T, r *rand.Rand) madeFile {
			f := integers(r, "|b1", 1, func() int { return 1 })
			for i := range f.instances { // no row is equal to another one, or to zeros
				for j := range 7 {
					f.data[npyHead+i*f.width+j] = byte(i >> j & 1)
				}
			}
			f.truth = []string{"true or false"}
			return f
		},
		"padded": func(_ *testing.T, r *rand.Rand) madeFile {
			f := npyOf(r, "<f4")
			n := 1 + r.IntN(f.instances-1)
			clear(f.data[len(f.data)-4*n*f.width:])
			f.truth = []string{"padding"}
			f.says = fmt.Sprintf("the last %d of %d instances hold 0 alone", n, f.instances)
			return f
		},
		"zeros in the middle": func(_ *testing.T, r *rand.Rand) madeFile {
			f := npyOf(r, "<f4")
			at := r.IntN(f.instances - 1)
			clear(f.data[npyHead+4*at*f.width:][:4*f.width])
			f.truth = []string{"padding"}
			f.says = fmt.Sprintf("1 of %d instances, the first of them %d, hold 0 alone",
				f.instances, at)
			return f
		},
		"copies": func(_ *testing.T, r *rand.Rand) madeFile {
			f := npyOf(r, "<f4")
			n := max(2, (f.instances+9)/10)
			for i := range n {
				copy(f.data[npyHead+4*f.width*(f.instances-1-i):][:4*f.width],
					f.data[npyHead+4*f.width*i:])
			}
			f.truth = []string{"copies"}
			f.says = fmt.Sprintf("%d of %d instances are copies", n, f.instances)
			return f
		},
		"cut off": func(_ *testing.T, r *rand.Rand) madeFile {
			f := npyOf(r, "<f4")
			f.data = f.data[:npyHead+r.IntN(len(f.data)-npyHead)]
			f.truth, f.instances = []string{"damage"}, 0
			return f
		},
		"table": func(_ *testing.T, r *rand.Rand) madeFile {
			return table(r, []string{",", ";", "\t"}[r.IntN(3)])
		},
		"LIBSVM": func(_ *testing.T, r *rand.Rand) madeFile {
			text, rows := "", 2+r.IntN(30)
			for range rows {
				text += fmt.Sprint(r.IntN(2))
				for j := range 3 + r.IntN(9) {
					text += fmt.Sprintf(" %d:%.3f", j+1, r.NormFloat64())
				}
				text += "\n"
			}
			f := other(r, text, "", "csv", "txt", "svm")
			f.instances, f.says = rows, "the first numbers of lines"
			return f
		},
		"ARFF": func(_ *testing.T, r *rand.Rand) madeFile {
			f := table(r, ",")
			_, rows, _ := strings.Cut(string(f.data), "\n")
			text := "% made\n@relation bags\n"
			for j := range f.width {
				text += fmt.Sprintf("@attribute f%d numeric\n", j)
			}
			return other(r, text+"@data\n"+rows, "ARFF", "arff", "csv", "txt")
		},
		"web page": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, "<!DOCTYPE html>\n<html><body>"+strings.Repeat("<p>Sign in</p>",
				1+r.IntN(50))+"</body></html>", "web page", "npy", "csv", "h5", "onnx", "npz")
		},
		"pointer": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, fmt.Sprintf("version https://git-lfs.github.com/spec/v1\n"+
				"oid sha256:%064x\nsize %d\n", r.Uint64(), r.IntN(1<<30)), "Git LFS", "npy", "h5",
				"csv", "onnx")
		},
		"pickle": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, "\x80\x04\x95"+noise(r, 100+r.IntN(500)), "pickle", "pkl", "pt", "npy")
		},
		"MATLAB": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, fmt.Sprintf("%-124s\x00\x01IM", "MATLAB 5.0 MAT-file")+noise(r, 300),
				"MATLAB", "mat", "npy")
		},
		"NIfTI": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, "\x5c\x01\x00\x00"+strings.Repeat("\x00", 340)+"n+1\x00"+
				noise(r, r.IntN(900)), "NIfTI", "nii", "npy")
		},
		"Excel": func(t *testing.T, r *rand.Rand) madeFile {
			return other(r, archive(t, map[string]string{"[Content_Types].xml": "<Types/>",
				"xl/workbook.xml": "<workbook/>" + strings.Repeat(" ", r.IntN(99))}), "Excel",
				"xlsx", "zip", "npz")
		},
		"zip of texts": func(t *testing.T, r *rand.Rand) madeFile {
			return other(r, archive(t, map[string]string{"a.txt": strings.Repeat("a", r.IntN(99)),
				"b.md": "b"}), "", "zip", "npz")
		},
		"R": func(t *testing.T, r *rand.Rand) madeFile {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			must.Get(w.Write([]byte("X\n\x00\x00\x00\x03\x00\x04\x03\x02" + noise(r, 400))))(t)
			must.Do(t, w.Close())
			return other(r, out.String(), "data of R", "rds", "gz", "npy")
		},
		"stream of Arrow": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, "\xff\xff\xff\xff\x10\x01\x00\x00"+noise(r, r.IntN(900)), "Arrow",
				"arrow", "csv")
		},
		"ONNX as text": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, fmt.Sprintf("<\n   ir_version: %d,\n   opset_import: [\"\" : %d]\n>\n"+
				"g (float[k, %d] x) => (float[3] y) {\n}\n", 7+r.IntN(4), 11+r.IntN(10),
				1+r.IntN(99)), "ONNX as text", "onnx", "onnxtxt", "txt", "csv")
		},
		"ONNX as JSON": func(_ *testing.T, r *rand.Rand) madeFile {
			return other(r, fmt.Sprintf("{\n \"irVersion\": \"%d\",\n \"graph\": {}\n}\n",
				7+r.IntN(4)), "ONNX as text", "json", "onnx")
		},
	}
	madeModels = map[string]func(t *testing.T, r *rand.Rand) madeFile{
		"mean": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeModel(r, nil, nil)
			for f.width > 64 { // a vector
				f = madeModel(r, nil, nil)
			}
			return f
		},
		"multiples": func(_ *testing.T, r *rand.Rand) madeFile {
			step := 2 + r.IntN(7)
			f := madeFile{instances: step * (2 + r.IntN(4)), width: 2 + r.IntN(6),
				truth: []string{"multiples"}, says: fmt.Sprintf("multiples of %d", step)}
			f.data = modelOf(f.width, ot.Nodes(`b = Reshape(x, bags)
				m = ReduceMax<axes=[1], keepdims=0>(b)`),
				ot.I("bags", []int64{-1, int64(step), int64(f.width)}, 3))
			return f
		},
		"one size": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeFile{instances: 3 + r.IntN(20), width: 2 + r.IntN(6),
				truth: []string{"one size"}}
			f.says = fmt.Sprintf("exactly %d instances", f.instances)
			f.data = modelOf(f.width, []ot.Node{enginetest.Binary("Add", "x", "places", "m")},
				ot.F("places", normal(r, f.instances*f.width), f.instances, f.width))
			return f
		},
		"unanswered": func(_ *testing.T, r *rand.Rand) madeFile {
			// 0/0 where the first values of all members are negative
			f := madeFile{instances: 8 + r.IntN(20), width: 2 + r.IntN(6),
				truth: []string{"no answer"}}
			f.data = ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", f.width)},
				Outputs: []ot.Value{ot.In("y", f.width)},
				Initializers: []ot.Tensor{ot.I("first", []int64{0}, 1),
					ot.I("axis0", []int64{0}, 1)},
				Nodes: ot.Nodes(`g = Gather<axis=1>(x, first); gate = Relu(g); gated = Mul(gate, x)
					sum = ReduceSum<keepdims=0>(gated, axis0)
					weight = ReduceSum<keepdims=0>(gate, axis0); y = Div(sum, weight)`)}.Bytes()
			return f
		},
		"percentages": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeModel(r, ot.Nodes(`p = Softmax(mean); y = Mul(p, hundred)`),
				[]ot.Tensor{ot.F("hundred", []float32{100}, 1)})
			f.truth = []string{"percentages"}
			return f
		},
		"a vector": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeModel(r, nil, nil)
			for f.width <= 64 {
				f = madeModel(r, nil, nil)
			}
			f.truth = []string{"vector"}
			return f
		},
		"training": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeFile{instances: 2 + r.IntN(20), width: 2 + r.IntN(30),
				truth: []string{"training"}}
			f.data = ot.Model{Opset: 13, Outputs: []ot.Value{ot.In("y", f.width)},
				Inputs: []ot.Value{ot.In("x", "k", f.width),
					enginetest.InputOf(ot.In("mode"), ot.Bool)},
				Initializers: []ot.Tensor{ot.F("ratio", []float32{.5})},
				Nodes: ot.Nodes(`m = Dropout(x, ratio, mode)
					y = ReduceMean<axes=[0], keepdims=0>(m)`)}.Bytes()
			return f
		},
		"a sparse layer": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeFile{instances: 2 + r.IntN(20), width: 2 + r.IntN(30)}
			places := make([]int64, f.width)
			for i := range places {
				places[i] = int64(i * (f.width + 1))
			}
			f.data = ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", f.width)},
				Outputs: []ot.Value{ot.In("logits", f.width)},
				Sparse: []ot.Sparse{{Values: ot.F("w", normal(r, f.width), f.width),
					Indices: ot.I("", places, f.width), Dims: []int{f.width, f.width}}},
				Nodes: ot.Nodes(`h = MatMul(x, w)
					logits = ReduceMean<axes=[0], keepdims=0>(h)`)}.Bytes()
			return f
		},
		"cut off": func(_ *testing.T, r *rand.Rand) madeFile {
			f := madeModel(r, nil, nil)
			f.data = f.data[:len(f.data)/2+r.IntN(len(f.data)/3)]
			f.instances, f.truth = 0, []string{"damage"}
			return f
		},
	}
)

// npyHead is the length of the header that npy writes.
const npyHead = 128

// npy returns a file of NumPy with a matrix.
func npy(descr string, rows, columns int, data []byte) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr,
		rows, columns)
	out := append([]byte("\x93NUMPY\x01\x00"), byte(npyHead-10), 0)
	return append(append(out, fmt.Sprintf("%-*s\n", npyHead-11, head)...), data...)
}

// normal returns random numbers.
func normal(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// sizes returns random numbers of instances and features, of which checks of features need eight.
func sizes(r *rand.Rand) (instances, width int) { return 4 + r.IntN(60), 8 + r.IntN(40) }

// npyOf returns a bag of floating-point features.
func npyOf(r *rand.Rand, descr string) madeFile {
	k, d := sizes(r)
	var data []byte
	for _, v := range normal(r, k*d) {
		if descr == ">f8" {
			data = binary.BigEndian.AppendUint64(data, math.Float64bits(float64(v)))
		} else {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	return madeFile{name: "bag.npy", data: npy(descr, k, d, data), instances: k, width: d}
}

// integers returns a bag of integers of a size in bytes.
func integers(r *rand.Rand, descr string, size int, value func() int) madeFile {
	k, d := sizes(r)
	data := make([]byte, k*d*size)
	for i := range k * d {
		v := value()
		for b := range size {
			data[i*size+b] = byte(v >> (8 * b))
		}
	}
	return madeFile{name: "bag.npy", data: npy(descr, k, d, data), instances: k, width: d}
}

// table returns a table with a heading and a row for each instance of a bag "a".
func table(r *rand.Rand, between string) madeFile {
	k, d := sizes(r)
	var text strings.Builder
	for i := range k + 1 {
		if i == 0 {
			text.WriteString("bag")
		} else {
			text.WriteString("a")
		}
		for j := range d {
			if i == 0 {
				fmt.Fprintf(&text, "%sf%d", between, j)
			} else {
				fmt.Fprintf(&text, "%s%.4f", between, r.NormFloat64())
			}
		}
		text.WriteString("\n")
	}
	return madeFile{name: "bag.csv", data: []byte(text.String()), instances: k, width: d}
}

// other returns a file that is no bag, under a name with one of the endings.
func other(r *rand.Rand, data, topic string, endings ...string) madeFile {
	f := madeFile{name: "file." + endings[r.IntN(len(endings))], data: []byte(data)}
	if topic != "" {
		f.truth = []string{topic}
	}
	return f
}

// noise returns random bytes.
func noise(r *rand.Rand, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return string(out)
}

// archive returns a zip archive.
func archive(t *testing.T, members map[string]string) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range members {
		must.Get(must.Get(w.Create(name))(t).Write([]byte(text)))(t)
	}
	must.Do(t, w.Close())
	return out.String()
}

// modelOf returns a model of instances of a width, whose nodes end in a matrix "m", of which it
// returns the mean row.
func modelOf(width int, nodes []ot.Node, constants ...ot.Tensor) []byte {
	return ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", width)},
		Outputs: []ot.Value{ot.In("logits", width)}, Initializers: constants,
		Nodes: append(nodes, ot.Nodes(`logits = ReduceMean<axes=[0], keepdims=0>(m)`)...)}.Bytes()
}

// madeModel returns a model that averages instances, with nodes from "mean" to "y" unless there are
// none.
func madeModel(r *rand.Rand, nodes []ot.Node, constants []ot.Tensor) madeFile {
	k, width := 2+r.IntN(20), 2+r.IntN(120)
	end := "y"
	if len(nodes) > 0 {
		end = "mean"
	}
	pool := ot.N("ReduceMean", []string{"x"}, []string{end}, ot.Ints("axes", 0),
		ot.Int("keepdims", 0))
	return madeFile{instances: k, width: width, data: ot.Model{Opset: 13,
		Inputs: []ot.Value{ot.In("x", "k", width)}, Outputs: []ot.Value{ot.In("y", width)},
		Initializers: constants, Nodes: append([]ot.Node{pool}, nodes...)}.Bytes()}
}
