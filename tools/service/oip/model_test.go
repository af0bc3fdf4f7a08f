package oip

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func bind(t *testing.T, m *Model, bag *core.Bag) core.Evaluator {
	t.Helper()
	return must.Get(m.Bind(t.Context(), bag))(t)
}

// open opens a fake's model with little patience.
func open(t *testing.T, f *fake, o Options) *Model {
	t.Helper()
	if o.Card == nil {
		o.Card = []byte(fakeCard)
	}
	o.Backoff = time.Millisecond
	return must.Get(Open(t.Context(), f.start(t), o))(t)
}

// coalitions draws n, of all sizes.
func coalitions(k, n int) *core.Coalitions {
	random := rand.New(rand.NewPCG(uint64(k), uint64(n)))
	z := core.NewCoalitions(k, n)
	for range n {
		z.AppendMembers(random.Perm(k)[:1+random.IntN(k)]...)
	}
	return z
}

func evaluate(t *testing.T, what string, ev core.Evaluator, bag *core.Bag, z *core.Coalitions) {
	t.Helper()
	got := make([]float64, 3*z.Len())
	if err := ev.Evaluate(t.Context(), got, z); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for j := range z.Len() {
		if want := truth(bag, z.Members(nil, j)); !slices.Equal(got[3*j:3*j+3], want) {
			t.Errorf("%s: coalition %s scores %v, want %v", what, z.String(j), got[3*j:3*j+3], want)
			return
		}
	}
}

// TestEvaluate asks servers of every kind: with and without binary tensors, an axis of bags, a
// bound of bags in a request.
func TestEvaluate(t *testing.T) {
	bag, z := fakeBag(9), coalitions(9, 150)
	for _, c := range []struct {
		name            string
		fake            *fake
		fewest, largest int64 // requests for the coalitions
	}{
		{"instances alone", &fake{shape: []int{-1, 3}}, 150, 150},
		{"instances alone, binary", &fake{shape: []int{-1, 3}, binary: true}, 150, 150},
		{"one bag", &fake{shape: []int{1, -1, 3}, binary: true}, 150, 150},
		{"bags", &fake{shape: []int{-1, -1, 3}}, 9, 12},
		{"bags, binary", &fake{shape: []int{-1, -1, 3}, binary: true}, 9, 12},
		{"four bags at most", &fake{shape: []int{-1, -1, 3}, binary: true, batch: 4}, 38, 70},
		{"one bag at most", &fake{shape: []int{-1, -1, 3}, batch: 1}, 150, 170},
		{"bags are mixed up", &fake{shape: []int{-1, -1, 3}, mixed: true}, 150, 150},
	} {
		m := open(t, c.fake, Options{Requests: 3})
		ev := bind(t, m, bag)
		before := c.fake.requests.Load()
		evaluate(t, c.name, ev, bag, z)
		if n := c.fake.requests.Load() - before; n < c.fewest || n > c.largest {
			t.Errorf("%s: %d requests", c.name, n)
		}
		if n := c.fake.most.Load(); n > 3 {
			t.Errorf("%s: %d requests at a time", c.name, n)
		}
		task := ev.Task()
		must.Equal(t, task, core.Task{Instances: 9, Classes: 3, Scale: core.ScaleRaw, Negative: -1},
			c.name)
		notes := strings.Join(ev.(core.Noter).Notes(), " ")
		alone := strings.Contains(notes, "its own request") ||
			strings.Contains(notes, "accepts one coalition")
		must.Equal(t, alone, (c.fake.mixed || c.fake.batch == 1), c.name, notes)
		p, err := m.Predict(t.Context(), bag)
		if err != nil || !slices.Equal(p.Scores, truth(bag, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})) ||
			len(p.Outputs) != 2 || !slices.Equal(p.Classes, []string{"a", "b", "size"}) {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
		phi, err := ev.(core.Attender).Attention(t.Context(), 0)
		if err != nil || len(phi) != 9 || phi[2] != float64(bag.Values[8]) {
			t.Errorf("%s: attention %v, %v", c.name, phi, err)
		}
	}
}

