package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// tlsConfig returns the configuration of TLS. A certificate of the server alone gives access to
// every client; only ClientCAs or Tokens keep clients out.
func (s *Server) tlsConfig() *tls.Config {
	c := &tls.Config{Certificates: []tls.Certificate{*s.Certificate}, MinVersion: tls.VersionTLS12,
		ClientCAs: s.ClientCAs}
	if s.ClientCAs != nil {
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return c
}

// strictTransport makes browsers use only https for a host name for a year.
const strictTransport = "max-age=31536000"

// hostName returns the header Host of a request without its port.
func hostName(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// ownName reports whether a host is localhost or an IP address. A page that uses DNS rebinding
// cannot send a request with one of them.
func ownName(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil
}

// certified reports whether a host is a name of the server's certificate. A page that uses DNS
// rebinding cannot have it: its own name has another certificate.
func (s *Server) certified(host string) bool {
	return s.Certificate != nil && s.Certificate.Leaf != nil &&
		s.Certificate.Leaf.VerifyHostname(host) == nil
}

// hostPattern matches a host name. Letters of other alphabets have the form xn--... in requests.
var hostPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// allowed reports whether a host is one of Hosts. A page that uses DNS rebinding cannot have it:
// its requests have the name of the attacker's domain, which the operator does not allow.
func (s *Server) allowed(host string) bool {
	return slices.ContainsFunc(s.Hosts, func(name string) bool {
		return strings.EqualFold(name, host)
	})
}

// probes are the paths of the health routes. They respond under every host name, because the load
// balancer chooses it. A page that uses DNS rebinding learns from them only that a server runs and
// whether it is ready: they contain no data and change nothing.
var probes = []string{"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"}
