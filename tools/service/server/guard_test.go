package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// request makes a GET request with some head lines, "NAME: VALUE" each.
func request(t *testing.T, method, url string, head ...string) *http.Request {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, nil))(t)
	for _, line := range head {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	return r
}

func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	must.Do(t, os.WriteFile(file, []byte("# two\n0123456789abcdef\n\n fedcba9876543210 \n"), 0o600))
	tokens := must.Get(ReadTokens(file))(t)
	_, url := serve(t, Options{Tokens: tokens})
	for _, c := range []struct {
		path, head string
		status     int
	}{
		{"/v1/models", "", 401},
		{"/v1/models", "Authorization: Bearer 0123456789abcdeg", 401},
		{"/v1/models", "Authorization: Bearer ", 401},
		{"/v1/models", "Authorization: Basic 0123456789abcdef", 401},
		{"/v1/models", "Authorization: 0123456789abcdef", 401},
		{"/v1/models", "Authorization: Bearer 0123456789abcdef", 200},
		{"/v1/models", "Authorization: bearer fedcba9876543210", 200},
		{"/metrics", "", 401},
		{"/healthz", "", 200},
		{"/readyz", "", 200},
		{"/v1/openapi.json", "", 200},
	} {
		r := request(t, "GET", url+c.path, c.head)
		if c.head == "" {
			r.Header = http.Header{}
		}
		response := must.Get(http.DefaultClient.Do(r))(t)
		body := must.Get(io.ReadAll(response.Body))(t)
		response.Body.Close()
		asks := response.Header.Get("WWW-Authenticate") == "Bearer"
		must.Equal(t, response.StatusCode, c.status, c.path, c.head, response.Header)
		must.Equal(t, asks, c.status == 401, c.path, c.head, response.Header)
		if c.status == 401 {
			wantProblem(t, c.path, response.StatusCode, response.Header.Get("Content-Type"), body,
				"token", "Bearer")
		}
	}
	for _, text := range []string{"", "# none\n", "short\n", "two words that are long\n"} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		must.Equal(t, must.Err(ReadTokens(file)) != nil, true, text)
	}
}

// TestOrigins: no page of another site may ask or read, but those that are named.
func TestOrigins(t *testing.T) {
	_, url := serve(t, Options{Origins: []string{"https://friend.example"}})
	for origin, allowed := range map[string]string{
		"https://friend.example": "https://friend.example", "https://foe.example": "", "null": ""} {
		response := must.Get(http.DefaultClient.Do(request(t, "OPTIONS", url+"/v1/explain",
			"Origin: "+origin, "Access-Control-Request-Method: POST")))(t)
		response.Body.Close()
		must.Equal(t, response.Header.Get("Access-Control-Allow-Origin"), allowed, origin)
		status, _, _ := send(t, request(t, "POST", url+"/v1/explain", "Origin: "+origin))
		must.Equal(t, status, map[bool]int{true: 415, false: 403}[allowed != ""], origin)
	}
	must.Fail(t, must.Err(New(Options{Origins: []string{"friend.example"}})))
}

// A panic is a response with an id, under which the log has the details.
func TestPanic(t *testing.T) {
	log, written := logged()
	s := must.Get(New(Options{Log: log}))(t)
	broken := must.Get(s.guard(s.route(route{path: "/v1/broken", open: true, gated: true,
		answer: func(http.ResponseWriter, *http.Request) error {
			panic("a secret of the bag")
		}})))(t)
	h := httptest.NewServer(broken)
	defer h.Close()
	for range 2 * (cap(s.gate.inside) + 1) { // each gives its place back
		status, kind, body := get(t, h.URL+"/v1/broken")
		wantProblem(t, "a panic", status, kind, body, "internal", "log")
		var p Problem
		must.Do(t, json.Unmarshal(body, &p))
		must.Contain(t, written.String(), `"msg":"panic","id":"`+strings.TrimPrefix(p.Instance,
			"urn:bagscope:request:"))
	}
	must.Equal(t, strings.Contains(written.String(), "secret"), false, "the log holds data")
}

