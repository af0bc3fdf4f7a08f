package server

import (
	"cmp"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"sync"
	"time"
)

// arrivals are the bodies that are being received. A body that arrives has no place in the gate, so
// that slow clients cannot keep others from being computed. The number and the bytes of bodies have
// limits of their own. At a limit, the slowest body is cut off if it is slower than minRate.
type arrivals struct {
	mostBytes int64 // bytes of all bodies together

	mu    sync.Mutex
	open  map[*arrival]bool
	bytes int64 // received by open
}

// An arrival is a body that is being received. It implements io.Reader.
type arrival struct {
	of    *arrivals
	body  io.Reader
	begun time.Time
	stop  func() // makes Read return os.ErrDeadlineExceeded
	bytes int64
	head  int64 // most bytes that Read returns within the header of a part; -1 outside of one
	err   error // error of the first Read that failed, except io.EOF
}

// maxPartHeader is the number of bytes that the header of a part can have. The parser holds several
// copies of a header before its size is known.
const maxPartHeader = 16 << 10

const (
	// maxArriving is the number of bodies received at a time. A body takes some 20 KB beside its
	// bytes.
	maxArriving = 256
	// minRate is in bytes per second since the request began. Faster bodies are never cut off.
	minRate = 16 << 10
	// arrivalGrace is the age from which a body has a rate.
	arrivalGrace = time.Second
)

// admit begins to receive a body. If no place is free, it cuts off the slowest body, or returns a
// problem if all are fast enough. The caller must call end.
func (a *arrivals) admit(body io.Reader, stop func()) (*arrival, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) >= maxArriving && !a.cutSlowest() {
		return nil, problem("busy", "%d requests are being received; try again later", maxArriving)
	}
	b := &arrival{of: a, body: body, begun: time.Now(), stop: stop, head: -1}
	if a.open == nil {
		a.open = map[*arrival]bool{}
	}
	a.open[b] = true
	return b, nil
}

// cutSlowest cuts off the slowest body and frees its place. It returns false if every body is fast
// enough. The caller holds the lock.
func (a *arrivals) cutSlowest() bool {
	var slowest *arrival
	lowest, now := float64(minRate), time.Now()
	for b := range a.open {
		age := now.Sub(b.begun)
		if rate := float64(b.bytes) / age.Seconds(); age >= arrivalGrace && rate < lowest {
			slowest, lowest = b, rate
		}
	}
	if slowest == nil {
		return false
	}
	// stop is called under the lock, so that it never follows the end of the body.
	slowest.stop()
	a.remove(slowest)
	return true
}

// remove frees the place and the bytes of a body. The caller holds the lock.
func (a *arrivals) remove(b *arrival) {
	if a.open[b] {
		delete(a.open, b)
		a.bytes -= b.bytes
	}
}

// count returns the number of bodies that are being received.
func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.open)
}

// Read implements io.Reader. It returns a problem if the bytes of all bodies exceed their limit and
// no slower body can be cut off.
func (b *arrival) Read(p []byte) (int, error) {
	if b.head == 0 && b.err == nil {
		b.err = problem("limit", "the header of a part exceeds the limit of %d bytes",
			maxPartHeader)
	}
	if b.head == 0 {
		return 0, b.err
	}
	if b.head > 0 {
		p = p[:min(int64(len(p)), b.head)]
	}
	n, err := b.body.Read(p)
	if b.head > 0 {
		b.head -= int64(n)
	}
	if full := b.count(n); err == nil {
		err = full
	}
	if err != nil && err != io.EOF && b.err == nil {
		b.err = err
	}
	return n, err
}

// part returns the next part of a form. It fails if the header of the part is too long.
func (b *arrival) part(parts *multipart.Reader) (*multipart.Part, error) {
	b.head = maxPartHeader
	defer func() { b.head = -1 }()
	// A raw part keeps its transfer encoding, so that the limits count the received bytes.
	return parts.NextRawPart()
}

// count adds received bytes.
func (b *arrival) count(n int) error {
	a := b.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.open[b] {
		return nil // it was cut off; the next Read fails
	}
	b.bytes, a.bytes = b.bytes+int64(n), a.bytes+int64(n)
	for a.bytes > a.mostBytes {
		if !a.cutSlowest() {
			return problem("busy", "the requests that are being received have more than %d "+
				"bytes together; try again later", a.mostBytes)
		}
	}
	return nil
}

// end frees the place. It can be called again.
func (b *arrival) end() {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.remove(b)
}

// problem converts an error that occurred while the body was parsed. The error of the connection
// wins, because parsers replace it by their own if it occurs inside a header.
func (b *arrival) problem(err error) error {
	var p *Problem
	if err = cmp.Or(b.err, err); errors.As(err, &p) {
		return err
	}
	return readProblem(err)
}

// body begins to receive the body of a request, within the limits of its bytes. guard has set the
// time limit.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (*arrival, error) {
	control := http.NewResponseController(w)
	return s.arrivals.admit(http.MaxBytesReader(w, r.Body, s.limits.Body),
		func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
}

// received ends a body that was read to its end. It removes the time limit, so that the connection
// can be watched for a disconnect.
func (b *arrival) received(w http.ResponseWriter) {
	b.end()
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}
