package ops_test

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestAxesOfLists looks at claims of operators that read lists of integers or scales, in inputs or
// attributes. Without the values of a list, or with a list that does not fit, the instances must
// count as mixed.
func TestAxesOfLists(t *testing.T) {
	reshape, pad, resize := enginetest.Op("Reshape"), enginetest.Op("Pad"), enginetest.Op("Resize")
	ints := func(v ...int64) ot.Tensor { return ot.I("", v, len(v)) }
	conv := func(a ...ot.Attribute) ot.Node { return enginetest.Op("Conv", a...) }
	kernel := ot.F("", make([]float32, 6), 3, 2, 1)
	scales := func(v ...float32) ot.Tensor { return ot.F("", v, len(v)) }
	for _, c := range []struct {
		name    string
		node    ot.Node
		shape   []int // shape of the first input
		axis    int   // axis of its instances
		lists   []ot.Tensor
		unknown bool // the values of the lists
		out     []int
		want    int // axis of the instances in the output, -1 if they are mixed
	}{
		{"reshape", reshape, []int{4, 2, 3}, 0, []ot.Tensor{ints(-1, 6)}, false, []int{4, 6}, 0},
		{"reshape to unknown sizes", reshape, []int{4, 2, 3}, 0, []ot.Tensor{ints(-1, 6)}, true,
			[]int{4, 6}, -1},
		{"pad", pad, []int{4, 3}, 0, []ot.Tensor{ints(0, 1, 0, 1)}, false, []int{4, 5}, 0},
		{"pad of instances", pad, []int{4, 3}, 0, []ot.Tensor{ints(0, 0, 1, 0)}, false,
			[]int{5, 3}, -1},
		{"unknown pads", pad, []int{4, 3}, 0, []ot.Tensor{ints(0, 1, 0, 1)}, true, []int{4, 5}, -1},
		{"pad along an axis", pad, []int{4, 3}, 0, []ot.Tensor{ints(1, 1), omitted, ints(1)},
			false, []int{4, 5}, 0},
		{"pad along the axis of instances", pad, []int{4, 3}, 0,
			[]ot.Tensor{ints(1, 1), omitted, ints(0)}, false, []int{6, 3}, -1},
		{"pad along no axis", pad, []int{4, 3}, 0, []ot.Tensor{ints(1, 1), omitted, ints(7)},
			false, []int{4, 5}, -1},
		{"pads of another rank", pad, []int{4, 3}, 0, []ot.Tensor{ints(0, 0)}, false,
			[]int{4, 3}, -1},
		{"layer written as a convolution", conv(), []int{1, 2, 4}, 2, []ot.Tensor{kernel}, false,
			[]int{1, 3, 4}, 2},
		{"its channels", conv(), []int{1, 2, 4}, 1, []ot.Tensor{kernel}, false, []int{1, 3, 4}, -1},
		{"convolution of every second", conv(ot.Ints("strides", 2)), []int{1, 2, 4}, 2,
			[]ot.Tensor{kernel}, false, []int{1, 3, 2}, -1},
		{"padded convolution", conv(ot.Ints("pads", 1, 0)), []int{1, 2, 4}, 2,
			[]ot.Tensor{kernel}, false, []int{1, 3, 5}, -1},
		{"convolution over neighbours", conv(), []int{1, 2, 4}, 2,
			[]ot.Tensor{ot.F("", make([]float32, 12), 3, 2, 2)}, false, []int{1, 3, 3}, -1},
		{"resize", resize, []int{4, 2, 3}, 0, []ot.Tensor{omitted, scales(1, 2, 1)}, false,
			[]int{4, 4, 3}, 0},
		{"resize of instances", resize, []int{4, 2, 3}, 1, []ot.Tensor{omitted, scales(1, 2, 1)},
			false, []int{4, 4, 3}, -1},
		{"unknown scales", resize, []int{4, 2, 3}, 0, []ot.Tensor{omitted, scales(1, 2, 1)}, true,
			[]int{4, 4, 3}, -1},
		{"scales of fewer axes", resize, []int{4, 2, 3}, 2, []ot.Tensor{omitted, scales(1, 2)},
			false, []int{4, 4, 3}, -1},
	} {
		x := ot.F("", make([]float32, product(c.shape)), c.shape...)
		data, in := operatorModel(18, c.node, append([]ot.Tensor{x}, c.lists...), 1)
		g := buildGraph(t, data)
		n := &g.Nodes[0]
		var places []ops.Place
		for i, id := range n.In {
			p := placeOf(g, in, id)
			if i == 0 || c.unknown {
				p.Value = nil
			}
			places = append(places, p)
		}
		places[0].Class, places[0].Axis = ops.Instance, c.axis
		out := []ops.Place{{Shape: c.out}}
		n.Row.Axes.Apply(&n.Node, c.shape[c.axis], places, out)
		got := -1
		if out[0].Class == ops.Instance {
			got = out[0].Axis
		}
		must.Equal(t, got, c.want, c.name)
	}
}

