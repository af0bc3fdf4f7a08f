package ask

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// digits returns a bag of the digits example with its network.
func digits(t *testing.T, index int) *Input {
	t.Helper()
	file := must.Get(os.ReadFile("../../examples/digits/bags.npz"))(t)
	set := must.Get(bagio.Read("bags.npz", file, bagio.Options{}))(t)
	return must.Get(NewInput(t.Context(), openDigits(t), set, index))(t)
}

// TestConceptsOfDigits names digits of a bag of two 8s and two 9s: the class "an 8 and a 9" rests
// on both, and on no other digit.
func TestConceptsOfDigits(t *testing.T) {
	in := digits(t, 0)
	var text []string
	for _, digit := range []int{8, 9, 2, 4} {
		var list []string
		for i, label := range in.Bag.Labels {
			if label == digit {
				list = append(list, strconv.Itoa(i))
			}
		}
		text = append(text, fmt.Sprintf("%ds=%s", digit, strings.Join(list, ",")))
	}
	got := must.Get((&Ask{}).Groups(t.Context(), in, GroupsOptions{
		Concepts: new(strings.Join(text, ";"))}, nil))(t)
	must.EqualSlices(t, got.Groups[1], []int{15, 21})
	must.Equal(t, got.Concepts.Rule != nil && got.Concepts.Rule.Text == "“8s” and “9s”", true,
		got.Concepts)
	sum := got.Concepts.Absent - got.Concepts.Present
	for n, c := range got.Concepts.List {
		must.Equal(t, c.Evident, n < 2, c)
		sum += c.Shapley
	}
	must.Equal(t, math.Abs(float64(sum)) < 1e-9, true, sum)
	near := must.Get((&Ask{}).Groups(t.Context(), in, GroupsOptions{
		Concepts: new("as 9s~15,21"), Random: new(0)}, nil))(t)
	for _, i := range []int{15, 21} {
		must.Equal(t, slices.Contains(near.Groups[0], i), true, near.Groups)
	}
}

// TestConceptsKeepPositions names instances of a bag of which some are removed.
func TestConceptsKeepPositions(t *testing.T) {
	in := digits(t, 0)
	in.Select([]int{1, 2, 5, 15, 21, 22})
	got := must.Get((&Ask{}).Groups(t.Context(), in, GroupsOptions{
		Concepts: new("a=0-3; b=15,20-22"), Random: new(0)}, nil))(t)
	must.EqualSlices(t, got.Groups[0], []int{1, 2})
	must.EqualSlices(t, got.Groups[1], []int{15, 21, 22})
	_, err := (&Ask{}).Groups(t.Context(), in, GroupsOptions{Concepts: new("a~0,3")}, nil)
	must.Fail(t, err, "no marked instance")
}

// pixelsInput returns an input of six vectors of two numbers with places, under a model of sums.
func pixelsInput(t *testing.T) *Input {
	in := sumsOf(t)
	for i := range 6 {
		in.Bag.Boxes = append(in.Bag.Boxes, image.Rect(0, 0, 10, 10).Add(image.Pt(10*i, 0)))
	}
	return in
}

// sumsOf returns an input whose instances are (1, 0), (2, 0), (3, 0), (0, 1), (0, 2), (0, -1).
func sumsOf(t *testing.T) *Input {
	model := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Nodes:   ot.Nodes(`logits = ReduceMean<axes=[0], keepdims=0>(bag)`)}
	bag := &core.Bag{Shape: []int{2}, Values: []float32{1, 0, 2, 0, 3, 0, 0, 1, 0, 2, 0, -1}}
	return &Input{Engine: enginetest.Open(t, model.Bytes(), onnxbackend.Options{}), Bag: bag,
		Whole: bag}
}

// names returns the concepts of an input in words.
func names(in *Input) (out []string) {
	for _, c := range in.Concepts {
		out = append(out, fmt.Sprint(c.Name, c.Instances))
	}
	return out
}

