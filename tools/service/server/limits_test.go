package server

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/tools/service/jobs"
)

// npy is a file of k instances of d zeros.
func npy(k, d int) []byte {
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", k, d)
	head += strings.Repeat(" ", 63-(len(head)+10)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil,
		uint16(len(head)))...)
	return append(append(b, head...), make([]byte, 4*k*d)...)
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	must.Do(t, w.Close())
	return b.Bytes()
}

func zipped(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f := must.Get(w.Create(name))(t)
	f.Write(data)
	must.Do(t, w.Close())
	return b.Bytes()
}

func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))))
	return b.Bytes()
}

// Invalid requests have the expected kind and detail of problem.
func TestRejectsInvalidRequests(t *testing.T) {
	limits := Limits{Body: 1 << 20, Unpacked: 1 << 20, Pixels: 10_000, Instances: 300, Memory: 500}
	_, url := serve(t, Options{Limits: limits})
	model := part{name: "model", data: []byte("model")}
	bag := part{"bag", "bags.npz", load(t, digitBags)}
	request := func(text string) part { return part{name: "request", data: []byte(text)} }
	file := func(name string, data []byte) part { return part{"bag", name, data} }
	bomb := make([]byte, 8<<20)
	for _, c := range []struct {
		what, kind, says string
		parts            []part
	}{
		{"no model", "request", "model is missing", []part{bag}},
		{"no bag", "request", "bag is missing", []part{model}},
		{"two model files", "request", "occurs more than once",
			[]part{{"model", "m.onnx", nil}, {"model", "m.onnx", nil}, bag}},
		{"another part", "request", `"mode"`,
			[]part{{name: "mode", data: []byte("x")}, model, bag}},
		{"a bag without a name", "request", "no file name",
			[]part{model, {name: "bag", data: bag.data}}},
		{"an unknown model", "unknown", "/v1/models",
			[]part{{name: "model", data: []byte("resnet")}, bag}},
		{"a path", "unknown", "/v1/models", []part{{name: "model", data: []byte("../digits/model")},
			bag}},
		{"a path to a file", "unknown", "/v1/models",
			[]part{{name: "model", data: []byte("../../../../etc/passwd\x00")}, bag}},
		{"an empty name", "unknown", "/v1/models", []part{{name: "model"}, bag}},
		{"no JSON", "request", "not valid JSON", []part{model, bag, request("methods=milli")}},
		{"an unknown key", "request", `"sample"`, []part{model, bag, request(`{"sample":10}`)}},
		{"a key twice", "request", `"seed" occurs twice`,
			[]part{model, bag, request(`{"seed":1,"seed":2}`)}},
		{"a key in upper case", "request", `use "seed"`, []part{model, bag, request(`{"SEED":1}`)}},
		{"two objects", "request", "data after its JSON object",
			[]part{model, bag, request(`{}{}`)}},
		{"less than nothing", "setting", "must not be negative",
			[]part{model, bag, request(`{"memory":-1}`)}},
		{"too many samples", "memory", "500 MB are allowed",
			[]part{model, bag, request(`{"methods":["milli"],"samples":13000000}`)}},
		{"a broken model", "format", "broken",
			[]part{{"model", "m.onnx", []byte("\x08\x07garbage")}, bag}},
		{"an empty model", "format", "", []part{{"model", "m.onnx", nil}, bag}},
		{"a broken bag", "format", "", []part{model,
			file("b.npz", []byte("PK\x03\x04 and no more"))}},
		{"another bag's shape", "bag", "the model takes (1, 28, 28)",
			[]part{model, file("b.npy", npy(3, 7))}},
		{"too many bytes", "limit", "1048576 bytes", []part{model, file("b.npy", bomb)}},
		{"too many instances", "limit", "301 instances",
			[]part{model, file("b.npy", npy(301, 28*28))}},
		{"too many pixels", "limit", "pixels", []part{model, file("b.png", picture(t, 101))}},
		{"a picture in too many patches", "limit", "instances",
			[]part{model, file("b.png", picture(t, 90)), request(`{"patch_size":28,"stride":1}`)}},
		{"patches of no size", "setting", "",
			[]part{model, file("b.png", picture(t, 90)), request(`{"patch_size":-28}`)}},
		{"a number for a word", "request", "class", []part{model, bag, request(`{"class":1}`)}},
		{"a bomb of gzip", "limit", "", []part{model, file("b.npy.gz", packed(t, bomb))}},
		{"a bomb in gzip", "limit", "", []part{model, file("b.npy.gz", packed(t, npy(1, 2<<20)))}},
		{"a bomb in zip", "limit", "", []part{model,
			file("b.npz", zipped(t, "instances.npy", npy(1, 2<<20)))}},
	} {
		status, kind, body := post(t, url+"/v1/explain", "", c.parts...)
		wantProblem(t, c.what, status, kind, body, c.kind, c.says)
	}
}

