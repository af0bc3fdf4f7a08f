package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxConnections is the number of open connections, or half of the files that the process can have
// open if that is less. Each can hold the header of a request before its client has shown a token.
const maxConnections = 640

// connections bounds the open connections. At the bound, a new one takes the place of the one that
// has been without a request with access for longest, so that clients without a token cannot keep
// others out by connections that do nothing, or read and write slowly.
type connections struct {
	most int

	mu   sync.Mutex
	open map[*connection]bool
}

// A connection is an open connection.
type connection struct {
	net.Conn
	of    *connections
	since time.Time // when it was opened, or its last request with access ended
	works bool      // a request with access is being answered
}

// A boundListener accepts connections within a bound.
type boundListener struct {
	net.Listener
	of *connections
}

// Accept implements net.Listener.
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if bound := l.of.admit(c); bound != nil {
			return bound, nil
		}
		c.Close()
	}
}

// admit counts a connection, and closes another one if it must. It returns nil if all connections
// are at work.
func (of *connections) admit(c net.Conn) net.Conn {
	of.mu.Lock()
	defer of.mu.Unlock()
	if len(of.open) >= of.most && !of.closeIdlest() {
		return nil
	}
	if of.open == nil {
		of.open = map[*connection]bool{}
	}
	bound := &connection{Conn: c, of: of, since: time.Now()}
	of.open[bound] = true
	return bound
}

// closeIdlest closes the connection that has been without work for longest. It returns false if all
// are at work. The caller holds the lock.
func (of *connections) closeIdlest() bool {
	var idlest *connection
	for c := range of.open {
		if !c.works && (idlest == nil || c.since.Before(idlest.since)) {
			idlest = c
		}
	}
	if idlest == nil {
		return false
	}
	delete(of.open, idlest)
	idlest.Conn.Close()
	return true
}

// count returns the number of open connections.
func (of *connections) count() int {
	of.mu.Lock()
	defer of.mu.Unlock()
	return len(of.open)
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends the own side, so that a client can read the last response before the connection
// is closed. Package net/http calls it.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// connectionKey is the key of the connection in the context of its requests.
type connectionKey struct{}

// withConnection is http.Server.ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// working marks the connection of a request that has access until done is called. Servers of tests
// have no such connections.
func working(r *http.Request) (done func()) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.set(true)
	return func() { c.set(false) }
}

// set changes whether the connection is at work.
func (c *connection) set(works bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.works, c.since = works, time.Now()
}
