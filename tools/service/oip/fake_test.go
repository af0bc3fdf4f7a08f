package oip

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A fake is a server with one model of bags of vectors of three: class c scores the largest of an
// instance's c-th value, and class 2 how many instances there are. Its fields make it worse than
// that.
type fake struct {
	shape    []int // shape of the input
	binary   bool
	batch    int // most bags in a request, 0 for any
	metadata string
	// answers in the model's place the n-th request for inference
	fail  func(w http.ResponseWriter, r *http.Request, n int) bool
	lie   func(*Response)
	mixed bool // bags of one request are mixed up
	card  string

	requests, bags, most, under atomic.Int64
	mu                          sync.Mutex
	tokens                      []string
}

func (f *fake) start(t *testing.T) string {
	t.Helper()
	h := httptest.NewServer(f)
	t.Cleanup(h.Close)
	return "oip+" + h.URL + "/fake"
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.tokens = append(f.tokens, r.Header.Get("Authorization"))
	f.mu.Unlock()
	switch r.URL.Path {
	case "/v2":
		s := Server{Name: "fake"}
		if f.binary {
			s.Extensions = []string{BinaryExtension}
		}
		f.send(w, s)
	case "/v2/models/fake":
		if f.metadata != "" {
			io.WriteString(w, f.metadata)
			return
		}
		m := Metadata{Name: "fake", Inputs: []Port{{"x", "FP32", f.shape}},
			Outputs: []Port{{"scores", "FP32", []int{-1, 3}}, {"each", "FP32", []int{-1, -1}}}}
		if f.card != "" {
			m.Parameters = &MetadataParameters{Card: json.RawMessage(f.card)}
		}
		f.send(w, m)
	case "/v2/models/fake/infer":
		if under := f.under.Add(1); under > f.most.Load() {
			f.most.Store(under)
		}
		defer f.under.Add(-1)
		n := int(f.requests.Add(1))
		if f.fail != nil && f.fail(w, r, n) {
			return
		}
		f.infer(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (f *fake) send(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func (f *fake) infer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var binary []byte
	if n, err := strconv.Atoi(r.Header.Get(BinaryHeader)); err == nil {
		body, binary = body[:n], body[n:]
	}
	var q Request
	if err := json.Unmarshal(body, &q); err != nil || (binary != nil) != f.binary {
		http.Error(w, `{"error":"no request"}`, http.StatusBadRequest)
		return
	}
	count, err := q.Inputs[0].Count()
	if err != nil {
		http.Error(w, `{"error":"no count"}`, http.StatusBadRequest)
		return
	}
	x, err := Values[float64](&q.Inputs[0], count, binary)
	s := q.Inputs[0].Shape
	if err != nil || len(s) != len(f.shape) || s[len(s)-1] != 3 {
		http.Error(w, `{"error":"no input"}`, http.StatusBadRequest)
		return
	}
	n, k := 1, s[len(s)-2]
	if len(s) == 3 {
		n = s[0]
	}
	if f.batch > 0 && n > f.batch {
		http.Error(w, fmt.Sprintf(`{"error":"batch-size must be <= %d"}`, f.batch),
			http.StatusBadRequest)
		return
	}
	f.bags.Add(int64(n))
	scores := onnxbackend.Output{Name: "scores", Type: "float32", Shape: []int{n, 3}}
	each := onnxbackend.Output{Name: "each", Type: "float32", Shape: []int{n, k}}
	for b := range n {
		bag := x[b*k*3:][:k*3]
		if f.mixed {
			bag = x[:k*3]
		}
		top := []float64{bag[0], bag[1], float64(k)}
		for i := range k {
			top[0], top[1] = max(top[0], bag[3*i]), max(top[1], bag[3*i+1])
			each.Data = append(each.Data, bag[3*i+2])
		}
		scores.Data = append(scores.Data, top...)
	}
	var answer Response
	var tensors []byte
	for _, o := range []onnxbackend.Output{scores, each} {
		at := slices.IndexFunc(q.Outputs, func(w OutputRequest) bool { return w.Name == o.Name })
		if len(q.Outputs) > 0 && at < 0 {
			continue
		}
		binary := q.Parameters.BinaryOutput || at >= 0 && q.Outputs[at].Parameters.Binary != nil &&
			*q.Outputs[at].Parameters.Binary
		tensor, data, err := Write(o, binary)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.Outputs, tensors = append(answer.Outputs, tensor), append(tensors, data...)
	}
	if f.lie != nil {
		f.lie(&answer)
	}
	text, _ := json.Marshal(answer)
	if tensors != nil {
		w.Header().Set(BinaryHeader, strconv.Itoa(len(text)))
	}
	w.Write(append(text, tensors...))
}

// fakeCard says what the metadata of a fake do not.
const fakeCard = `{"output":"raw","output_name":"scores","inherent":"each",` +
	`"classes":["a","b","size"],"negative":-1}`

// fakeBag has k instances of three values.
func fakeBag(k int) *core.Bag {
	b := &core.Bag{Name: "bag", Shape: []int{3}}
	for i := range 3 * k {
		b.Values = append(b.Values, float32((i*7919)%101)/10)
	}
	return b
}

// truth is what the fake says of some instances of a bag.
func truth(b *core.Bag, members []int) []float64 {
	top := []float64{-1, -1, float64(len(members))}
	for _, i := range members {
		top[0], top[1] = max(top[0], float64(b.Values[3*i])), max(top[1], float64(b.Values[3*i+1]))
	}
	return top
}

func wantError(t *testing.T, what string, err error, kind Kind, says string) {
	t.Helper()
	e, ok := err.(*Error)
	if !ok || e.Kind != kind || !strings.Contains(err.Error(), says) ||
		strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("%s: %v (%T), want the kind %s and %q", what, err, err, kind, says)
	}
}
