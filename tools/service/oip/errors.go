package oip

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"unicode"
)

// A Kind is how a server failed.
type Kind string

// The kinds of failure.
const (
	Unreachable Kind = "unreachable" // no connection, or one that broke
	Refused     Kind = "refused"     // it answered with an error of the client's
	Failed      Kind = "failed"      // it answered with an error of its own
	Busy        Kind = "busy"        // it said to come again until that took too long
	Slow        Kind = "slow"        // one answer took too long
	Led         Kind = "redirected"  // it led elsewhere
	Wrong       Kind = "wrong"       // its answer is none, or contradicts itself, the request or what it said of the model
	Large       Kind = "large"       // its answer is larger than allowed
)

// An Error says how the server of a model failed.
type Error struct {
	Model, Host string
	Kind        Kind
	Status      int // of its answer, 0 for none
	Reason      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("model %q at %s: %s", e.Model, e.Host, e.Reason)
}

// most is how many letters of a server's own words are repeated.
const most = 300

// said makes a server's words fit for a sentence: one line of printable letters.
func said(words string) string {
	words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if letters := []rune(words); len(letters) > most {
		words = string(letters[:most]) + "..."
	}
	return words
}

// broken says why there is no connection, without the address.
func broken(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "its name is not known"
	case errors.As(err, &op):
		return said(op.Err.Error())
	}
	return said(err.Error())
}
