package server

import (
	"crypto/tls"
	"net"
	"net/http"
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
