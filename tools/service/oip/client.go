package oip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
)

// A client sends requests for one model to one server. A request that waits for its next try keeps
// its slot, so that a busy server receives fewer requests.
type client struct {
	address
	options Options
	http    *http.Client
	slots   chan struct{}
}

// newClient returns a client with its own pool of connections.
func newClient(a address, o Options) *client {
	c := &client{address: a, options: o, slots: make(chan struct{}, o.Requests)}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = o.Requests
	transport.DisableCompression = true // the size of decompressed data would have no bound
	c.http = &http.Client{Transport: transport, CheckRedirect: c.follow}
	return c
}

// errRedirected is the error of a redirect that is not followed.
var errRedirected = errors.New("redirected")

// follow allows redirects that keep the host and the method.
func (c *client) follow(to *http.Request, via []*http.Request) error {
	first := via[0]
	if to.URL.Host != first.URL.Host || to.URL.Scheme != first.URL.Scheme ||
		to.Method != first.Method || len(via) > 3 {
		return errRedirected
	}
	return nil
}

// A reply is a response with status 200.
type reply struct {
	head http.Header
	body []byte
}

// do sends a request and retries it while the server is busy. Errors are *Error, or the cause if
// ctx ends.
func (c *client) do(
	ctx context.Context, method, url string, head map[string]string, body []byte,
) (*reply, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	// wait doubles with each try.
	wait := c.options.Backoff
	for try := 1; ; try++ {
		r, again, err := c.try(ctx, method, url, head, body)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			return r, nil
		}
		if again < 0 || try >= c.options.Tries {
			if again >= 0 {
				err.Reason += fmt.Sprintf("; %d tries", try)
			}
			return nil, err
		}
		// random, so that clients do not retry at the same time
		pause := max(again, wait/2+rand.N(wait/2+1))
		if again > c.options.Patience {
			err.Reason += msg.Sprintf("; it requests a wait of %v, but the limit is %v",
				again.Round(time.Second), c.options.Patience)
			return nil, err
		}
		wait = min(2*wait, c.options.Patience)
		timer := time.NewTimer(min(pause, c.options.Patience))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// never is the wait of a failure that another try would not change.
const never = time.Duration(-1)

// try sends a request once. With an error it returns the shortest wait before another try, or
// never.
func (c *client) try(
	ctx context.Context, method, url string, head map[string]string, body []byte,
) (*reply, time.Duration, *Error) {
	fail := func(kind Kind, again time.Duration, status int, reason string, args ...any) (*reply,
		time.Duration, *Error) {
		return nil, again, &Error{c.name, c.host, kind, status, msg.Sprintf(reason, args...)}
	}
	// The time limit is for one try, not for all of them.
	one, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(one, method, url, bytes.NewReader(body))
	if err != nil {
		return fail(Unreachable, never, 0, "the request to its server is invalid")
	}
	for k, v := range head {
		request.Header.Set(k, v)
	}
	if c.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	answer, err := c.http.Do(request)
	switch {
	case errors.Is(err, errRedirected):
		answer.Body.Close()
		return fail(Redirected, never, answer.StatusCode,
			"its server redirects to another address (status %d), which is not allowed",
			answer.StatusCode)
	case one.Err() != nil:
		return fail(Slow, never, 0, "its server did not respond within %v", c.options.Timeout)
	case err != nil:
		return fail(Unreachable, 0, 0, "its server cannot be reached: %s", connectionError(err))
	}
	defer answer.Body.Close()
	// One more byte than the limit shows that the response is too long.
	data, err := io.ReadAll(io.LimitReader(answer.Body, c.options.Answer+1))
	switch {
	case one.Err() != nil:
		return fail(Slow, never, 0, "its server did not respond within %v", c.options.Timeout)
	case int64(len(data)) > c.options.Answer:
		return fail(Large, never, answer.StatusCode,
			"the response of its server exceeds the limit of %d bytes", c.options.Answer)
	case err != nil:
		return fail(Unreachable, 0, 0, "the connection was lost during a response: %s",
			connectionError(err))
	}
	switch status := answer.StatusCode; {
	case status == http.StatusOK:
		return &reply{answer.Header, data}, 0, nil
	// Gateways return these statuses while a server starts or is overloaded.
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable,
		status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return fail(Busy, retryAfter(answer.Header), status, "its server is busy (status %d%s)",
			status, errorText(data))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fail(Refused, never, status,
			"its server rejects the token, or needs one (status %d)", status)
	case status >= 400 && status < 500:
		return fail(Refused, never, status, "its server rejects the request (status %d%s)", status,
			errorText(data))
	default:
		return fail(Failed, never, status, "its server failed (status %d%s)", status,
			errorText(data))
	}
}

// errorText returns the error message in a response.
func errorText(body []byte) msg.Text {
	var e struct {
		Error any `json:"error"`
	}
	// The protocol defines error as a string, but some servers send an object.
	if json.Unmarshal(body, &e) == nil {
		if text, ok := e.Error.(string); ok && text != "" {
			return msg.Text(msg.Sprintf(": %s", strings.Join(strings.Fields(text), " ")))
		}
	}
	return ""
}

// retryAfter returns the wait in the header Retry-After, a number of seconds or a date; 0 without
// it.
func retryAfter(head http.Header) time.Duration {
	text := head.Get("Retry-After")
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(n)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// get requests JSON.
func (c *client) get(ctx context.Context, url string, v any) error {
	r, err := c.do(ctx, http.MethodGet, url, nil, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		return c.wrong(
			"its server does not return the JSON of the Open Inference Protocol, version 2")
	}
	return nil
}

// wrong returns the error of an invalid response.
func (c *client) wrong(reason string, args ...any) error {
	return &Error{c.name, c.host, Wrong, 0, msg.Sprintf(reason, args...)}
}