// TestMalformed sends what is no request at all.
func TestMalformed(t *testing.T) {
	_, url := serve(t, Options{})
	body, content := form(t, digitParts(t, "")...)
	for _, c := range []struct {
		what, method, path, kind, says string
		head                           map[string]string
		body                           []byte
	}{
		{"JSON", "POST", "/v1/explain", "media-type", "multipart",
			map[string]string{"Content-Type": "application/json"}, []byte("{}")},
		{"no type", "POST", "/v1/predict", "media-type", "multipart", nil, []byte("{}")},
		{"packed", "POST", "/v1/predict", "media-type", "must not be compressed",
			map[string]string{"Content-Type": content, "Content-Encoding": "gzip"}, body},
		{"half a body", "POST", "/v1/predict", "request", "is incomplete",
			map[string]string{"Content-Type": content}, body[:len(body)/2]},
		{"no boundary", "POST", "/v1/predict", "media-type", "multipart",
			map[string]string{"Content-Type": "multipart/form-data"}, body},
		{"another method", "GET", "/v1/explain", "method", "POST", nil, nil},
		{"another method", "DELETE", "/v1/models", "method", "GET", nil, nil},
		{"another address", "GET", "/v1/explanations", "unknown", "openapi", nil, nil},
		{"an address outside", "GET", "/etc/passwd", "unknown", "openapi", nil, nil},
		{"another site", "POST", "/v1/predict", "origin", "this origin are not allowed",
			map[string]string{"Content-Type": content, "Origin": "https://example.org"}, body},
		{"another site", "POST", "/v1/predict", "origin", "this origin are not allowed",
			map[string]string{"Content-Type": content, "Sec-Fetch-Site": "cross-site"}, body},
		{"another name", "GET", "/v1/models", "host", "localhost",
			map[string]string{"Host": "rebound.example.org"}, nil},
	} {
		r := must.Get(http.NewRequestWithContext(t.Context(), c.method, url+c.path,
			bytes.NewReader(c.body)))(t)
		for k, v := range c.head {
			r.Header.Set(k, v)
		}
		r.Host = c.head["Host"]
		status, kind, answer := send(t, r)
		wantProblem(t, c.what+" "+c.method+" "+c.path, status, kind, answer, c.kind, c.says)
	}
}

