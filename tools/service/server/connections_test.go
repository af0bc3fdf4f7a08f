package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// patient are time limits that no test reaches.
var patient = connectionTimes{patience, patience, patience}

// dialled opens a raw connection that ends with the test, and writes text to it.
func dialled(t *testing.T, url, text string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
	t.Cleanup(func() { c.Close() })
	must.Get(io.WriteString(c, text))(t)
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// wantClosed fails unless the server closes a connection; it returns what was read before.
func wantClosed(t *testing.T, what string, c net.Conn) string {
	t.Helper()
	answer, err := io.ReadAll(c)
	must.Equal(t, errors.Is(err, os.ErrDeadlineExceeded), false, what)
	return string(answer)
}

// boundedServer starts a server with a bound of connections and time limits of them.
func boundedServer(t *testing.T, o Options, most int, times connectionTimes) (*Server, string) {
	t.Helper()
	s, url, stop, ended := runningWith(t, o, time.Second, times, func(s *Server) {
		s.connections.most = most
	})
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, url
}

// TestConnectionsAreBounded: connections without a request, with half a header, and with responses
// that nobody reads give their place to new ones, the oldest first. Not more than the bound are
// open.
func TestConnectionsAreBounded(t *testing.T) {
	const most = 4
	s, url := boundedServer(t, Options{Site: fstest.MapFS{"index.html": {},
		"large": {Data: make([]byte, 32<<20)}}}, most, patient)
	var idle []net.Conn
	for i, text := range []string{"", "GET / HTTP/1.1\r\nHost: loc",
		"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"} {
		idle = append(idle, dialled(t, url, text))
		until(t, "it is accepted", func() bool { return s.connections.count() == i+1 })
	}
	for i := range 3 * most {
		c := dialled(t, url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		head := make([]byte, len("HTTP/1.1 200"))
		must.Do(t, must.Err(io.ReadFull(c, head)))
		must.Equal(t, string(head), "HTTP/1.1 200", i, head)
		if n := s.connections.count(); n > most {
			t.Errorf("%d connections are open", n)
		}
	}
	for i, c := range idle {
		wantClosed(t, fmt.Sprint("idle connection ", i), c)
	}
}

// TestWorkKeepsConnection: requests with access keep their connections, however many others come.
func TestWorkKeepsConnection(t *testing.T) {
	store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
	defer store.Close()
	s, url := boundedServer(t, Options{Jobs: store, Limits: ample}, 2, patient)
	j := heavyJob(t, url)
	watch := "GET /v1/jobs/" + j.ID + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + eventStream +
		"\r\n\r\n"
	first := dialled(t, url, watch)
	until(t, "the job is watched", func() bool { return s.watching.count() == 1 })
	for range 5 {
		dialled(t, url, "")
	}
	until(t, "the others have come", func() bool { return s.connections.count() == 2 })
	second := dialled(t, url, watch)
	until(t, "the job is watched twice", func() bool { return s.watching.count() == 2 })
	wantClosed(t, "one too many", dialled(t, url, ""))
	must.Get(store.Cancel(j.ID))(t)
	for _, c := range []net.Conn{first, second} {
		text := make([]byte, 1<<10)
		for all := ""; !strings.Contains(all, "cancelled"); {
			n, err := c.Read(text)
			if all += string(text[:n]); err != nil {
				t.Fatalf("%v after %s", err, all)
			}
		}
	}
}

// TestConnectionTimes: connections that do nothing, begin a header, or do nothing after a request
// are closed, and so are those that begin no handshake.
func TestConnectionTimes(t *testing.T) {
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	short := connectionTimes{50 * time.Millisecond, 50 * time.Millisecond, patience}
	for _, c := range []struct {
		name, text, answer string
		certificate        *tls.Certificate
	}{
		{"nothing", "", "", nil},
		{"half a header", "GET / HTTP/1.1\r\nHost: loc", "", nil},
		{"idle", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200", nil},
		{"no handshake", "", "", &lender.TLS.Certificates[0]},
		{"half a handshake", "\x16\x03\x01\x02\x00\x01", "", &lender.TLS.Certificates[0]},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, url := boundedServer(t, Options{Certificate: c.certificate}, maxConnections, short)
			answer := wantClosed(t, c.name, dialled(t, url, c.text))
			must.Equal(t, strings.HasPrefix(answer, c.answer), true, answer)
			until(t, "its place is free", func() bool { return s.connections.count() == 0 })
		})
	}
}

// TestLongHeader: a header beyond its limit is refused before the rest arrives.
func TestLongHeader(t *testing.T) {
	_, url := boundedServer(t, Options{}, maxConnections, patient)
	c := dialled(t, url, "")
	go func() { // the server closes the connection meanwhile
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n"+
			strings.Repeat("A: "+strings.Repeat("b", 100)+"\r\n", 10*headerBytes/100))
	}()
	head := make([]byte, len("HTTP/1.1 431"))
	must.Do(t, must.Err(io.ReadFull(c, head)))
	must.Equal(t, string(head), "HTTP/1.1 431", head)
}

// TestSlowReader: a client that does not read its response is disconnected.
func TestSlowReader(t *testing.T) {
	s, url := boundedServer(t, Options{Limits: Limits{Upload: 100 * time.Millisecond},
		Site: fstest.MapFS{"index.html": {}, "large": {Data: make([]byte, 64<<20)}}},
		maxConnections, patient)
	dialled(t, url, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
	until(t, "it is accepted", func() bool { return s.connections.count() == 1 })
	until(t, "it is disconnected", func() bool { return s.connections.count() == 0 })
}

// TestRefusalArrives: a response before the body has arrived reaches a client that sends on.
func TestRefusalArrives(t *testing.T) {
	_, url := boundedServer(t, Options{Limits: Limits{Body: 1000}}, maxConnections, patient)
	response := must.Get(http.Post(url+"/v1/predict", "multipart/form-data; boundary=x",
		strings.NewReader("--x\r\n"+strings.Repeat("a", 1<<20))))(t)
	response.Body.Close()
	must.Equal(t, response.StatusCode/100, 4, response.Status)
}
