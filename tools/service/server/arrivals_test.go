package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// stall connects to a server, sends the beginning of a form, and keeps the connection open.
func stall(t *testing.T, url, beginning string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n%s", beginning)
	c.SetReadDeadline(time.Now().Add(patience))
	return c
}

// wantAnswer reads a response with this status and a problem of this kind.
func wantAnswer(t *testing.T, c net.Conn, status int, kind string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	var p Problem
	must.Do(t, json.NewDecoder(response.Body).Decode(&p))
	must.Equal(t, response.StatusCode, status, p)
	must.Equal(t, p.Kind, kind, p)
}

// A body that stalls gets the status 408 wherever it stalls.
func TestStalledBodyIsSlow(t *testing.T) {
	s, url := serve(t, Options{Limits: Limits{Upload: 200 * time.Millisecond}})
	form := "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n" +
		"X-A: b\r\n\r\nmodel\r\n--x\r\n"
	for _, n := range []int{0, 1, 3, 5, 10, 24, 40, 58, 60, 63, 68, 69, 70, 72, len(form)} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			wantAnswer(t, stall(t, url, form[:n]), http.StatusRequestTimeout, "slow")
		})
	}
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		c := stall(t, url, "")
		fmt.Fprint(c, `{"models":`)
		wantAnswer(t, c, http.StatusRequestTimeout, "slow")
	})
	t.Cleanup(func() { until(t, "all have left", func() bool { return s.arrivals.count() == 0 }) })
}

// A client that closes its side before the end of the body can still read a problem.
func TestHalfClosedBodyIsIncomplete(t *testing.T) {
	_, url := serve(t, Options{})
	c := stall(t, url, "--x\r\nContent-Disp")
	must.Do(t, c.(*net.TCPConn).CloseWrite())
	wantAnswer(t, c, http.StatusBadRequest, "request")
}

// Bodies that drip have no place in the gate. The slowest is cut off for a request that finds no
// place to arrive; the next requests use the same place.
func TestSlowBodiesDoNotBlockOthers(t *testing.T) {
	s, url := serve(t, Options{Limits: Limits{Concurrency: 1, Queue: 1}})
	slow := make([]net.Conn, maxArriving)
	for i := range slow {
		slow[i] = stall(t, url, "--x\r\n")
	}
	until(t, "all places are taken", func() bool { return s.arrivals.count() == maxArriving })
	s.arrivals.mu.Lock()
	for b := range s.arrivals.open {
		b.begun = b.begun.Add(-2 * arrivalGrace)
	}
	s.arrivals.mu.Unlock()
	for range 3 {
		if status, _, body := post(t, url+"/v1/predict", "", digitParts(t, "")...); status != 200 {
			t.Errorf("status %d beside slow bodies: %s", status, body)
		}
	}
	until(t, "the requests have left", func() bool { return s.arrivals.count() == maxArriving-1 })
	cut := 0
	until(t, "a slow body is cut off", func() bool {
		for _, c := range slow {
			c.SetReadDeadline(time.Now().Add(time.Millisecond))
			b := make([]byte, 1<<10)
			if n, _ := c.Read(b); n > 0 {
				cut++
				if !bytes.HasPrefix(b, []byte("HTTP/1.1 408")) {
					t.Errorf("a slow body gets %q", b[:n])
				}
			}
		}
		return cut > 0
	})
	must.Equal(t, cut, 1)
}

// The slowest body loses its place, and none that is faster than the least rate.
func TestArrivalsCutSlowest(t *testing.T) {
	a := arrivals{mostBytes: 12 * minRate}
	var stopped []int
	begin := func(id, bytes int) *arrival {
		b := must.Get(a.admit(strings.NewReader(strings.Repeat("x", bytes)),
			func() { stopped = append(stopped, id) }))(t)
		b.begun = b.begun.Add(-2 * arrivalGrace)
		return b
	}
	read := func(b *arrival) error { _, err := io.Copy(io.Discard, b); return err }
	fast, slow, slower := begin(0, 8*minRate), begin(1, minRate), begin(2, minRate/2)
	for _, b := range []*arrival{fast, slow, slower} {
		must.Do(t, read(b))
	}
	// The fourth exceeds the bytes of all bodies until both slow ones are gone.
	must.Do(t, read(begin(3, 4*minRate)))
	must.Equal(t, fmt.Sprint(stopped), "[2 1]", stopped)
	var p *Problem
	last := begin(4, 6*minRate)
	last.begun = time.Now() // too young to have a rate
	if err := read(last); !errors.As(err, &p) || p.Kind != "busy" || len(stopped) != 2 {
		t.Errorf("beside fast bodies: %v; cut off: %v", err, stopped)
	}
	must.As(t, last.problem(errors.New("of a parser")), &p)
	must.Equal(t, p.Kind, "busy", "the parser's error hides the reason")
	last.end()
	last.end()
	must.Equal(t, a.count(), 2)
	must.Equal(t, a.bytes, 12*minRate)
}

// An error of the connection inside a header is not replaced by that of the parser.
func TestArrivalKeepsError(t *testing.T) {
	var a arrivals
	a.mostBytes = 1 << 20
	b, err := a.admit(iotest.TimeoutReader(strings.NewReader("ab")), func() {})
	must.Do(t, err)
	if _, err = io.ReadAll(iotest.OneByteReader(b)); !errors.Is(err, iotest.ErrTimeout) ||
		b.err != iotest.ErrTimeout {
		t.Errorf("%v, kept %v", err, b.err)
	}
}