// heavy is a request that takes many seconds: a model that multiplies matrices of 128 x 128 in a
// loop of 400,000 trips.
func heavy() []part {
	const n = 64 // more are a vector
	weights := make([]float32, n*n)
	for i := range weights {
		weights[i] = 1. / n
	}
	trip := ot.Model{
		Inputs: []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool},
			ot.In("v", n, n)},
		Outputs: []ot.Value{{Name: "on", Type: ot.Bool}, ot.In("next", n, n)},
		Nodes:   ot.Nodes(`on = Identity(go); next = MatMul(v, w)`),
	}
	model := ot.Model{
		Opset: 13,
		Nodes: []ot.Node{
			ot.N("ReduceSum", []string{"x", "axis"}, []string{"sum"}),
			ot.N("Add", []string{"sum", "w"}, []string{"first"}),
			ot.N("Loop", []string{"trips", "", "first"}, []string{"last"}, ot.Body("body", trip)),
			ot.N("ReduceMean", []string{"last"}, []string{"scores"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
		},
		Initializers: []ot.Tensor{ot.F("w", weights, n, n), ot.I("trips", []int64{3_200_000}),
			ot.I("axis", []int64{0}, 1)},
		Inputs:  []ot.Value{ot.In("x", "k", n)},
		Outputs: []ot.Value{ot.In("scores", n)},
	}
	return []part{{"model", "heavy.onnx", model.Bytes()}, {"bag", "b.npy", npy(3, n)}}
}

// busy starts a heavy request and waits until it is computed. Leave ends it as a client that leaves
// does.
func busy(t testing.TB, s *Server, url string, working int) (leave func()) {
	t.Helper()
	data, content := form(t, heavy()...)
	ctx, cancel := context.WithCancel(t.Context())
	r := must.Get(http.NewRequestWithContext(ctx, "POST", url+"/v1/explain",
		bytes.NewReader(data)))(t)
	r.Header.Set("Content-Type", content)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				t.Error("a request that takes minutes was answered")
			}
		}
	}()
	until(t, "the request is computed", func() bool { return len(s.gate.working) >= working })
	return func() { cancel(); <-ended }
}

// patience is the time in which whatever must come has come, on any machine.
const patience = 2 * time.Minute

// until waits for something that must come.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		must.Equal(t, time.Now().After(end), false, what)
	}
}

// ample is limits under which a heavy request goes on.
var ample = Limits{Concurrency: 1, Queue: 1, Deadline: 10 * time.Minute}

// The work of a client that disconnects stops long before its explanation ends, which takes
// minutes.
func TestDisconnectStopsWork(t *testing.T) {
	s, url := serve(t, Options{Limits: ample})
	leave := busy(t, s, url, 1)
	leave()
	until(t, "the work has stopped", func() bool { return len(s.gate.working) == 0 })
}

// Requests beyond the queue get the status 429 with Retry-After. A waiting request is computed
// later.
func TestQueue(t *testing.T) {
	s, url := serve(t, Options{Limits: ample})
	leave := busy(t, s, url, 1)
	defer leave()
	waited := make(chan int, 1)
	go func() {
		status, _, _ := post(t, url+"/v1/predict", "", digitParts(t, "")...)
		waited <- status
	}()
	until(t, "the second waits", func() bool { return s.gate.waiting() == 1 })
	data, content := form(t, digitParts(t, "")...)
	response := must.Get(http.Post(url+"/v1/predict", content, bytes.NewReader(data)))(t)
	response.Body.Close()
	must.Equal(t, response.StatusCode, http.StatusTooManyRequests,
		response.Header.Get("Retry-After"))
	must.Equal(t, response.Header.Get("Retry-After") != "", true, response.StatusCode,
		response.Header.Get("Retry-After"))
	if status, _, _ := get(t, url+"/v1/models"); status != http.StatusOK {
		t.Errorf("a full queue keeps /v1/models from answering: %d", status)
	}
	leave()
	must.Equal(t, <-waited, http.StatusOK, "the one that waited got")
}

// TestHeaderOfPart: the header of a part of a form has a limit, whatever the body may have.
func TestHeaderOfPart(t *testing.T) {
	_, url := serve(t, Options{})
	for lines, kind := range map[int]string{10: "request", 20_000: "limit"} {
		r := must.Get(http.NewRequest("POST", url+"/v1/predict", strings.NewReader("--x\r\n"+
			strings.Repeat("A: b\r\n", lines)+"\r\n\r\n--x--\r\n")))(t)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		status, got, body := send(t, r)
		var p Problem
		if json.Unmarshal(body, &p) != nil || p.Kind != kind ||
			strings.Contains(string(body), "header of a part exceeds") != (kind == "limit") {
			t.Errorf("%d lines: %d %s %s", lines, status, got, body)
		}
	}
}

