package oip

import (
	"errors"
	"net"
	"net/url"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Kind classifies failures of a server.
type Kind string

// The kinds of failure.
const (
	Unreachable Kind = "unreachable" // no connection, or one that broke
	Refused     Kind = "refused"     // it returned a client error
	Failed      Kind = "failed"      // it returned a server error
	Busy        Kind = "busy"        // it was busy until the tries were used up
	Slow        Kind = "slow"        // a response took too long
	Redirected  Kind = "redirected"  // it redirected to another address
	// its response is invalid, or contradicts itself, the request or the metadata
	Wrong Kind = "wrong"
	Large Kind = "large" // its response exceeds the limit
)

// An Error describes a failure of a model's server.
type Error struct {
	Model, Host string
	Kind        Kind
	Status      int // HTTP status, 0 without a response
	Reason      string
}

// Error names the model and the host, but not the whole address.
func (e *Error) Error() string {
	return msg.Sprintf("model %q at %s: %s", e.Model, e.Host, msg.Text(e.Reason))
}

// connectionError returns the reason why a connection failed, without the address.
func connectionError(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	var whole *url.Error
	switch {
	// The text of a DNS error contains the address of the resolver.
	case errors.As(err, &dns):
		return "its host name is unknown"
	case errors.As(err, &op):
		return msg.Sprintf("%v", op.Err)
	case errors.As(err, &whole):
		return msg.Sprintf("%v", whole.Err)
	}
	return msg.Sprintf("%v", err)
}