// TestAxesOfAttention has the instances as the batch of some of the queries, keys and values.
func TestAxesOfAttention(t *testing.T) {
	x := ot.F("", make([]float32, 8), 2, 1, 2, 2)
	data, in := operatorModel(23, enginetest.Op("Attention"), []ot.Tensor{x, x, x}, 1)
	g := buildGraph(t, data)
	n := &g.Nodes[0]
	for batch := range 8 { // a bit for each input
		var places []ops.Place
		for i, id := range n.In {
			p := placeOf(g, in, id)
			if batch>>i&1 == 1 {
				p.Class, p.Value = ops.Instance, nil
			}
			places = append(places, p)
		}
		out := []ops.Place{{Shape: in[0].Shape}}
		n.Row.Axes.Apply(&n.Node, 2, places, out)
		must.Equal(t, (out[0].Class == ops.Instance && out[0].Axis == 0), batch == 7, batch)
	}
}

// TestAxesOfAttentionMask: a constant mask may not have an axis for the batch.
func TestAxesOfAttentionMask(t *testing.T) {
	const k = 2
	x := ops.Place{Class: ops.Instance, Shape: []int{k, 1, 2, 2}}
	for _, shape := range [][]int{{2, 2}, {1, 2, 2}, {1, 1, 2, 2}, {k, 1, 2, 2}} {
		in := slices.Repeat([]ot.Tensor{ot.F("", make([]float32, 8), k, 1, 2, 2)}, 3)
		out := []ops.Place{{Shape: x.Shape}}
		data, _ := operatorModel(23, enginetest.Op("Attention"), append(in, ot.F("",
			make([]float32, product(shape)), shape...)), 1)
		n := &buildGraph(t, data).Nodes[0]
		n.Row.Axes.Apply(&n.Node, k, []ops.Place{x, x, x, {Class: ops.Constant, Shape: shape}}, out)
		must.Equal(t, (out[0].Class == ops.Instance), len(shape) < 4, shape)
	}
}

// TestMergedPlaces: an axis is merged if it has a factor beside the instances on either side.
func TestMergedPlaces(t *testing.T) {
	for factors, want := range map[[2]int]bool{{0, 0}: false, {1, 1}: false, {2, 0}: true,
		{0, 2}: true, {1, 2}: true, {2, 1}: true, {2, 2}: true} {
		p := ops.Place{Class: ops.Instance, Outer: factors[0], Inner: factors[1]}
		must.Equal(t, p.Merged(), want, factors)
	}
}

// TestAxesOfTile repeats a constant: for each instance only if the list of repeats has the size of
// the bag where the constant has one place.
func TestAxesOfTile(t *testing.T) {
	for _, c := range []struct {
		shape, repeats []int
		want           bool
	}{
		{[]int{1, 3}, []int{ops.SizeBag, 1}, true},
		{[]int{2, 3}, []int{ops.SizeBag, 1}, false},
		{[]int{1, 3}, []int{4, 1}, false},
		{[]int{3, 3}, []int{4, 1}, false},
	} {
		x := ot.F("", make([]float32, product(c.shape)), c.shape...)
		data, in := operatorModel(13, enginetest.Op("Tile"), []ot.Tensor{x,
			ot.I("", []int64{4, 1}, 2)}, 1)
		g := buildGraph(t, data)
		n := &g.Nodes[0]
		places := []ops.Place{placeOf(g, in, n.In[0]), {Class: ops.Constant, Shape: []int{2},
			Sizes: c.repeats}}
		out := []ops.Place{{Shape: []int{4 * c.shape[0], 3}}}
		n.Row.Axes.Apply(&n.Node, 4, places, out)
		must.Equal(t, (out[0].Class == ops.Instance && out[0].Axis == 0), c.want, c.shape,
			c.repeats)
	}
}

