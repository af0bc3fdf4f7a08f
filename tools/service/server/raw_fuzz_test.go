package server

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// rawSeeds are bytes that confuse servers: two lengths of a body, broken chunks, other protocols,
// long headers and broken forms.
func rawSeeds() []string {
	const head = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n"
	form := "Content-Type: multipart/form-data; boundary=x\r\n"
	sized := func(body string) string {
		return head + form + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	return []string{
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz\r\n", "\r\n\r\n", "\x00",
		"GET http://localhost/healthz HTTP/1.1\r\nHost: example.org\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /%00%2e%2e/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
		// smuggling
		head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
			"GET /metrics HTTP/1.1\r\n\r\n",
		head + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n12345",
		head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		head + "Content-Length: -1\r\n\r\n", head + "Content-Length: 99999999999999999999\r\n\r\n",
		head + "Content-Length: 4\r\n\r\nabcdGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		// chunks
		head + form + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
		head + form + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n--x--\r\n0\r\nTrailer: x\r\n\r\n",
		head + form + "Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n",
		// negotiation
		head + form + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n--x--",
		head + "Expect: 200-ok\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\n" +
			"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
			"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\n" +
			"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AA==\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"\x16\x03\x01\x00\x2f\x01\x00\x00\x2b\x03\x03" + strings.Repeat("r", 40),
		// headers
		"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("b", 2*headerBytes) +
			"\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A:b\r\n", headerBytes/5) + "\r\n",
		"GET /" + strings.Repeat("a", 2*headerBytes) + " HTTP/1.1\r\n\r\n",
		"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \x80\r\n\r\n",
		// forms
		sized("--x--"), sized("--x\r\n"), sized("--x\r\n\r\n"), sized("--y\r\n\r\n--y--"),
		sized("--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nmodel\r\n--x--"),
		sized("--x\r\nContent-Disposition: form-data; " +
			"name=\"bag\"; filename=\"a.csv\"\r\n\r\nbag,f\na,1\r\n--x"),
		sized("--x\r\n" + strings.Repeat("A: b\r\n", maxPartHeader/5)),
		head + "Content-Type: multipart/form-data; boundary=\r\nContent-Length: 2\r\n\r\n--",
		head + "Content-Type: multipart/form-data; boundary=\"" + strings.Repeat("x", 80) +
			"\"\r\nContent-Length: 2\r\n\r\n--",
		"POST /v2/models/model/infer HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nInference-Header-Content-Length: -1\r\n" +
			"Content-Length: 2\r\n\r\n{}",
	}
}

// FuzzRaw sends bytes to a server over a connection, and ends its own side. The server must answer
// by HTTP/1 or close the connection, without a panic, and must answer the next request.
func FuzzRaw(f *testing.F) {
	for _, seed := range rawSeeds() {
		f.Add([]byte(seed))
	}
	limits := Limits{Body: 1 << 16, Unpacked: 1 << 20, Memory: 100, Budget: 100,
		Deadline: time.Second, Upload: time.Second}
	models := must.Get(OpenModels(digits, limits, Processor{}))(f)
	var log syncedBuffer
	s := must.Get(New(Options{Models: models, Limits: limits,
		Log: slog.New(slog.NewTextHandler(&log, nil))}))(f)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(f, err)
	go s.Run(f.Context(), l, time.Second)
	url := "http://" + l.Addr().String()
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := must.Get(net.Dial("tcp", l.Addr().String()))(t)
		defer c.Close()
		c.(*net.TCPConn).SetLinger(0) // a closed connection keeps no port
		c.SetDeadline(time.Now().Add(patience))
		go func() { // the server may close the connection meanwhile
			_, _ = c.Write(raw)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		answer, err := io.ReadAll(c)
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Errorf("neither an answer nor an end, after %q", answer)
		}
		if len(answer) > 0 && !bytes.HasPrefix(answer, []byte("HTTP/1.")) {
			t.Errorf("%.200q", answer)
		}
		response := must.Get(http.Get(url + "/healthz"))(t)
		response.Body.Close()
		must.Equal(t, response.StatusCode, http.StatusOK, response.Status)
		must.Equal(t, strings.Contains(log.take(), "panic"), false)
	})
}

// A syncedBuffer holds what several goroutines write.
type syncedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *syncedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns the text and forgets it.
func (b *syncedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}