// TestBytes has a bag of 27 numbers and the same in float32 for the server, whose requests hold one
// bag each. As text a number counts four times.
func TestBytes(t *testing.T) {
	const numbers = 4 * 27
	bag := fakeBag(9)
	for _, c := range []struct {
		binary  bool
		request int64
	}{{true, numbers}, {false, 4 * numbers}} {
		f := &fake{shape: []int{-1, -1, 3}, binary: c.binary}
		m := open(t, f, Options{Requests: 3, Bytes: 1})
		need := must.Get(m.Needs(t.Context(), bag))(t)
		must.Equal(t, need, (2*numbers + 3*c.request), c.binary)
		must.Equal(t, bind(t, m, bag).(core.Sizer).Bytes(), 2*numbers, c.binary)
	}
}

// Without a card, two bags of different sizes determine which output has the class scores.
func TestOpenOutput(t *testing.T) {
	m := open(t, &fake{shape: []int{-1, -1, 3}}, Options{Card: []byte(`{}`)})
	must.Equal(t, m.Info().Output, "", "before a bag it is")
	n := must.Get(m.Anew())(t)
	must.Equal(t, bind(t, m, fakeBag(5)).Task().Classes, 3)
	must.Equal(t, m.Info().Output, "scores")
	must.Equal(t, n.Info().Output, "")
	if m := open(t, &fake{shape: []int{-1, 3}, card: fakeCard},
		Options{Card: []byte(`{"negative":1}`)}); m.Info().Classes[2] != "size" ||
		*m.Card().Negative != 1 {
		t.Errorf("the server's card under the one that is given: %+v", m.Card())
	}
}

// TestTriesAgain: a server that is busy, cuts connections or is binary a gateway that fails is
// asked again, and not before it wants to be.
func TestTriesAgain(t *testing.T) {
	bag, z := fakeBag(4), coalitions(4, 20)
	cut := func(w http.ResponseWriter) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	}
	for name, fail := range map[string]func(w http.ResponseWriter){
		"429": func(w http.ResponseWriter) { w.WriteHeader(429) },
		"503": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(503)
		},
		"502": func(w http.ResponseWriter) { w.WriteHeader(502) },
		"cut": cut,
		"led within": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/v2/models/fake/infer")
			w.WriteHeader(307)
		},
		"cut in half": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(`{"out`))
			cut(w)
		},
	} {
		f := &fake{shape: []int{-1, 3}, fail: func(w http.ResponseWriter, _ *http.Request,
			n int) bool {
			if n%3 == 0 {
				return false
			}
			fail(w)
			return true
		}}
		evaluate(t, name, bind(t, open(t, f, Options{Requests: 1}), bag), bag, z)
	}
	var first atomic.Int64
	f := &fake{shape: []int{-1, 3}, fail: func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n == 1 {
			first.Store(time.Now().UnixNano())
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
			return true
		}
		if n == 2 && time.Now().UnixNano()-first.Load() < int64(time.Second) {
			t.Error("it is asked again before it wants to be")
		}
		return false
	}}
	bind(t, open(t, f, Options{}), bag)
	must.Equal(t, first.Load() != 0, true, "it was not asked")
}