// The log and the metrics describe requests and contain nothing that clients sent.
func TestLog(t *testing.T) {
	log, written := logged()
	_, url := serve(t, Options{Log: log})
	parts := digitParts(t, `{"class":"an 8","name":"bag-of-jane-doe"}`)
	parts[1].file = "jane-doe.npz"
	if status, _, body := post(t, url+"/v1/explain", "", parts...); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	parts[2].data = []byte(`{"class":"jane-doe"}`)
	post(t, url+"/v1/explain", "", parts...)
	get(t, url+"/jane-doe?name=jane-doe")
	send(t, request(t, "JANE-DOE", url+"/v1/models", "Jane-Doe: jane-doe"))
	_, kind, body := get(t, url+"/metrics")
	must.Equal(t, strings.HasPrefix(kind, "text/plain"), true, kind)
	for _, want := range []string{
		`bagscope_requests_total{route="/v1/explain",status="200"} 1`,
		`bagscope_requests_total{route="/v1/explain",status="400"} 1`,
		`bagscope_requests_total{route="other",status="404"} 1`,
		`bagscope_request_seconds_count{route="/v1/explain"} 2`,
		"bagscope_working 0", "bagscope_waiting 0", "go_goroutines",
	} {
		must.Contain(t, string(body), want)
	}
	for _, text := range []string{written.String(), string(body)} {
		must.Equal(t, strings.Contains(strings.ToLower(text), "jane"), false, text)
	}
	lines := 0
	for scan := bufio.NewScanner(strings.NewReader(written.String())); scan.Scan(); lines++ {
		var l struct {
			Msg, ID, Method, Route, Kind string
			Status                       int
		}
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil || l.Msg != "request" ||
			len(l.ID) != 16 || l.Status == 0 || l.Route == "" {
			t.Errorf("%v in %s", err, scan.Text())
		}
	}
	must.Equal(t, lines, 5)
}

// The site and the API are served by one server under different paths.
func TestSite(t *testing.T) {
	_, url := serve(t, Options{Site: fstest.MapFS{"index.html": {Data: []byte("<p>the page")},
		"v1/methods": {Data: []byte("not this")}}})
	if status, kind, body := get(t, url+"/"); status != 200 ||
		!strings.HasPrefix(kind, "text/html") || string(body) != "<p>the page" {
		t.Errorf("%d %s %s", status, kind, body)
	}
	if _, kind, _ := get(t, url+"/v1/methods"); kind != "application/json" {
		t.Errorf("/v1/methods is of type %s", kind)
	}
	for _, path := range []string{"/nothing.html", "/v1/nothing", "/../guard.go", "//", "/.",
		"/..", "//v1/methods", "/v1/./methods", "/index.html/x"} {
		status, kind, body := get(t, url+path)
		wantProblem(t, path, status, kind, body, "unknown", "/v1/openapi.json")
	}
	for _, path := range []string{"/", "/v1/methods"} {
		status, kind, body := send(t, request(t, "DELETE", url+path))
		wantProblem(t, path, status, kind, body, "method", "use GET")
	}
}

// running starts a server on a port of its own and returns how it is stopped and how it ended.
func running(
	t *testing.T, o Options, drain time.Duration,
) (s *Server, url string, stop func(), ended chan error) {
	t.Helper()
	return runningWith(t, o, drain, connectionTimes{patience, patience, patience})
}

// runningWith is running with time limits of connections, and changes of the server.
func runningWith(
	t *testing.T, o Options, drain time.Duration, times connectionTimes, change ...func(s *Server),
) (s *Server, url string, stop func(), ended chan error) {
	t.Helper()
	s = must.Get(New(o))(t)
	s.times = times
	for _, f := range change {
		f(s)
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- s.Run(ctx, l, drain) }()
	return s, fmt.Sprintf("http://%s", l.Addr()), cancel, ended
}

// TestTLS: with a certificate the server speaks https alone, and HTTP/1.1 also to clients that
// offer HTTP/2. A client that leaves stops its work.
func TestTLS(t *testing.T) {
	models := must.Get(OpenModels(digits, Limits{}, Processor{}))(t)
	lender := httptest.NewTLSServer(nil) // has a certificate and a client that trusts it
	defer lender.Close()
	s := must.Get(New(Options{Models: models, Limits: ample,
		Certificate: &lender.TLS.Certificates[0]}))(t)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l, time.Second) }()
	client := lender.Client()
	client.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	for _, parts := range [][]part{digitParts(t, ""), heavy()} {
		body, kind := form(t, parts...)
		asking, leave := context.WithCancel(t.Context())
		r := must.Get(http.NewRequestWithContext(asking, "POST",
			"https://"+l.Addr().String()+"/v1/predict", bytes.NewReader(body)))(t)
		r.Header.Set("Content-Type", kind)
		answered := make(chan error, 1)
		go func() {
			response, err := client.Do(r)
			if err == nil {
				response.Body.Close()
				if response.ProtoMajor != 1 || response.StatusCode != http.StatusOK {
					err = fmt.Errorf("%s, %s", response.Proto, response.Status)
				}
			}
			answered <- err
		}()
		if len(parts) == 3 { // the digits
			must.Do(t, <-answered)
			leave()
			continue
		}
		until(t, "it works", func() bool { return len(s.gate.working) == 1 })
		leave()
		until(t, "the work has stopped", func() bool { return len(s.gate.working) == 0 })
		<-answered
	}
	if response, err := http.Get("http://" + l.Addr().String() + "/healthz"); err == nil {
		if response.Body.Close(); response.StatusCode == http.StatusOK {
			t.Error("it answers without TLS")
		}
	}
	stop()
	must.Do(t, <-ended)
}