// TestNameRegions has a class of two regions, one without a class, and one without instances.
func TestNameRegions(t *testing.T) {
	in := pixelsInput(t)
	square := func(x0, x1 float64) []geojson.Ring {
		return []geojson.Ring{{{X: x0}, {X: x1}, {X: x1, Y: 10}, {X: x0, Y: 10}}}
	}
	regions := []geojson.Region{{Class: "gland", Rings: square(0, 10)},
		{Class: "", Rings: square(20, 35)}, {Class: "gland", Rings: square(20, 30)},
		{Class: "ink", Rings: square(90, 99)}}
	must.Do(t, in.NameRegions(t.Context(), regions, nil))
	must.EqualSlices(t, names(in), []string{"gland[0 2]", "unclassified[2]"})
	in = pixelsInput(t)
	must.Do(t, in.NameRegions(t.Context(), regions, []string{"gland"}))
	must.EqualSlices(t, names(in), []string{"gland[0 2]"})
	must.Fail(t, in.NameRegions(t.Context(), regions[3:], nil), "none of its instances lies inside")
	must.Fail(t, sumsOf(t).NameRegions(t.Context(), regions, nil), "have no places")
	must.Fail(t, in.NameRegions(t.Context(), regions, []string{"fat"}), "lies inside")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("ended early"))
	must.Fail(t, in.NameRegions(ctx, regions, nil), "ended early")
	for n := range 25 { // far outside
		regions = append(regions, geojson.Region{Class: strconv.Itoa(n), Rings: square(90, 99)})
	}
	must.Fail(t, in.NameRegions(ctx, regions, nil), "28 classes, and at most 24 concepts")
}

// TestNameVectors has vectors of two names, in a table and in an archive.
func TestNameVectors(t *testing.T) {
	in := sumsOf(t)
	name := func(file, data string) error { return in.NameVectors(t.Context(), file, []byte(data)) }
	must.Do(t, name("v.csv", "bag,f0,f1\nflat,9,0\nhigh,0,1\nhigh,0,-1\n"))
	must.EqualSlices(t, names(in), []string{"flat[0 1 2]", "high[3 4 5]"})
	must.Fail(t, name("v.csv", "bag,f0,f1\nflat,9,0\n"), "takes 2 to 24")
	must.Fail(t, name("v.csv", "bag,f0,f1,f2\na,9,0,1\nb,2,3,4\n"),
		"have 3 numbers, and an instance has 2")
	must.Fail(t, name("v.csv", "bag,f0,f1\na,9,0\nb,0,0\n"), `"b" has a vector of zeros`)

	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	must.Do(t, bagio.WriteNpy(must.Get(z.Create("high.npy"))(t), []int{2, 2},
		[]float32{0, 1, 0, -1}))
	must.Do(t, bagio.WriteNpy(must.Get(z.Create("flat.npy"))(t), []int{2}, []float32{9, 0}))
	must.Do(t, z.Close())
	in = sumsOf(t)
	must.Do(t, name("v.npz", archive.String()))
	must.EqualSlices(t, names(in), []string{"high[3 4 5]", "flat[0 1 2]"})
	var one bytes.Buffer
	must.Do(t, bagio.WriteNpy(&one, []int{2, 2}, []float32{0, 1, 0, -1}))
	must.Fail(t, name("v.npy", one.String()), "has the vectors of 1 names; it takes 2 to 24")
}

