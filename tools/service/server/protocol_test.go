package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// digitBag is the first of the digits' bags, and what the model says of it by the way of files.
func digitBag(t *testing.T, url string) (*core.Bag, *ask.Prediction) {
	t.Helper()
	set := must.Get(bagio.Read("bags.npz", load(t, digitBags), bagio.Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	status, _, body := post(t, url+"/v1/predict", "", digitParts(t, "")...)
	p := &ask.Prediction{}
	must.Do(t, json.Unmarshal(body, p))
	must.Equal(t, status, 200)
	return bag, p
}

// inferred posts a request of the protocol and takes the answer apart.
func inferred(
	t *testing.T, url, head string, behind []byte,
) (status int, out oip.Response, tensors []byte, failure string) {
	t.Helper()
	data := append([]byte(head), behind...)
	r := must.Get(http.NewRequestWithContext(t.Context(), "POST", url, bytes.NewReader(data)))(t)
	r.Header.Set("Content-Type", "application/json")
	if behind != nil {
		r.Header.Set("Content-Type", "application/octet-stream")
		r.Header.Set(oip.BinaryHeader, strconv.Itoa(len(head)))
	}
	response := must.Get(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	var all bytes.Buffer
	must.Get(all.ReadFrom(response.Body))(t)
	body := all.Bytes()
	if n := response.Header.Get(oip.BinaryHeader); n != "" {
		at, err := strconv.Atoi(n)
		must.Do(t, err, oip.BinaryHeader, n)
		must.Equal(t, at <= len(body), true, oip.BinaryHeader, n)
		body, tensors = body[:at], body[at:]
	}
	if response.StatusCode != 200 {
		var e struct{ Error string }
		must.Do(t, json.Unmarshal(body, &e))
		must.Equal(t, response.Header.Get("Content-Type"), "application/json", body)
		return response.StatusCode, out, nil, e.Error
	}
	must.Do(t, json.Unmarshal(body, &out), body)
	return response.StatusCode, out, tensors, ""
}

// All forms of requests of the protocol have the result of /v1/predict.
func TestInfer(t *testing.T) {
	_, url := serve(t, Options{})
	bag, want := digitBag(t, url)
	must.Equal(t, bag.Raw, true, "the digits are pixels")
	k := bag.Len()
	var flat, pixels []byte
	for i, v := range bag.Values {
		flat = append(flat, []byte{'[', ','}[min(i, 1)])
		flat = strconv.AppendFloat(flat, float64(v), 'g', -1, 32)
		pixels = append(pixels, byte(v))
	}
	flat = append(flat, ']')
	nested := nest(bag.Values, k, 1, 28, 28)
	shape := fmt.Sprintf("[%d,1,28,28]", k)
	for _, c := range []struct {
		what, head string
		behind     []byte
		binary     []string // outputs that come in binary
		outputs    []string
	}{
		{"flat", `{"id":"7","inputs":[{"name":"bag","datatype":"UINT8","shape":` + shape +
			`,"data":` + string(flat) + `}]}`, nil, nil, []string{"logits", "attention"}},
		{"nested", `{"inputs":[{"name":"bag","datatype":"UINT8","shape":` + shape + `,"data":` +
			nested + `}],"outputs":[{"name":"attention"}]}`, nil, nil, []string{"attention"}},
		{"binary", `{"inputs":[{"name":"bag","datatype":"UINT8","shape":` + shape +
			`,"parameters":{"binary_data_size":` + strconv.Itoa(len(pixels)) +
			`}}],"outputs":[{"name":"logits","parameters":{"binary_data":true}},` +
			`{"name":"attention","parameters":{"binary_data":false}}]}`,
			pixels, []string{"logits"}, []string{"logits", "attention"}},
		{"binary answers", `{"parameters":{"binary_data_output":true},"inputs":[` +
			`{"name":"bag","datatype":"UINT8","shape":` + shape +
			`,"parameters":{"binary_data_size":` + strconv.Itoa(len(pixels)) + `}}]}`,
			pixels, []string{"logits", "attention"}, []string{"logits", "attention"}},
	} {
		for _, path := range []string{"/v2/models/model/infer",
			"/v2/models/model/versions/1/infer"} {
			status, out, tensors, failure := inferred(t, url+path, c.head, c.behind)
			if status != 200 {
				t.Errorf("%s: %d %s", c.what, status, failure)
				continue
			}
			var names []string
			for _, o := range out.Outputs {
				names = append(names, o.Name)
				var got []float64
				if slices.Contains(c.binary, o.Name) {
					n := int(o.Parameters.BinarySize)
					for i := 0; i < n; i += 4 {
						got = append(got, float64(
							math.Float32frombits(binary.LittleEndian.Uint32(tensors[i:]))))
					}
					tensors = tensors[n:]
				} else if err := json.Unmarshal(o.Data, &got); err != nil {
					t.Fatal(err)
				}
				w := want.Outputs[o.Name]
				if o.Datatype != "FP32" || !slices.Equal(o.Shape, w.Shape) ||
					len(got) != len(w.Data) {
					t.Errorf("%s: output %s of %s is %v", c.what, o.Name, o.Datatype, o.Shape)
				}
				for i, v := range got {
					if v != float64(w.Data[i]) {
						t.Errorf("%s: %s[%d] is %v, and /v1/predict says %v", c.what, o.Name, i, v,
							w.Data[i])
					}
				}
			}
			slices.Sort(names)
			slices.Sort(c.outputs)
			if !slices.Equal(names, c.outputs) || len(tensors) != 0 || out.Model != "model" ||
				c.what == "flat" && out.ID != "7" {
				t.Errorf("%s: outputs %v, %d bytes too many, id %q", c.what, names, len(tensors),
					out.ID)
			}
		}
	}
}

// nest writes numbers as nested lists.
func nest(values []float32, shape ...int) string {
	if len(shape) == 0 {
		return strconv.FormatFloat(float64(values[0]), 'g', -1, 32)
	}
	var parts []string
	each := len(values) / shape[0]
	for i := range shape[0] {
		parts = append(parts, nest(values[i*each:(i+1)*each], shape[1:]...))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// Invalid requests of the protocol are problems.
func TestInferRejectsInvalidRequests(t *testing.T) {
	_, url := serve(t, Options{Limits: Limits{Instances: 50}})
	input := func(name, kind, shape, data string) string {
		return `{"inputs":[{"name":"` + name + `","datatype":"` + kind + `","shape":` + shape +
			`,` + data + `}]}`
	}
	zeros := `"data":[` + strings.TrimSuffix(strings.Repeat("0,", 784), ",") + `]`
	nan := bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, 784)
	positive := bytes.Repeat([]byte{0, 0, 0x80, 0x7f}, 784)
	negative := bytes.Repeat([]byte{0, 0, 0x80, 0xff}, 784)
	size := func(n int) string { return fmt.Sprintf(`"parameters":{"binary_data_size":%d}`, n) }
	for _, c := range []struct {
		what   string
		status int
		says   string
		path   string
		head   string
		behind []byte
	}{
		{"another model", 404, "the model does not exist", "/v2/models/resnet/infer", "{}", nil},
		{"a path", 404, "the model does not exist", "/v2/models/..%2Fdigits%2Fmodel/infer", "{}",
			nil},
		{"another version", 404, "version 1", "/v2/models/model/versions/2/infer", "{}", nil},
		{"no JSON", 400, "not valid JSON", "", "bag", nil},
		{"no input", 400, `"bag"`, "", "{}", nil},
		{"another input", 400, `"bag"`, "", input("x", "FP32", "[1,1,28,28]", zeros), nil},
		{"words", 400, "BYTES", "", input("bag", "BYTES", "[1,1,28,28]", zeros), nil},
		{"too few axes", 400, "4", "", input("bag", "FP32", "[28,28]", zeros), nil},
		{"no instance", 422, "no instance", "", input("bag", "FP32", "[0,1,28,28]", `"data":[]`),
			nil},
		{"below zero", 422, "no instance", "", input("bag", "FP32", "[-1,1,28,28]", zeros), nil},
		{"enormous", 413, "too large", "", input("bag", "FP32", "[4611686018427387904,4,28,28]",
			zeros), nil},
		{"too many instances", 413, "50", "", input("bag", "FP32", "[51,1,28,28]", zeros), nil},
		{"too few numbers", 400, "fewer", "", input("bag", "FP32", "[2,1,28,28]", zeros), nil},
		{"too many numbers", 400, "more", "", input("bag", "FP32", "[1,1,28,27]", zeros), nil},
		{"text among them", 400, "only numbers and lists of numbers", "",
			input("bag", "FP32", "[1,1,1,1]", `"data":["0"]`), nil},
		{"an object", 400, "only numbers and lists of numbers", "",
			input("bag", "FP32", "[1,1,1,1]", `"data":{"a":1}`), nil},
		{"too large a number", 422, "1e99", "", input("bag", "FP32", "[1,1,1,1]", `"data":[1e99]`),
			nil},
		{"no number", 422, "finite", "", input("bag", "FP32", "[1,1,28,28]", size(len(nan))), nan},
		{"infinity", 422, "finite", "", input("bag", "FP32", "[1,1,28,28]", size(len(nan))),
			positive},
		{"minus infinity", 422, "finite", "", input("bag", "FP32", "[1,1,28,28]", size(len(nan))),
			negative},
		{"too few bytes", 400, "bytes", "", input("bag", "FP32", "[1,1,28,28]", size(len(nan))),
			nan[4:]},
		{"another size", 400, "bytes", "", input("bag", "FP32", "[1,1,28,28]", size(9)), nan},
		{"another shape", 422, "", "", input("bag", "FP32", "[1,1,14,56]", zeros), nil},
		{"another output", 400, "probability", "",
			`{"outputs":[{"name":"probability"}],` + input("bag", "FP32", "[1,1,28,28]", zeros)[1:],
			nil},
		{"shared memory", 400, "extensions", "",
			input("bag", "FP32", "[1,1,28,28]", `"parameters":{"shared_memory_region":"r"}`), nil},
		{"classification", 400, "extensions", "",
			`{"outputs":[{"name":"logits","parameters":{"classification":2}}],` + input("bag",
				"FP32", "[1,1,28,28]", zeros)[1:], nil},
	} {
		if c.path == "" {
			c.path = "/v2/models/model/infer"
		}
		status, _, _, failure := inferred(t, url+c.path, c.head, c.behind)
		must.Equal(t, status, c.status, c.what)
		must.Contain(t, failure, c.says)
	}
}

// The metadata of the server and of its models have the expected JSON.
func TestProtocol(t *testing.T) {
	// What the file's card says, and what was found out.
	const card = `{"classes":["neither 8 nor 9","an 8","a 9","an 8 and a 9"],"negative":0,` +
		`"output":"logits","output_name":"logits","inherent":"attention",` +
		`"preprocess":{"scale":0.00392156862745098,"mean":[0.1307],"std":[0.3081]},` +
		`"truth":[{"support":[0,1,2,3,4,5,6,7],"refute":[]},{"support":[8],"refute":[9]},` +
		`{"support":[9],"refute":[8]},{"support":[8,9],"refute":[]}],` +
		`"instance":"digit, digits"}`
	const model = `{"name":"model","versions":["1"],"platform":"onnx_bagscope",` +
		`"inputs":[{"name":"bag","datatype":"FP32","shape":[-1,1,28,28]}],` +
		`"outputs":[{"name":"logits","datatype":"FP32","shape":[4]},` +
		`{"name":"attention","datatype":"FP32","shape":[-1]}],` +
		`"parameters":{"bagscope":` + card + `}}`
	_, url := serve(t, Options{Version: "1.2.3"})
	for path, want := range map[string]string{
		"/v2": `{"name":"bagscope","version":"1.2.3",` +
			`"extensions":["binary_tensor_data"]}`,
		"/v2/health/live":                   `{"live":true}`,
		"/v2/health/ready":                  `{"ready":true}`,
		"/v2/models/model/ready":            `{"name":"model","ready":true}`,
		"/v2/models/model/versions/1/ready": `{"name":"model","ready":true}`,
		"/v2/models/model/versions/1":       model,
		"/v2/models/model":                  model,
	} {
		if status, kind, body := get(t, url+path); status != 200 || kind != "application/json" ||
			string(body) != want+"\n" {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", path, status, kind, body, want)
		}
	}
}
