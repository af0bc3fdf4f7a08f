package server

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// inferRequest is a request with the bytes that follow its JSON.
type inferRequest struct {
	oip.Request
	head   []byte // the JSON
	binary []byte // the binary tensors behind it
}

// receiveInference reads a request of the protocol. It ignores unknown keys, as the protocol
// requires, and rejects keys of unsupported extensions.
func (s *Server) receiveInference(w http.ResponseWriter, r *http.Request) (*inferRequest, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	binary := r.Header.Get(oip.BinaryHeader)
	if r.Header.Get("Content-Type") != "" && (err != nil || kind != "application/json" &&
		kind != "application/octet-stream") {
		return nil, problem("media-type",
			"the body must be application/json or, with binary tensors, application/octet-stream")
	}
	data, err := s.readBody(w, r)
	if err != nil {
		return nil, err
	}
	q := &inferRequest{head: data}
	if binary != "" {
		n, err := strconv.Atoi(binary)
		if err != nil || n < 0 || n > len(data) {
			return nil, problem("request",
				"the header %s must be a number of bytes within the body, which has %d",
				oip.BinaryHeader, len(data))
		}
		q.head, q.binary = data[:n], data[n:]
	}
	return q, nil
}

// parse decodes the JSON. It needs a turn, because the JSON can be large.
func (q *inferRequest) parse(ctx context.Context) error {
	// Lists of numbers stay text until bag decodes them, and decoding copies them twice.
	err := quota.MemoryOf(ctx).Reserve(2*int64(len(q.head)), "the JSON of the request")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(q.head, &q.Request); err != nil {
		return notJSON(err)
	}
	if err := jsontext.CheckKeys(q.head, &q.Request); err != nil {
		return notJSON(err)
	}
	// The decoded request has its own memory.
	q.head = nil
	for _, o := range q.Outputs {
		if o.Parameters.Classification != 0 || o.Parameters.SharedMemory != nil {
			return problem("request",
				"output %q: of the protocol's extensions, only binary tensors are supported",
				o.Name)
		}
	}
	return nil
}

// bag returns the bag in the one input. The shape must be that of the model, with the instances
// along the instance axis. Axes before it must have the length 1.
func (q *inferRequest) bag(
	ctx context.Context, info core.ModelInfo, l Limits,
) (*core.Bag, error) {
	if len(q.Inputs) != 1 || q.Inputs[0].Name != info.Input {
		return nil, problem("request", "the model has exactly one input, %q; send that input only",
			info.Input)
	}
	in, axis := q.Inputs[0], info.InstanceAxis
	if slices.ContainsFunc(in.Shape, func(d int) bool { return d <= 0 }) {
		return nil, problem("bag", "input %q of shape %v has no instances", in.Name, in.Shape)
	}
	// The shape is checked against the model and the limits before the values are decoded.
	count, err := in.Count()
	if err != nil {
		return nil, err
	}
	for _, port := range info.Inputs {
		if port.Name == info.Input && port.Shape != nil && len(port.Shape) != len(in.Shape) {
			return nil, problem("request",
				"input %q has %d axes, but the model needs %d, with the instances along axis %d",
				in.Name, len(in.Shape), len(port.Shape), axis)
		}
	}
	if axis >= len(in.Shape) || slices.ContainsFunc(in.Shape[:axis],
		func(d int) bool { return d != 1 }) {
		return nil, problem("request", "input %q of shape %v: a request is one bag, so every "+
			"axis before the instance axis %d must have the length 1", in.Name, in.Shape, axis)
	}
	// The limit is checked before the values are decoded.
	if k := int64(in.Shape[axis]); k > l.Instances {
		p := problem("limit", "input %q has %d instances, but at most %d are allowed", in.Name, k,
			l.Instances)
		p.Setting = "Instances"
		return nil, p
	}
	// Raw pixels have the type UINT8, which models with preprocessing need.
	bag := &core.Bag{Name: q.ID, Shape: slices.Clone(in.Shape[axis+1:]),
		Raw: in.Datatype == "UINT8"}
	if err := quota.MemoryOf(ctx).Reserve(8*int64(count), "the values of the bag"); err != nil {
		return nil, err
	}
	if bag.Values, err = oip.Values[float32](&in, count, q.binary); err != nil {
		return nil, err
	}
	// A model's result for NaN would look like a valid score.
	for i, v := range bag.Values {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			stride := bag.Stride()
			return nil, problem("bag", "input %q: value %d of instance %d, counted from 0, is %v; "+
				"all values must be finite", in.Name, i%stride, i/stride, v)
		}
	}
	return bag, bag.Validate()
}

// sendInference writes the JSON, followed by the binary tensors.
func (s *Server) sendInference(w http.ResponseWriter, head *oip.Response, tensors [][]byte) error {
	if len(tensors) == 0 {
		return s.sendJSON(w, head)
	}
	data, err := encode(head)
	if err != nil {
		return err
	}
	w.Header().Set(oip.BinaryHeader, strconv.Itoa(len(data)))
	return s.stream(w, "application/octet-stream", func(w io.Writer) error {
		for _, part := range slices.Insert(tensors, 0, data) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}