// TestNameCodes computes codes by a graph: x - y and y.
func TestNameCodes(t *testing.T) {
	graph := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "n", 2)},
		Outputs:      []ot.Value{ot.In("codes", "n", 2)},
		Initializers: []ot.Tensor{ot.F("w", []float32{1, 0, -1, 1}, 2, 2)},
		Nodes:        ot.Nodes(`codes = MatMul(x, w)`)}
	e := must.Get(onnxbackend.OpenCodes(graph.Bytes(), onnxbackend.Options{}))(t)
	in := sumsOf(t)
	must.Do(t, in.NameCodes(must.Get(e.Encode(t.Context(), in.Whole))(t)))
	must.EqualSlices(t, names(in), []string{"code 0[0 1 2 5]", "code 1[3 4]"})
	must.Fail(t, in.NameCodes(&core.Bag{Shape: []int{25}, Values: make([]float32, 6*25)}),
		"25 codes of an instance, and at most 24")
	must.Fail(t, in.NameCodes(&core.Bag{Shape: []int{2}, Values: make([]float32, 6*2)}),
		"no instance has a code above 0")
	_, err := onnxbackend.OpenCodes(ot.Model{Opset: 13,
		Inputs:  []ot.Value{ot.In("x", "n", 3, 8, 8)},
		Outputs: []ot.Value{ot.In("codes", "n", 3)},
		Nodes:   ot.Nodes(`codes = ReduceMean<axes=[2, 3], keepdims=0>(x)`)}.Bytes(),
		onnxbackend.Options{})
	must.Fail(t, err, "codes are computed of features (n, d), for any number")
}

// TestConceptsText has names that are alike, or empty, without the signs of the text.
func TestConceptsText(t *testing.T) {
	var list []whatif.Concept
	for n, name := range []string{"a=b", "a;b", "a b 2", "~", "", "a b"} {
		list = append(list, whatif.Concept{Name: name, Instances: []int{n}})
	}
	text := ConceptsText(list)
	must.Equal(t, text, "a b=0; a b 2=1; a b 2 2=2; concept=3; concept 2=4; a b 3=5")
	read := must.Get(pixelsInput(t).concepts(t.Context(), nil, text))(t)
	for n, c := range read {
		must.EqualSlices(t, c.Instances, []int{n}, c.Name)
	}
}

// TestNameFile names the concepts of a file of each kind, and reads them back from their text.
func TestNameFile(t *testing.T) {
	codes := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "n", 2)},
		Outputs: []ot.Value{ot.In("codes", "n", 2)}, Nodes: ot.Nodes(`codes = Relu(x)`)}
	xml := "\ufeff<Annotations><Annotation Name=\"ink\"><Regions><Region Type=\"Rectangle\">" +
		"<Vertices><V X=\"0\" Y=\"0\"/><V X=\"20\" Y=\"9\"/></Vertices></Region></Regions>" +
		"</Annotation></Annotations>"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	must.Get(z.Write([]byte(xml)))(t)
	must.Do(t, z.Close())
	for _, c := range []struct{ name, data, want string }{
		{"marked.xml", xml, "ink=0-1"},
		{"slide.xml.gz", zipped.String(), "ink=0-1"},
		{"slide.geojson", `[{"type":"Feature","properties":{"classification":{"name":"a=b"}},` +
			`"geometry":{"type":"Polygon","coordinates":[[[0,0],[30,0],[30,9],[0,9]]]}}]`,
			"a b=0-2"},
		{"names.csv", "bag,f0,f1\nflat,9,0\nhigh,0,1\nhigh,0,-1\n", "flat=0-2; high=3-5"},
		{"probe.onnx", string(codes.Bytes()), "code 0=0-2; code 1=3-4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := pixelsInput(t)
			must.Do(t, in.NameFile(t.Context(), c.name, []byte(c.data), onnxbackend.Options{}))
			text := ConceptsText(in.Concepts)
			must.Equal(t, text, c.want)
			read := must.Get(pixelsInput(t).concepts(t.Context(), nil, text))(t)
			for n, of := range read {
				must.EqualSlices(t, of.Instances, in.Concepts[n].Instances)
			}
		})
	}
	err := pixelsInput(t).NameFile(t.Context(), "x.onnx", []byte("{"), onnxbackend.Options{})
	must.Fail(t, err, "")
}