// TestDrain: a server that is stopped finishes what it has begun.
func TestDrain(t *testing.T) {
	models := must.Get(OpenModels(digits, Limits{}, Processor{}))(t)
	s, url, stop, ended := running(t, Options{Models: models}, time.Minute)
	release := s.hold()
	answered := make(chan int, 1)
	go func() {
		defer close(answered) // also if post fails
		status, _, _ := post(t, url+"/v1/predict", "", digitParts(t, "")...)
		answered <- status
	}()
	until(t, "it waits", func() bool { return len(s.gate.inside) == 1 })
	stop()
	until(t, "nothing new is taken", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if w := httptest.NewRecorder(); !s.stopping.Load() {
		t.Error("it is ready")
	} else if s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/readyz",
		nil)); w.Code != 503 {
		t.Errorf("/readyz answers %d", w.Code)
	}
	release()
	must.Equal(t, <-answered, 200, "what was begun got")
	must.Do(t, <-ended)
}

// TestDrainDelay: a server that is stopped reports that it is not ready, and answers all other
// requests until the delay ends.
func TestDrainDelay(t *testing.T) {
	models := must.Get(OpenModels(digits, Limits{}, Processor{}))(t)
	over, asked := make(chan time.Time), make(chan time.Duration, 1)
	_, url, stop, ended := runningWith(t, Options{Models: models, DrainDelay: time.Hour},
		time.Minute, patient, func(s *Server) {
			s.after = func(d time.Duration) <-chan time.Time {
				asked <- d
				return over
			}
		})
	want := func(path string, status int, last bool) {
		t.Helper()
		response := must.Get(http.Get(url + path))(t)
		response.Body.Close()
		if response.StatusCode != status || response.Close != last {
			t.Errorf("%s: status %d, connection closed %v", path, response.StatusCode,
				response.Close)
		}
	}
	want("/readyz", 200, false)
	stop()
	must.Equal(t, <-asked, time.Hour, "the delay is")
	want("/readyz", 503, true)
	want("/v2/health/ready", 503, true)
	want("/healthz", 200, true)
	want("/v1/methods", 200, true)
	if status, _, body := post(t, url+"/v1/predict", "", digitParts(t, "")...); status != 200 {
		t.Errorf("a new request: %d %s", status, body)
	}
	close(over)
	must.Do(t, <-ended)
	if response, err := http.Get(url + "/readyz"); err == nil {
		response.Body.Close()
		t.Error("the listener is open")
	}
}

// hold takes all turns to work until it is released.
func (s *Server) hold() (release func()) {
	for range cap(s.gate.working) {
		s.gate.working <- struct{}{}
	}
	return func() {
		for range cap(s.gate.working) {
			<-s.gate.working
		}
	}
}

// Requests that exceed the time to drain get a response, and the server ends.
func TestDrainEnds(t *testing.T) {
	s, url, stop, ended := running(t, Options{Limits: ample}, 100*time.Millisecond)
	type answer struct {
		status int
		kind   string
		body   []byte
	}
	answered := make(chan answer, 1)
	go func() {
		defer close(answered) // also if post fails
		status, kind, body := post(t, url+"/v1/explain", "", heavy()...)
		answered <- answer{status, kind, body}
	}()
	until(t, "it works", func() bool { return len(s.gate.working) == 1 })
	stop()
	a := <-answered
	wantProblem(t, "what was given up", a.status, a.kind, a.body, "stopping",
		"the server is stopping")
	must.Do(t, <-ended)
}

// TestSlowHead: a head that trickles in is not waited for.
func TestSlowHead(t *testing.T) {
	_, url, stop, ended := runningWith(t, Options{}, time.Second,
		connectionTimes{100 * time.Millisecond, patience, patience})
	c := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
	defer c.Close()
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: loc")
	c.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, 512)
	if _, err := c.Read(b); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("it is waited for: %v", err)
	}
	stop()
	must.Do(t, <-ended)
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:0": true, "[::1]:80": true, "localhost:80": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "192.168.1.1:80": false,
		"localhost.example.org:80": false, "example.org:80": false,
	} {
		must.Equal(t, must.Get(Loopback(address))(t), want, address)
	}
}
