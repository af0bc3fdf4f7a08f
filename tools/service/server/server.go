package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/site"
)

// Options configure a server. The zero value works: no registered models, no site, no tokens.
type Options struct {
	Models *Models
	Limits Limits
	Processor
	Tokens *Tokens // accepted tokens; nil gives access to every client
	// origins whose pages can send requests, such as https://example.org; default none
	Origins []string
	Hosts   []string // host names that clients can use without tokens; default none
	Site    fs.FS    // the web page, or nil
	// SiteAlone serves the files of Site and nothing else.
	SiteAlone bool
	Bags      *os.Root     // folder whose files requests can name as bags, or nil
	Jobs      *jobs.Store  // store of jobs, or nil to accept no jobs
	Version   string       // version of the project
	Log       *slog.Logger // nil logs nothing
	// Certificate makes Run serve TLS alone; nil serves plain HTTP. Clients must then have a
	// certificate of ClientCAs, unless that is nil.
	Certificate *tls.Certificate
	ClientCAs   *x509.CertPool
	// DrainDelay is how long Run still accepts requests after its context has ended, while probes
	// report that the server is not ready. Load balancers need this time to stop sending.
	DrainDelay time.Duration
	// Isolate starts a process that calls ComputeBag of a server with these options, and calls talk
	// with its standard input and output. It ends the process when talk returns, or ctx ends, and
	// returns the error of talk, or why the process cannot be started. Bags of jobs during which a
	// server ended are computed there; with nil they are computed by the server itself.
	Isolate func(ctx context.Context, talk func(in io.Writer, out io.Reader) error) error
}

// A Server handles requests. Its fields do not change while it runs, except draining and stopping.
type Server struct {
	Options
	limits   Limits
	gate     *gate
	disk     *quota.Memory // bounds the temporary files of all uploads
	arrivals arrivals
	metrics  *serverMetrics
	draining atomic.Bool // probes report that the server is not ready
	stopping atomic.Bool // requests that compute are rejected
	watching watchers
	stopped  chan struct{} // closed when stopping is set
	work     sync.WaitGroup
	handler  http.Handler
	idle     idle

	keepEvery time.Duration // see keepEvery
	fullWait  time.Duration // see fullWait
	times     connectionTimes
	after     func(time.Duration) <-chan time.Time // time.After; tests end DrainDelay themselves

	connections connections
}

// New returns a server. An invalid origin or host name is a *core.SettingError.
func New(o Options) (*Server, error) {
	for _, host := range o.Hosts {
		if !hostPattern.MatchString(host) {
			return nil, &core.SettingError{Setting: "allow-host", Reason: msg.Sprintf("%q is not "+
				"a host name such as tools.example.org; omit scheme, port and path", host)}
		}
	}
	s := &Server{Options: o, limits: o.Limits.withDefaults(),
		stopped: make(chan struct{}), keepEvery: keepEvery, fullWait: fullWait,
		times: defaultTimes, after: time.After,
		connections: connections{most: min(maxConnections, openFiles()/2)}}
	if s.limits.Held == nil {
		s.limits = s.limits.WithMemory()
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.gate = newGate(s.limits)
	s.disk = quota.NewMemory(max(s.limits.Memory*1e6, s.limits.Body))
	s.arrivals.mostBytes = int64(s.limits.Concurrency+s.limits.Queue) * s.limits.Body
	s.metrics = newMetrics(s.gate, s.Jobs)
	// Every route is known to the mux by method and path.
	mux := http.NewServeMux()
	methods := map[string][]string{}
	routes := s.routes()
	if s.SiteAlone {
		routes = nil
	}
	for _, r := range routes {
		methods[r.path] = append(methods[r.path], r.method)
		mux.Handle(r.method+" "+r.path, s.route(r))
	}
	// Other methods on a known path get the status 405 instead of 404.
	for path, allowed := range methods {
		mux.Handle(path, s.route(route{path: path, open: true,
			answer: func(w http.ResponseWriter, r *http.Request) error {
				return errMethod(w, r, strings.Join(allowed, ", "))
			}}))
	}
	nothing := s.route(route{open: true, answer: func(http.ResponseWriter, *http.Request) error {
		return errPath()
	}})
	if s.Site == nil {
		mux.Handle("/", nothing)
	} else {
		// The site has no token, because a browser cannot send one for a page.
		mux.Handle("/", s.route(route{open: true, answer: s.page(site.Handler(s.Site))}))
	}
	// The guard is outside of all routes, so that it also logs unknown paths.
	guarded, err := s.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect a path with an empty part, . or .. to the clean path, which can be
		// outside the prefix of a proxy. ValidPath accepts "." only without a folder before it.
		if p := r.URL.EscapedPath(); p != "/" &&
			!fs.ValidPath("root/"+strings.TrimSuffix(strings.TrimPrefix(p, "/"), "/")) {
			nothing.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	s.handler = guarded
	return s, err
}

// page returns the handler of the site's files.
func (s *Server) page(files http.Handler) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return errMethod(w, r, "GET, HEAD")
		}
		name := cmp.Or(strings.Trim(r.URL.Path, "/"), ".")
		if _, err := fs.Stat(s.Site, name); err != nil {
			return errPath()
		}
		s.extendWriteDeadline(w)
		files.ServeHTTP(w, r)
		return nil
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