// TestFailures: what a server does wrong is an error of its kind, in words, and never a number.
func TestFailures(t *testing.T) {
	status := func(code int, head, body string) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			if name, value, ok := strings.Cut(head, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			w.Write([]byte(body))
			return true
		}
	}
	other := (&fake{}).start(t)
	elsewhere := strings.TrimSuffix(strings.TrimPrefix(other, "oip+"), "/fake")
	output := func(change func(*Tensor)) func(*Response) {
		return func(r *Response) { change(&r.Outputs[0]) }
	}
	for _, c := range []struct {
		name string
		kind Kind
		says string
		fake *fake
	}{
		{"busy for good", Busy, "3 tries", &fake{fail: status(429, "", "")}},
		{"busy for long", Busy, "requests a wait of 1h0m0s",
			&fake{fail: status(503, "Retry-After: 3600", "")}},
		{"busy until a day", Busy, "requests a wait of",
			&fake{fail: status(503, "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT", "")}},
		{"refuses", Refused, "batch is too\u2026 large",
			&fake{fail: status(400, "", `{"error":"batch is\ntoo\u2026 large"}`)}},
		{"wants a token", Refused, "token", &fake{fail: status(401, "", "")}},
		{"fails", Failed, "500: out of memory",
			&fake{fail: status(500, "", `{"error":"out of memory"}`)}},
		{"leads elsewhere", Redirected, "redirects to another address",
			&fake{fail: status(307, "Location: "+elsewhere+"/v2/models/fake/infer", "")}},
		{"leads to a GET", Redirected, "redirects to another address",
			&fake{fail: status(302, "Location: /v2/models/fake", "")}},
		{"answers with a page", Wrong, "Open Inference Protocol",
			&fake{fail: status(200, "", "<html>")}},
		{"answers with nothing", Wrong, `lacks the output "scores"`,
			&fake{fail: status(200, "", "{}")}},
		{"answers with a book", Large, "10000 bytes",
			&fake{fail: status(200, "", strings.Repeat(" ", 20_000))}},
		{"a header that lies", Wrong, BinaryHeader,
			&fake{fail: status(200, BinaryHeader+": 99999", "{}")}},
		{"a negative header", Wrong, BinaryHeader,
			&fake{fail: status(200, BinaryHeader+": -1", "{}")}},
		{"more classes", Wrong, "the model has 3 scores", &fake{lie: output(func(o *Tensor) {
			o.Shape, o.Data = []int{1, 4}, []byte("[1,2,3,4]")
		})}},
		{"a shape that lies", Wrong, "more or fewer",
			&fake{lie: output(func(o *Tensor) { o.Shape = []int{1, 4} })}},
		{"an endless shape", Wrong, "too large",
			&fake{lie: output(func(o *Tensor) { o.Shape = []int{1 << 40, 1 << 40} })}},
		{"a shape below nothing", Wrong, "contains no values",
			&fake{lie: output(func(o *Tensor) { o.Shape = []int{-3} })}},
		{"words for numbers", Wrong, "only numbers and lists of numbers",
			&fake{lie: output(func(o *Tensor) { o.Data = []byte(`["a","b","c"]`) })}},
		{"bytes that are not there", Wrong, "bytes remain", &fake{lie: output(func(o *Tensor) {
			o.Parameters = &TensorParameters{BinarySize: 1 << 50}
		})}},
		{"bytes below nothing", Wrong, "bytes remain", &fake{lie: output(func(o *Tensor) {
			o.Parameters = &TensorParameters{BinarySize: -5}
		})}},
		{"another output", Wrong, `lacks the output "scores"`,
			&fake{lie: output(func(o *Tensor) { o.Name = "other" })}},
	} {
		f := c.fake
		f.shape = []int{-1, 3}
		fail, lie := f.fail, f.lie
		f.fail, f.lie = nil, nil
		m := open(t, f, Options{Answer: 10_000, Tries: 3, Patience: 10 * time.Second})
		bag := fakeBag(4)
		ev := bind(t, m, bag)
		f.fail, f.lie = fail, lie
		z := coalitions(4, 5)
		wantError(t, c.name, ev.Evaluate(t.Context(), make([]float64, 3*z.Len()), z), c.kind,
			c.says)
		_, err := m.Predict(t.Context(), bag)
		wantError(t, c.name+", of the whole bag", err, c.kind, "")
	}
	f := &fake{shape: []int{-1, -1, 3}}
	m := open(t, f, Options{})
	bag := fakeBag(4)
	ev := bind(t, m, bag)
	f.lie = func(r *Response) { r.Outputs[0].Shape = []int{3, len(r.Outputs[0].Data)} }
	z := core.NewCoalitions(4, 2)
	z.AppendMembers(0)
	z.AppendMembers(1)
	wantError(t, "bags turned", ev.Evaluate(t.Context(), make([]float64, 6), z), Wrong, "")
}

