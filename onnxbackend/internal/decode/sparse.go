package decode

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sparse reads a SparseTensorProto as a dense tensor with its name: values (NNZ), and indices
// (NNZ), which count the elements of the dense tensor, or (NNZ, rank). Limits are those of a dense
// tensor.
func (d *decoder) sparse(f field) (*tensor.Tensor, string, error) {
	var values, indices *tensor.Tensor
	var dims []int
	name := ""
	err := f.fields("sparse tensor",
		rule{1, func(f field) (err error) {
			values, name, err = d.tensor(f)
			return err
		}},
		rule{2, func(f field) (err error) {
			indices, _, err = d.tensor(f)
			return err
		}},
		rule{3, func(f field) error {
			return f.numbers(protowire.VarintType, func(v uint64) error {
				if len(dims) >= maxDims || v > min(1<<48, math.MaxInt) {
					return f.fault(f.at, "its shape exceeds any memory")
				}
				dims = append(dims, int(v))
				return nil
			})
		}})
	if err != nil {
		return nil, "", err
	}
	wrong := func(reason string, args ...any) (*tensor.Tensor, string, error) {
		return nil, "", &fault.Format{Offset: f.at, What: "sparse tensor " + msg.Quoted(name),
			Reason: msg.Sprintf(reason, args...)}
	}
	n, ok := tensor.Count(dims)
	switch {
	case values == nil || indices == nil || values.Rank() != 1 || indices.Type != tensor.Int64:
		return wrong("it needs a list of values and indices of 64 bits")
	case !ok:
		return wrong("a tensor of shape %v cannot exist", dims)
	case n > d.limits.Elements:
		return nil, "", &fault.Limit{What: "elements of a tensor", Wanted: uint64(n),
			Limit: uint64(d.limits.Elements), Setting: "elements"}
	}
	size := values.Type.Size()
	words := tensor.WordsFor(values.Type, n)
	if d.bytes += 8 * words; d.bytes > d.limits.Bytes {
		return nil, "", &fault.Limit{What: "bytes of a run", Wanted: uint64(d.bytes),
			Limit: uint64(d.limits.Bytes), Setting: "runBytes"}
	}
	shape := dims
	if indices.Rank() == 1 { // places in the dense tensor
		shape = []int{n}
	}
	places, ok := placesOf(indices, values.Len(), shape)
	if !ok {
		return wrong("its indices of shape %v do not lie in the shape %v of %d values",
			indices.Shape, dims, values.Len())
	}
	if err := d.limits.Memory.Reserve(8*int64(words), "the tensors of the model"); err != nil {
		return nil, "", err
	}
	t := tensor.New(values.Type, dims...)
	t.Half = values.Half
	to, from := t.Bytes(), values.Bytes()
	for i, at := range places {
		copy(to[at*size:(at+1)*size], from[i*size:])
	}
	return t, name, nil
}

// placesOf returns the place of each value in a dense tensor, from indices (values, rank) or, for
// rank 1, (values). It reports false for others, and for those that lie outside.
func placesOf(indices *tensor.Tensor, values int, dims []int) (places []int, ok bool) {
	if indices.Rank() < 1 || indices.Shape[0] != values || indices.Len() != values*len(dims) {
		return nil, false
	}
	strides, list := tensor.Strides(dims), tensor.Of[int64](indices)
	for i := range values {
		at := 0
		for axis, v := range list[i*len(dims) : (i+1)*len(dims)] {
			if v < 0 || v >= int64(dims[axis]) {
				return nil, false
			}
			at += int(v) * strides[axis]
		}
		places = append(places, at)
	}
	return places, true
}
