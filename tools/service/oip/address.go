package oip

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Schemes of addresses: oip+http://HOST[:PORT]/NAME and oip+https.
const (
	plainScheme  = "oip+http"
	secureScheme = "oip+https"
)

// Is reports whether a model's name is the address of one that runs elsewhere.
func Is(model string) bool {
	scheme, _, ok := strings.Cut(model, "://")
	return ok && (strings.EqualFold(scheme, plainScheme) || strings.EqualFold(scheme, secureScheme))
}

// An address is where a model is.
type address struct {
	base string // http://HOST[:PORT]
	host string
	name string
}

// parseAddress reads an address. The path is the model's name alone; versions are the server's to choose.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("the address of a model that runs elsewhere cannot be read") // err repeats what may be a password
	}
	scheme := strings.TrimPrefix(strings.ToLower(u.Scheme), "oip+")
	name := strings.TrimPrefix(u.Path, "/")
	wrong := ""
	switch {
	case u.User != nil:
		return address{}, fmt.Errorf("a model's address holds no user and no password; a token goes with --model-token-file or the variable %s", TokenVariable)
	case u.Host == "" || u.Hostname() == "":
		wrong = "names no host"
	case name == "" || strings.Contains(name, "/"):
		wrong = "names no model"
	case u.RawQuery != "" || u.Fragment != "":
		wrong = "has something behind the model's name"
	}
	if wrong != "" {
		return address{}, fmt.Errorf("%s %s; it is to be %s://HOST[:PORT]/NAME", text, wrong, plainScheme)
	}
	return address{base: scheme + "://" + u.Host, host: u.Host, name: name}, nil
}

// local reports whether the host is this machine.
func (a address) local() bool {
	host := a.host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// model returns the address of something of the model's.
func (a address) model(rest string) string {
	return a.base + "/v2/models/" + url.PathEscape(a.name) + rest
}
