package oip

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
)

// infer sends an input with the given shape and bytes, and returns the named outputs, or all
// outputs if names is empty.
func (m *Model) infer(
	ctx context.Context, shape []int, data []byte, outputs ...string,
) ([]onnxbackend.Output, error) {
	body, head, err := m.request(shape, data, outputs)
	if err != nil {
		return nil, err
	}
	r, err := m.client.do(ctx, http.MethodPost, m.client.model("/infer"), head, body)
	if err != nil {
		return nil, err
	}
	return m.read(r, outputs)
}

// request returns the body and the headers of a request: the JSON with the tensor behind it, or the
// JSON alone if the server does not support binary tensors.
func (m *Model) request(
	shape []int, data []byte, outputs []string,
) (body []byte, head map[string]string, err error) {
	q := Request{Inputs: []Tensor{{Name: m.input.Name, Datatype: m.input.Datatype, Shape: shape}}}
	q.Parameters.BinaryOutput = m.binary && len(outputs) == 0
	for _, name := range outputs {
		w := OutputRequest{Name: name}
		if m.binary {
			w.Parameters.Binary = &m.binary
		}
		q.Outputs = append(q.Outputs, w)
	}
	in := &q.Inputs[0]
	if m.binary {
		in.Parameters = &TensorParameters{BinarySize: int64(len(data))}
		text, err := json.Marshal(q)
		head := map[string]string{"Content-Type": "application/octet-stream",
			BinaryHeader: strconv.Itoa(len(text))}
		return append(text, data...), head, err
	}
	// JSON contains the numbers in the precision of the datatype, so that the text is short and
	// exact.
	d := rowOf(m.input.Datatype)
	in.Data = append(in.Data, '[')
	for i := 0; i < len(data); i += d.bytes {
		if i > 0 {
			in.Data = append(in.Data, ',')
		}
		v, bits := d.get(data[i:]), 64
		switch d.name {
		case "BOOL":
			in.Data = strconv.AppendBool(in.Data, v != 0)
			continue
		case "FP32", "FP16", "BF16":
			bits = 32
		}
		in.Data = strconv.AppendFloat(in.Data, v, 'g', -1, bits)
	}
	in.Data = append(in.Data, ']')
	body, err = json.Marshal(q)
	return body, map[string]string{"Content-Type": "application/json"}, err
}

// read decodes and validates a response.
func (m *Model) read(r *reply, outputs []string) ([]onnxbackend.Output, error) {
	text, binary := r.body, []byte(nil)
	// The header states where the JSON ends.
	if n := r.head.Get(BinaryHeader); n != "" {
		at, err := strconv.Atoi(n)
		if err != nil || at < 0 || at > len(text) {
			return nil, m.client.wrong("the response header %s is not a length within its %d bytes",
				BinaryHeader, len(text))
		}
		text, binary = text[:at], text[at:]
	}
	// The JSON comes first, and the binary tensors follow in the order of the outputs.
	var answer Response
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, m.client.wrong(
			"its server does not return the JSON of the Open Inference Protocol, version 2")
	}
	var out []onnxbackend.Output
	for i := range answer.Outputs {
		t := &answer.Outputs[i]
		wanted := len(outputs) == 0 && slices.ContainsFunc(m.outputs,
			func(p Port) bool { return p.Name == t.Name }) || slices.Contains(outputs, t.Name)
		own := []byte(nil)
		if p := t.Parameters; p != nil {
			if p.BinarySize < 0 || p.BinarySize > int64(len(binary)) {
				return nil, m.client.wrong(
					"output %q declares %d bytes of binary data, but %d bytes remain",
					t.Name, p.BinarySize, len(binary))
			}
			own, binary = binary[:p.BinarySize], binary[p.BinarySize:]
		}
		if !wanted || rowOf(t.Datatype) == nil {
			continue // it was not requested, or is not numeric
		}
		n, err := t.Count()
		var values []float64
		if err == nil {
			values, err = Values[float64](t, n, own)
		}
		var tensor *TensorError
		if errors.As(err, &tensor) {
			return nil, m.client.wrong("its response has an invalid output %q: %s",
				t.Name, msg.Text(tensor.Reason))
		}
		out = append(out, onnxbackend.Output{Name: t.Name, Type: Type(t.Datatype), Shape: t.Shape,
			Data: values})
	}
	for _, name := range outputs {
		if !slices.ContainsFunc(out, func(o onnxbackend.Output) bool { return o.Name == name }) {
			return nil, m.client.wrong("its response lacks the output %q", name)
		}
	}
	return out, nil
}