// TestAxesOfResize gives the sizes of the result: instances stay apart if theirs is that of the bag
// and the others are known.
func TestAxesOfResize(t *testing.T) {
	const k = 4
	for _, c := range []struct {
		axis  int
		sizes []int
		want  bool
	}{
		{0, []int{ops.SizeBag, 6}, true},
		{1, []int{6, ops.SizeBag}, true},
		{0, []int{6, ops.SizeBag}, false},
		{0, []int{k, 6}, false},
		{0, []int{ops.SizeBag, -1}, false},
		{0, []int{ops.SizeBag}, true},
		{0, []int{k}, false},
	} {
		shape := slices.Repeat([]int{k}, len(c.sizes))
		in := []ot.Tensor{ot.F("", make([]float32, product(shape)), shape...), omitted, omitted,
			ot.I("", make([]int64, len(shape)), len(shape))}
		out := []ops.Place{{Shape: shape}}
		applied(t, enginetest.Op("Resize"), in, k, []ops.Place{
			{Class: ops.Instance, Axis: c.axis, Shape: shape}, {Class: ops.Constant},
			{Class: ops.Constant},
			{Class: ops.Constant, Shape: []int{len(shape)}, Sizes: c.sizes}}, out)
		must.Equal(t, (out[0].Class == ops.Instance && out[0].Axis == c.axis), c.want, c.axis,
			c.sizes)
	}
}

// applied returns what the axis rule of a node of some inputs says about its outputs, if the inputs
// lie at places.
func applied(t *testing.T, node ot.Node, in []ot.Tensor, k int, places, out []ops.Place) {
	t.Helper()
	data, _ := operatorModel(18, node, in, len(out))
	n := &buildGraph(t, data).Nodes[0]
	n.Row.Axes.Apply(&n.Node, k, places, out)
}

// TestAxesOfAddend adds a third matrix to the product of a Gemm. It may not vary along the
// instances.
func TestAxesOfAddend(t *testing.T) {
	const k = 5
	for _, c := range []struct {
		right  bool // the second factor has the instances
		addend []int
		want   bool
	}{
		{false, []int{}, true}, {false, []int{2}, true}, {false, []int{1, 2}, true},
		{false, []int{k, 2}, false}, {false, []int{k, 1}, false},
		{true, []int{}, true}, {true, []int{1}, true}, {true, []int{2, 1}, true},
		{true, []int{k}, false}, {true, []int{2, k}, false},
	} {
		zeros := func(shape ...int) ot.Tensor {
			return ot.F("", make([]float32, product(shape)), shape...)
		}
		in := []ot.Tensor{zeros(k, 3), zeros(3, 2), zeros(c.addend...)}
		places := []ops.Place{{Class: ops.Instance, Shape: []int{k, 3}},
			{Class: ops.Constant, Shape: []int{3, 2}}, {Class: ops.Constant, Shape: c.addend}}
		out, axis := []ops.Place{{Shape: []int{k, 2}}}, 0
		if c.right {
			in[0], in[1] = zeros(2, 3), zeros(3, k)
			places[0] = ops.Place{Class: ops.Constant, Shape: []int{2, 3}}
			places[1] = ops.Place{Class: ops.Instance, Axis: 1, Shape: []int{3, k}}
			out[0].Shape, axis = []int{2, k}, 1
		}
		applied(t, enginetest.Op("Gemm"), in, k, places, out)
		must.Equal(t, (out[0].Class == ops.Instance && out[0].Axis == axis), c.want, c.right,
			c.addend)
	}
}

