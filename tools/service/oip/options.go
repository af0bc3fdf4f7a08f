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
	// tries per request if the server is busy or the connection breaks; default 6
	Tries   int
	Timeout time.Duration // time limit for one response; default 1 minute
	// longest wait before a try; a longer Retry-After is a failure. Default 30 seconds
	Patience time.Duration
	Batch    int // most coalitions in one request; default 64
	// most bytes of tensors in a request of several coalitions; default 16 MB
	Bytes   int
	Answer  int64         // most bytes of a response; default 64 MB
	Backoff time.Duration // wait before the second try, doubled with each; default 100 ms
}

func (o Options) withDefaults() Options {
	o.Requests = cmp.Or(o.Requests, 4)
	o.Tries = cmp.Or(o.Tries, 6)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.Patience = cmp.Or(o.Patience, 30*time.Second)
	o.Batch = cmp.Or(o.Batch, 64)
	o.Bytes = cmp.Or(o.Bytes, 16e6)
	o.Answer = cmp.Or(o.Answer, 64e6)
	o.Backoff = cmp.Or(o.Backoff, 100*time.Millisecond)
	return o
}