// A run that exceeds the limit of work is a problem of kind limit, and its work ends.
func TestWork(t *testing.T) {
	limits := ample
	limits.Work = 1 << 24
	s, url := serve(t, Options{Limits: limits})
	for _, path := range []string{"/v1/explain", "/v1/predict"} {
		status, kind, body := post(t, url+path, "", heavy()...)
		wantProblem(t, path, status, kind, body, "limit", "--max-work")
	}
	must.Equal(t, len(s.gate.working), 0, "it goes on")
}

// A request that exceeds its time limit is a problem of kind deadline, and its work ends.
func TestDeadline(t *testing.T) {
	limits := ample
	limits.Deadline = 300 * time.Millisecond
	s, url := serve(t, Options{Limits: limits})
	status, kind, body := post(t, url+"/v1/explain", "", heavy()...)
	wantProblem(t, "a heavy request", status, kind, body, "deadline",
		"exceeded the time limit of the server")
	must.Equal(t, len(s.gate.working), 0, "it goes on")
}

// A body that arrives too slowly is rejected and does not block the queue.
func TestSlowBody(t *testing.T) {
	limits := ample
	limits.Upload = 200 * time.Millisecond
	s, url := serve(t, Options{Limits: limits})
	c := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n")
	answer := make([]byte, 4096)
	c.SetReadDeadline(time.Now().Add(patience))
	n, err := c.Read(answer)
	must.Do(t, err, answer[:n])
	must.Equal(t, strings.HasPrefix(string(answer[:n]), "HTTP/1.1 408 "), true, answer[:n])
	must.Equal(t, strings.Contains(string(answer[:n]), `"kind":"slow"`), true, answer[:n])
	until(t, "its place is free", func() bool { return s.arrivals.count() == 0 })
}

// Lists that are small as bytes and large in memory are rejected by their number of values.
func TestBoundsCounts(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	times := func(text string, n int) string {
		return strings.TrimSuffix(strings.Repeat(text+",", n), ",")
	}
	var parts []part
	for range maxParts - 1 {
		parts = append(parts, part{"external", "a", nil})
	}
	model, bag := part{name: "model", data: []byte("model")}, part{"bag", "a.npy", npy(1, 4)}
	for _, path := range []string{"/v1/explain", "/v1/predict", "/v1/jobs"} {
		status, kind, body := post(t, url+path, "",
			append(parts[:maxParts-1:maxParts-1], model, bag)...)
		wantProblem(t, path, status, kind, body, "limit", "100000 parts")
		status, kind, body = post(t, url+path, "", model, bag,
			part{name: "request", data: []byte(`{"methods":[` + times(`""`, maxRequest/3) + `]}`)})
		wantProblem(t, path, status, kind, body, "limit", "part request")
		status, kind, body = post(t, url+path, "", model, bag,
			part{name: "card", data: bytes.Repeat([]byte(" "), maxCard+1)})
		wantProblem(t, path, status, kind, body, "limit", "part card")
	}
	for _, c := range []struct{ path, body string }{
		{"/v1/jobs", `{"models":["model"],"bags":[` + times("{}", maxParts+1) + `]}`},
		{"/v1/jobs", `{"models":[` + times(`""`, 1025) + `]}`},
		{"/v2/models/model/infer", `{"inputs":[` + times("{}", 1025) + `]}`},
		{"/v2/models/model/infer", `{"outputs":[` + times("{}", 1025) + `]}`},
		{"/v2/models/model/infer", `{"inputs":[{"shape":[` + times("1", 1025) + `]}]}`},
	} {
		response, err := http.Post(url+c.path, "application/json", strings.NewReader(c.body))
		must.Do(t, err)
		var p Problem
		err = json.NewDecoder(response.Body).Decode(&p)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusBadRequest ||
			!strings.Contains(p.Detail, "values, but at most") {
			t.Errorf("%s %.40s: %s, %v, %q", c.path, c.body, response.Status, err, p.Detail)
		}
	}
	big := `{"models":["model"],"bags":[{"file":"a","data":""}],"request":{"methods":[` +
		times(`""`, maxRequest/3) + `]}}`
	name := `{"models":["model"],"bags":[{"file":"` + strings.Repeat("a", maxPath+1) +
		`","data":""}]}`
	for _, c := range []struct{ what, body, says string }{
		{"a long request", big, "part request"}, {"a long file name", name, "4096 bytes"},
	} {
		r := must.Get(http.NewRequestWithContext(t.Context(), "POST", url+"/v1/jobs",
			strings.NewReader(c.body)))(t)
		r.Header.Set("Content-Type", "application/json")
		status, kind, body := send(t, r)
		wantProblem(t, c.what, status, kind, body, "limit", c.says)
	}
}