// TestOpenFailures: what is no address, no server or no model is said before any bag is looked at.
func TestOpenFailures(t *testing.T) {
	closed := (&fake{}).start(t)
	for _, c := range []struct {
		name, address, says string
		o                   Options
	}{
		{"a path", "oip+http://host/a/b", "oip+http://HOST[:PORT]/NAME", Options{}},
		{"no name", "oip+http://host/", "has no model name", Options{}},
		{"no host", "oip+http:///name", "has no host", Options{}},
		{"a query", "oip+http://host/name?x=1", "has text after the model name", Options{}},
		{"a password", "oip+http://me:hunter2@host/name", TokenVariable, Options{}},
		{"a token in the clear", "oip+http://host.example/name", "oip+https",
			Options{Token: "hunter2"}},
		{"nobody there", "oip+http://127.0.0.1:1/name", "cannot be reached", Options{Tries: 1}},
		{"another model", strings.TrimSuffix(closed, "fake") + "other", "404", Options{}},
		{"two inputs", (&fake{
			metadata: `{"inputs":[{"name":"a","datatype":"FP32","shape":[-1,3]},` +
				`{"name":"b","datatype":"FP32","shape":[1]}],"outputs":[]}`}).start(t),
			"one input", Options{}},
		{"no input", (&fake{metadata: `{"inputs":[],"outputs":[]}`}).start(t), "no input",
			Options{}},
		{"no open axis", (&fake{
			metadata: `{"inputs":[{"name":"a","datatype":"FP32","shape":[5,3]}],` +
				`"outputs":[{"name":"y","datatype":"FP32","shape":[2]}]}`}).start(t),
			"no axis", Options{}},
		{"words", (&fake{
			metadata: `{"inputs":[{"name":"a","datatype":"BYTES","shape":[-1]}],` +
				`"outputs":[]}`}).start(t), "BYTES", Options{}},
		{"a page", (&fake{metadata: `<html>`}).start(t), "Open Inference Protocol", Options{}},
		{"another card", (&fake{shape: []int{-1, 3}}).start(t), "no output",
			Options{Card: []byte(`{"output_name":"none"}`)}},
		{"a broken card", (&fake{shape: []int{-1, 3}}).start(t), "JSON",
			Options{Card: []byte(`{`)}},
	} {
		c.o.Backoff = time.Millisecond
		m, err := Open(t.Context(), c.address, c.o)
		must.Equal(t, err != nil, true, c.name, m, err)
		must.Equal(t, strings.Contains(err.Error(), c.says), true, c.name, m, err)
		must.Equal(t, strings.Contains(err.Error(), "hunter2"), false, c.name, m, err)
	}
	var gap interface{ Error() string }
	must.As(t, must.Err(Open(t.Context(), "model.onnx", Options{})), &gap)
	for name, want := range map[string]bool{"oip+http://h/m": true, "OIP+HTTPS://h/m": true,
		"m.onnx": false, "http://h/m": false, "oip+http": false} {
		must.Equal(t, Is(name), want, name)
	}
}

// TestToken: every request has it, and no error tells it.
func TestToken(t *testing.T) {
	f := &fake{shape: []int{-1, 3}}
	m := open(t, f, Options{Token: "hunter2hunter2"})
	bind(t, m, fakeBag(3))
	for _, got := range f.tokens {
		must.Equal(t, got, "Bearer hunter2hunter2", "a request has")
	}
	if len(f.tokens) < 3 || strings.Contains(fmt.Sprintf("%+v", m.Info()), "hunter2") {
		t.Error("the token is told")
	}
}

// A server that does not respond causes an error after the time limit, and a cancelled request ends
// at once.
func TestSlow(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	f := &fake{shape: []int{-1, 3}}
	m, patient := open(t, f, Options{}), open(t, f, Options{})
	bag := fakeBag(3)
	ev, waiting := bind(t, m, bag), bind(t, patient, bag)
	m.client.options.Timeout = 100 * time.Millisecond // after what the server answers
	f.fail = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		return true
	}
	z := coalitions(3, 4)
	wantError(t, "slow", ev.Evaluate(t.Context(), make([]float64, 12), z), Slow, "100ms")
	left := errors.New("left")
	ctx, cancel := context.WithCancelCause(t.Context())
	before := f.requests.Load()
	ended := make(chan error)
	go func() { ended <- waiting.Evaluate(ctx, make([]float64, 12), z) }()
	for f.requests.Load() == before {
		time.Sleep(time.Millisecond)
	}
	cancel(left)
	must.Equal(t, <-ended, left)
	deadline, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	must.Equal(t, waiting.Evaluate(deadline, make([]float64, 12), z), context.DeadlineExceeded)
}