// TestAxesOfRecurrentLayer has the instances as its batch: they stay apart in all its outputs.
func TestAxesOfRecurrentLayer(t *testing.T) {
	const k = 3
	in := []ot.Tensor{ot.F("", make([]float32, 4*k*2), 4, k, 2),
		ot.F("", make([]float32, 40), 1, 20, 2), ot.F("", make([]float32, 100), 1, 20, 5)}
	places := []ops.Place{{Class: ops.Instance, Axis: 1, Shape: []int{4, k, 2}},
		{Class: ops.Constant, Shape: []int{1, 20, 2}},
		{Class: ops.Constant, Shape: []int{1, 20, 5}}}
	out := []ops.Place{{Shape: []int{4, 1, k, 5}}, {Shape: []int{1, k, 5}}, {Shape: []int{1, k, 5}}}
	applied(t, enginetest.Op("LSTM", ot.Int("hidden_size", 5)), in, k, places, out)
	for i, axis := range []int{2, 1, 1} {
		must.Equal(t, out[i].Class, ops.Instance, i, out[i], axis)
		must.Equal(t, out[i].Axis, axis, i, out[i])
	}
}

// TestAxesOfGatheredElements has the instances along one axis of the data and one of the places.
// They stay apart if both are the same and the elements are gathered along another one.
func TestAxesOfGatheredElements(t *testing.T) {
	const k = 3
	in := []ot.Tensor{ot.F("", make([]float32, k*k), k, k), ot.I("", make([]int64, k*k), k, k)}
	at := func(axis int) ops.Place {
		return ops.Place{Class: ops.Instance, Axis: axis, Shape: []int{k, k}}
	}
	for bits := range 8 {
		data, places, along := bits&1, bits>>1&1, bits>>2
		out := []ops.Place{{Shape: []int{k, k}}}
		applied(t, enginetest.Op("GatherElements", ot.Int("axis", int64(along))), in,
			k, []ops.Place{at(data), at(places)}, out)
		apart := out[0].Class == ops.Instance && out[0].Axis == data
		must.Equal(t, apart, places == data && along != data, data, places, along)
	}
}

// TestAxesOfSizes follows the size of a bag through the number of elements and through products.
func TestAxesOfSizes(t *testing.T) {
	one := ot.I("", []int64{1}, 1)
	sizes := func(v ...int) ops.Place {
		return ops.Place{Class: ops.Constant, Shape: []int{len(v)}, Sizes: v}
	}
	for _, c := range []struct {
		name string
		node ot.Node
		in   []ot.Tensor
		at   []ops.Place
		want int // the number of elements for each instance; 0 if it is not known
	}{
		{"elements of three features", enginetest.Op("Size"), []ot.Tensor{grid},
			[]ops.Place{{Class: ops.Instance, Shape: []int{2, 3}}}, 3},
		{"elements of an unknown number", enginetest.Op("Size"), []ot.Tensor{grid},
			[]ops.Place{{Class: ops.Instance, Shape: []int{2, -1}}}, 0},
		{"one times the bag", enginetest.Op("Mul"), []ot.Tensor{one, one},
			[]ops.Place{sizes(1), sizes(ops.SizeBag)}, 1},
		{"the bag times one", enginetest.Op("Mul"), []ot.Tensor{one, one},
			[]ops.Place{sizes(ops.SizeBag), sizes(1)}, 1},
		{"four times the bag", enginetest.Op("Mul"), []ot.Tensor{one, one},
			[]ops.Place{sizes(4), sizes(ops.SizeBag)}, 4},
		{"the bag times four", enginetest.Op("Mul"), []ot.Tensor{one, one},
			[]ops.Place{sizes(ops.SizeBag), sizes(4)}, 4},
		{"the bag times the bag", enginetest.Op("Mul"), []ot.Tensor{one, one},
			[]ops.Place{sizes(ops.SizeBag), sizes(ops.SizeBag)}, 0},
		{"six times the bag by two", enginetest.Op("Div"), []ot.Tensor{one, one},
			[]ops.Place{sizes(6*(ops.SizeBag+1) - 1), sizes(2)}, 3},
		{"six times the bag by four", enginetest.Op("Div"), []ot.Tensor{one, one},
			[]ops.Place{sizes(6*(ops.SizeBag+1) - 1), sizes(4)}, 0},
		{"six by the bag", enginetest.Op("Div"), []ot.Tensor{one, one},
			[]ops.Place{sizes(6), sizes(ops.SizeBag)}, 0},
	} {
		out := []ops.Place{{Shape: []int{1}}}
		applied(t, c.node, c.in, 2, c.at, out)
		got := 0
		if len(out[0].Sizes) == 1 {
			got = ops.BagTimes(out[0].Sizes[0])
		}
		must.Equal(t, got, c.want, c.name)
	}
}
