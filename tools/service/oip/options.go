package oip

import (
	"cmp"
	"time"
)

// TokenVariable is the environment variable with the token for model servers.
const TokenVariable = "BAGSCOPE_MODEL_TOKEN"

// Options configure the requests to a server. The zero value works.
type Options struct {
	Card     []byte // a model card in JSON; its keys override those of the server's card
	Token    string // sent as Authorization: Bearer; never part of an error
	Requests int    // concurrent requests over all bags; default 4
	// Tries is the number of tries per request if the server is busy or the connection breaks;
	// default 6.
	Tries   int
	Timeout time.Duration // time limit for one response; default 1 minute
	// Patience is the longest wait before a try; default 30 seconds. A longer Retry-After is a
	// failure.
	Patience time.Duration
	Batch    int // most coalitions in one request; default 64
	// Bytes is the most bytes of tensors in a request of several coalitions; default 16 MB. A
	// request of one coalition can be larger.
	Bytes   int
	Answer  int64         // most bytes of a response; default 64 MB
	Backoff time.Duration // wait before the second try, doubled with each; default 100 ms
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	return Options{
		Card:     o.Card,
		Token:    o.Token,
		Requests: cmp.Or(o.Requests, 4),
		Tries:    cmp.Or(o.Tries, 6),
		Timeout:  cmp.Or(o.Timeout, time.Minute),
		Patience: cmp.Or(o.Patience, 30*time.Second),
		Batch:    cmp.Or(o.Batch, 64),
		Bytes:    cmp.Or(o.Bytes, 16e6),
		Answer:   cmp.Or(o.Answer, 64e6),
		Backoff:  cmp.Or(o.Backoff, 100*time.Millisecond),
	}
}