// TestWrongValues: a value of the wrong form is named by its key.
func TestWrongValues(t *testing.T) {
	_, url := serve(t, Options{})
	for request, says := range map[string]string{
		`{"seed":-1}`: `key "seed" of the request does not accept ` +
			`a JSON number -1`,
		`{"samples":99999999999999999999999}`: `key "samples"`,
		`{"methods":[1]}`: `key "methods" of the request does not accept ` +
			`a JSON number`,
		`{"index":"0"}`: `key "index" of the request does not accept ` +
			`a JSON string`,
		`[]`:           "must be a JSON object",
		`{`:            "not valid JSON for this path",
		`{"sample":1}`: `unknown field "sample"`,
	} {
		status, kind, body := post(t, url+"/v1/explain", "", digitParts(t, request)...)
		wantProblem(t, request, status, kind, body, "request", says)
		must.Equal(t, strings.Contains(string(body), "Go "), false, request, body)
	}
	status, _, _, failure := inferred(t, url+"/v2/models/model/infer",
		`{"inputs":[{"name":"bag","name":"bag"}]}`, nil)
	must.Equal(t, status, 400)
	must.Contain(t, failure, `"name" occurs twice`)
	status, _, _, failure = inferred(t, url+"/v2/models/model/infer",
		`{"inputs":[{"shape":[1.5]}]}`, nil)
	must.Equal(t, status, 400, failure)
	must.Equal(t, strings.Contains(failure, "number 1.5"), true, status, failure)
	must.Equal(t, strings.Contains(failure, "Go "), false, status, failure)
}

// TestDefaultLimits: the requests that are computed together share the processors, and a limit of a
// request counts if it is smaller than that of the server.
func TestDefaultLimits(t *testing.T) {
	n := runtime.GOMAXPROCS(0)
	for given, want := range map[Limits]Limits{
		{}:                      {Concurrency: n, Queue: 4 * n, Workers: 1},
		{Concurrency: 1}:        {Concurrency: 1, Queue: 4, Workers: n},
		{Concurrency: 3 * n}:    {Concurrency: 3 * n, Queue: 12 * n, Workers: 1},
		{Queue: 7, Workers: 2}:  {Concurrency: n, Queue: 7, Workers: 2},
		{Budget: 5, Memory: 10}: {Concurrency: n, Queue: 4 * n, Workers: 1},
	} {
		got := given.withDefaults()
		must.Equal(t, got.Concurrency, want.Concurrency, given, got)
		must.Equal(t, got.Queue, want.Queue, given, got)
		must.Equal(t, got.Workers, want.Workers, given, got)
		s := &ask.Settings{Budget: 7, Memory: 20}
		got.bound(s)
		must.Equal(t, s.Budget, min(7, got.Budget), got, s)
		must.Equal(t, s.Memory, min(20, int(got.Memory)), got, s)
		must.Equal(t, s.Workers, got.Workers, got, s)
	}
	for _, c := range [][3]int{{0, 5, 5}, {3, 5, 3}, {9, 5, 5}, {-1, 5, -1}} {
		must.Equal(t, bounded(c[0], c[1]), c[2], c[0], c[1])
	}
}
