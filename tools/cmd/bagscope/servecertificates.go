package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/bagscope/bagscope/internal/msg"
)

// certificates reads the certificate of the server and those of the authorities of clients; each is
// nil if its flag is not set. The files are read once: new ones need a restart.
func (s *serveCommand) certificates() (*tls.Certificate, *x509.CertPool, error) {
	if s.cert == "" {
		return nil, nil, nil
	}
	pair, err := tls.LoadX509KeyPair(s.cert, s.key)
	if err != nil {
		return nil, nil, msg.Errorf("the certificate cannot be used: %w", err)
	}
	if s.clientCA == "" {
		return &pair, nil, nil
	}
	data, err := os.ReadFile(s.clientCA)
	if err != nil {
		return nil, nil, msg.Errorf("the file of --tls-client-ca cannot be read: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(data) {
		return nil, nil, msg.Errorf("%s contains no certificate in PEM", s.clientCA)
	}
	return &pair, authorities, nil
}
