package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestHostNames: without tokens, a server with a certificate answers to its names beside localhost
// and addresses, and makes browsers use only https for them.
func TestHostNames(t *testing.T) {
	lender := httptest.NewTLSServer(nil) // its certificate is for example.com and 127.0.0.1
	defer lender.Close()
	certificate := &lender.TLS.Certificates[0]
	for _, c := range []struct {
		host        string
		certificate *tls.Certificate
		status      int
		strict      bool
	}{
		{"example.com", certificate, 200, true},
		{"example.com:8443", certificate, 200, true},
		{"127.0.0.1:8443", certificate, 200, false},
		{"localhost", certificate, 200, false},
		{"[::1]:80", certificate, 200, false},
		{"rebound.example.org", certificate, 421, false},
		{"example.com.example.org", certificate, 421, false},
		{"", certificate, 421, false},
		{"example.com", nil, 421, false},
		{"localhost", nil, 200, false},
	} {
		s := must.Get(New(Options{Certificate: c.certificate}))(t)
		r := httptest.NewRequest("GET", "/v1/methods", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		must.Equal(t, w.Code, c.status, c.host, c.certificate != nil)
		must.Equal(t, c.strict, w.Header().Get("Strict-Transport-Security") != "", c.host,
			c.certificate != nil, w.Code)
	}
}

// TestAllowedHosts: without tokens, requests under other names than those of Hosts are refused,
// except probes.
func TestAllowedHosts(t *testing.T) {
	s := must.Get(New(Options{Hosts: []string{"tools.example.org", "bag_scope"}}))(t)
	for host, status := range map[string]int{"tools.example.org": 200,
		"Tools.Example.ORG:8443": 200, "bag_scope:80": 200, "localhost": 200, "example.org": 421,
		"a.tools.example.org": 421, "tools.example.org.foe.example": 421, "": 421} {
		for _, path := range append([]string{"/v1/methods"}, probes...) {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			want := status
			if path != "/v1/methods" {
				want = 200
			}
			must.Equal(t, w.Code, want, path, host)
			if w.Code == 421 {
				wantProblem(t, host, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes(), "host",
					"--allow-host")
			}
		}
	}
	for _, host := range []string{"", "*.example.org", "https://tools.example.org",
		"tools.example.org:443", "tools.example.org/", "::1", "bücher.example", "two names"} {
		_, err := New(Options{Hosts: []string{host}})
		var setting *core.SettingError
		must.Equal(t, errors.As(err, &setting), true, host, err)
		must.Equal(t, strings.Contains(setting.Reason, "host name"), true, host, err)
	}
}

// clientCertificate returns a certificate of a client that is its own authority.
func clientCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageClientAuth}}
	data := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	leaf := must.Get(x509.ParseCertificate(data))(t)
	return tls.Certificate{Certificate: [][]byte{data}, PrivateKey: key, Leaf: leaf}
}

// TestClientCertificates: with ClientCAs, only clients with a certificate of one of them get a
// response.
func TestClientCertificates(t *testing.T) {
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	known, unknown := clientCertificate(t), clientCertificate(t)
	authorities, servers := x509.NewCertPool(), x509.NewCertPool()
	authorities.AddCert(known.Leaf)
	servers.AddCert(lender.Certificate())
	_, url := boundedServer(t, Options{Certificate: &lender.TLS.Certificates[0],
		ClientCAs: authorities}, maxConnections, connectionTimes{patience, patience, patience})
	url = strings.Replace(url, "http:", "https:", 1)
	for _, c := range []struct {
		name   string
		shown  []tls.Certificate
		access bool
	}{{"none", nil, false}, {"unknown", []tls.Certificate{unknown}, false},
		{"known", []tls.Certificate{known}, true}} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
			RootCAs: servers, Certificates: c.shown}}}
		response, err := client.Get(url + "/healthz")
		if err == nil {
			response.Body.Close()
		}
		must.Equal(t, c.access, err == nil, c.name)
		client.CloseIdleConnections()
	}
}
