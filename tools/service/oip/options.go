package oip

import (
	"cmp"
	"time"
)

// TokenVariable is the environment's variable with the token for servers of models.
const TokenVariable = "BAGSCOPE_MODEL_TOKEN"

// Options say how a server is asked. The zero value works.
type Options struct {
	Card     []byte        // a model card in JSON; its keys win over those of the server's
	Token    string        // sent as Authorization: Bearer; never told in an error
	Requests int           // under way at a time, of all bags together; default 4
	Tries    int           // of one request, where the server is busy or the connection breaks; default 6
	Timeout  time.Duration // of one answer; default 1 minute
	Patience time.Duration // longest wait for the next try; a server that asks for more has failed. Default 30 seconds
	Batch    int           // most coalitions in one request; default 64
	Bytes    int           // most bytes of tensors in a request of several coalitions; default 16 MB
	Answer   int64         // most bytes of an answer; default 64 MB
	Backoff  time.Duration // wait before the second try, doubled with each; default 100 ms
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
