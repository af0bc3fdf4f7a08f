package oip

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Schemes of addresses: oip+http://HOST[:PORT]/NAME and oip+https.
const (
	plainScheme  = "oip+http"
	secureScheme = "oip+https"
)

// Is reports whether a model's name is the address of a model on a server.
func Is(model string) bool {
	scheme, _, ok := strings.Cut(model, "://")
	return ok && (strings.EqualFold(scheme, plainScheme) || strings.EqualFold(scheme, secureScheme))
}

// An address is the parsed address of a model on a server.
type address struct {
	base string // http://HOST[:PORT]
	host string
	name string
}

// parseAddress parses an address. The path contains only the model's name; the server selects the
// version.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		// err may contain a password
		return address{}, fmt.Errorf(
			"the address of the model on a server is invalid; use oip+http://HOST[:PORT]/NAME")
	}
	scheme := strings.TrimPrefix(strings.ToLower(u.Scheme), "oip+")
	name := strings.TrimPrefix(u.Path, "/")
	wrong := ""
	switch {
	// The address is printed in results, so that it must not contain a password.
	case u.User != nil:
		return address{}, msg.Errorf("the address of a model must not contain a user or a "+
			"password; pass a token with --model-token-file or the environment variable %s",
			TokenVariable)
	case u.Host == "" || u.Hostname() == "":
		wrong = "has no host"
	case name == "" || strings.Contains(name, "/"):
		wrong = "has no model name"
	case u.RawQuery != "" || u.Fragment != "":
		wrong = "has text after the model name"
	}
	if wrong != "" {
		return address{}, msg.Errorf("%s %s; use %s://HOST[:PORT]/NAME", text, wrong, plainScheme)
	}
	return address{base: scheme + "://" + u.Host, host: u.Host, name: name}, nil
}

// local reports whether the host is this machine.
func (a address) local() bool {
	host := a.host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	// IPv6 addresses are in brackets.
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// model returns the URL of an endpoint of the model.
func (a address) model(rest string) string {
	return a.base + "/v2/models/" + url.PathEscape(a.name) + rest
}
