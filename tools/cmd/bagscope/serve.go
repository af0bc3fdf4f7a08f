package main

import (
	"context"
	"errors"
	"go/version"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/server"
)

// serveCommand holds the flags of serve.
type serveCommand struct {
	listen, models, site string
	bags                 string   // folder whose files requests can name, or ""
	remote               []string // addresses of models on other servers
	cli.RemoteFlags
	device               cli.DeviceFlag
	tokens, cert, key    string // paths of files
	clientCA             string // path of a file, or ""
	open                 bool   // everyone may use an address that others can reach
	share                bool   // serve the site alone, to everyone
	oneBag               bool   // compute one bag for another server, see isolated
	origins, hosts       []string
	limits               server.Limits
	maxBody, maxUnpacked int64 // MB
	drain, drainDelay    time.Duration
	data                 string // folder of the job store, or ""
	jobs                 jobs.Limits
	maxData              int64 // MB
}

// newServe returns the command that runs the HTTP server.
func newServe() *cobra.Command {
	s := &serveCommand{}
	c := cli.Command("serve",
		"Serve explanations, predictions, the Open Inference Protocol and the web page over HTTP",
		s.run)
	// The addresses and files come first in the help, and the limits last.
	f := c.Flags()
	f.StringVar(&s.listen, "listen", "127.0.0.1:8018", "address and port; an address that other "+
		"machines can reach needs --token-file, --tls-client-ca or --open")
	f.StringVar(&s.models, "models", "",
		"folder of .onnx files that requests can name, with their cards and external tensors")
	f.StringVar(&s.bags, "bags", "", "folder whose files requests and jobs can name as bags by "+
		"their paths below it (default none)")
	f.StringArrayVar(&s.remote, "model", nil, "a model on another server that requests can name, "+
		"oip+http://HOST[:PORT]/NAME; repeat the flag for several models")
	s.RemoteFlags.Register(c)
	s.device.Register(c)
	f.StringVar(&s.site, "site", "",
		"folder of the web page, for example www/dist, to serve as well")
	f.BoolVar(&s.share, "share", false, "serve the page of --site and nothing else to whoever "+
		"reaches this machine, and print its address with a QR code")
	f.StringVar(&s.tokens, "token-file", "", "file with one token per line; every request then "+
		"needs one of them: Authorization: Bearer TOKEN")
	f.StringVar(&s.cert, "tls-cert", "", "certificate for https, a PEM file")
	f.StringVar(&s.key, "tls-key", "", "private key of the certificate, a PEM file")
	f.StringVar(&s.clientCA, "tls-client-ca", "", "authorities of client certificates, a PEM "+
		"file; every client then needs a certificate of one of them")
	f.BoolVar(&s.open, "open", false,
		"let everyone use an address that other machines can reach, without a token or certificate")
	f.BoolVar(&s.oneBag, oneBagFlag, false, "compute one bag for another server")
	_ = f.MarkHidden(oneBagFlag) // it exists
	f.StringSliceVar(&s.origins, "allow-origin", nil,
		"origins whose pages can send requests, for example https://example.org (default none)")
	f.StringSliceVar(&s.hosts, "allow-host", nil, "host names that clients can use without "+
		"tokens, for example tools.example.org of a proxy in front (default none)")
	f.StringVar(&s.data, "data", "", "folder that stores jobs with their bags and models; "+
		"without it the server does not accept jobs")
	f.DurationVar(&s.drain, "drain", 30*time.Second,
		"time that running requests have to finish after the server is stopped")
	// Only a load balancer needs the delay; Ctrl-C in a terminal should end the server at once.
	f.DurationVar(&s.drainDelay, "drain-delay", 0, "time after a signal in which the server still "+
		"accepts requests, but /readyz fails, so that load balancers stop sending (default 0s)")
	for _, l := range s.limitFlags() {
		switch value := l.value.(type) {
		case *int:
			f.IntVar(value, l.name, 0, l.usage)
		case *int64:
			f.Int64Var(value, l.name, 0, l.usage)
		case *time.Duration:
			f.DurationVar(value, l.name, 0, l.usage)
		}
	}
	return c
}

// A limitFlag is a flag of a limit. Its value is an *int, an *int64 or a *time.Duration. 0 selects
// the default, which the help states.
type limitFlag struct {
	name  string
	value any
	usage string
}

// limitFlags returns the flags of all limits, in the order of the help.
func (s *serveCommand) limitFlags() []limitFlag {
	l := &s.limits
	return []limitFlag{
		{"max-body", &s.maxBody, "largest request body, in MB (default 256)"},
		{"max-unpacked", &s.maxUnpacked,
			"largest decompressed size of a file, in MB (default 1000)"},
		{"max-pixels", &l.Pixels, "most pixels of a picture (default 2^26)"},
		{"max-instances", &l.Instances, "most instances in a request (default 2^20)"},
		{"memory", &l.Memory, "memory limit in MB, for all requests, jobs and models together; " +
			"requests that must wait for memory get status 503 (default 2048)"},
		{"max-work", &l.Work,
			"most multiplications or accessed elements in one run of a model (default 2^40)"},
		{"budget", &l.Budget, "most model evaluations per request (default 1000000)"},
		{"concurrency", &l.Concurrency,
			"requests computed concurrently (default one per processor)"},
		{"queue", &l.Queue, "requests that can wait; further ones get status 429 (default 4 " +
			"times --concurrency)"},
		{"workers", &l.Workers,
			"threads per request (default number of processors divided by --concurrency)"},
		{"deadline", &l.Deadline,
			"time limit of a request, including its time in the queue (default 1m)"},
		{"upload-time", &l.Upload,
			"time limit for receiving a request and for sending a response (default 1m)"},
		{"keep", &s.jobs.Keep, "how long a finished job is kept (default 168h)"},
		{"max-jobs", &s.jobs.Jobs, "most stored jobs, finished ones included (default 1000)"},
		{"max-job-bags", &s.jobs.Items,
			"most bags of one job, each counted once per model (default 100000)"},
		{"bag-attempts", &s.jobs.Attempts, "deaths of the process of a bag of a job after which " +
			"the bag fails (default 3)"},
		{"max-data", &s.maxData, "most MB of stored jobs with their results; a job whose result " +
			"would exceed it ends (default 10000)"},
		{"bag-deadline", &l.Bag, "time limit for one bag of a job (default 10m)"},
	}
}

// safeGo is the oldest Go without vulnerabilities that were known to reach this server when it was
// set.
const safeGo = "go1.26.10"

// run starts the server and returns after it has stopped. Everything that can be wrong with the
// flags or the files is reported before the port is opened.
func (s *serveCommand) run(c *cobra.Command) (err error) {
	if err := s.checkNumbers(c); err != nil {
		return err
	}
	if err := s.checkShare(c); err != nil {
		return err
	}
	o, err := s.options(c.Context())
	if err != nil {
		return err
	}
	// One line of JSON per request, for log collectors; visitors of a shared page are not logged.
	level := new(slog.LevelVar)
	o.Log = slog.New(slog.NewJSONHandler(c.ErrOrStderr(),
		&slog.HandlerOptions{ReplaceAttr: server.ShortAttr, Level: level}))
	if s.oneBag {
		return computeBag(c.Context(), o)
	}
	o.Isolate = isolated(c.ErrOrStderr())
	if s.data != "" {
		// The store is open before requests arrive and closes after the last one.
		if o.Jobs, err = jobs.Open(s.data, s.jobs); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Jobs.Close()) }()
	}
	for _, err := range o.Models.Skipped() {
		o.Log.Warn("model skipped", "error", ask.ErrorText(err, ask.Server))
	}
	running, err := server.New(o)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	if s.share {
		if err := printAddresses(c.OutOrStdout(), l.Addr()); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	scheme := "http"
	if o.Certificate != nil {
		scheme = "https"
	}
	o.Log.Info("listening", "address", msg.Sprintf("%s://%s/", scheme, l.Addr()), "version",
		o.Version)
	if built := runtime.Version(); version.IsValid(built) && version.Compare(built, safeGo) < 0 {
		o.Log.Warn("built by a Go with known vulnerabilities that clients may reach; build it by "+
			"the newest one", "built", built, "needed", safeGo)
	}
	if s.share {
		level.Set(slog.LevelWarn)
	}
	return running.Run(c.Context(), l, s.drain)
}

// checkAccess rejects an address that other machines can reach without access control. A
// certificate of the server is none: it tells clients who the server is.
func (s *serveCommand) checkAccess() error {
	local, err := server.Loopback(s.listen)
	switch {
	case err != nil:
		return cli.Usagef("--listen %q is not of the form HOST:PORT", s.listen)
	case (s.cert == "") != (s.key == ""):
		return cli.Usagef("--tls-cert and --tls-key must be given together")
	case s.clientCA != "" && s.cert == "":
		return cli.Usagef("--tls-client-ca needs --tls-cert and --tls-key")
	case s.open && (s.tokens != "" || s.clientCA != ""):
		return cli.Usagef("--open gives access to everyone; omit it, or omit --token-file and " +
			"--tls-client-ca")
	case !local && s.tokens == "" && s.clientCA == "" && !s.open && !s.share:
		return cli.Usagef("--listen %s can be reached from other machines; add --token-file, or "+
			"--tls-client-ca, or --open to give everyone access", s.listen)
	}
	return nil
}

// options reads the files that the flags name.
func (s *serveCommand) options(ctx context.Context) (o server.Options, err error) {
	if err := s.checkAccess(); err != nil {
		return o, err
	}
	// Users give megabytes, the packages count bytes.
	s.jobs.Bytes = s.maxData * 1e6
	s.jobs.Stops = max(mostStops, s.jobs.Attempts)
	s.limits.Body, s.limits.Unpacked = s.maxBody*1e6, s.maxUnpacked*1e6
	s.limits = s.limits.WithMemory()
	cli.BoundProcess(s.limits.Held.Limit())
	o = server.Options{Limits: s.limits, Origins: s.origins, Hosts: s.hosts, Version: cli.Version(),
		DrainDelay: s.drainDelay}
	if o.Certificate, o.ClientCAs, err = s.certificates(); err != nil {
		return o, err
	}
	if s.tokens != "" {
		if o.Tokens, err = server.ReadTokens(s.tokens); err != nil {
			return o, err
		}
	}
	if o.Device, o.Always, err = s.device.Open(); err != nil {
		return o, err
	}
	if s.models != "" {
		// A model that cannot be opened is reported, and the others are served.
		if o.Models, err = server.OpenModels(s.models, s.limits, o.Processor); err != nil {
			return o, err
		}
	}
	if o.Models, err = s.addRemote(ctx, o.Models); err != nil {
		return o, err
	}
	if s.bags != "" {
		if o.Bags, err = os.OpenRoot(s.bags); err != nil {
			return o, msg.Errorf("the folder of --bags cannot be opened: %w", err)
		}
	}
	if s.site != "" {
		// A missing page is found here and not by the first visitor.
		if _, err := os.Stat(filepath.Join(s.site, "index.html")); err != nil {
			return o, msg.Errorf("%s does not contain index.html; run make www first", s.site)
		}
		o.Site, o.SiteAlone = os.DirFS(s.site), s.share
	}
	return o, nil
}

// addRemote adds the models on other servers. models can be nil.
func (s *serveCommand) addRemote(
	ctx context.Context, models *server.Models,
) (*server.Models, error) {
	for _, address := range s.remote {
		// A file name here is a common mistake, because other commands take one.
		if !oip.Is(address) {
			return nil, cli.Usagef("--model %s is not of the form oip+http://HOST[:PORT]/NAME; "+
				"put model files in the folder of --models", address)
		}
		f := cli.ModelFlags{Path: address, RemoteFlags: s.RemoteFlags}
		m, err := f.OpenRemote(ctx)
		if err != nil {
			return nil, err
		}
		// Names must be unique over files and servers.
		if models, err = models.With(m); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// checkNumbers validates the limits. Those in MB are later multiplied by a million.
func (s *serveCommand) checkNumbers(c *cobra.Command) error {
	names := []string{"drain", "drain-delay"}
	for _, l := range s.limitFlags() {
		names = append(names, l.name)
	}
	// A larger number of megabytes would overflow as bytes.
	const most = math.MaxInt64 / 1_000_000
	if max(s.maxBody, s.maxUnpacked, s.maxData, s.limits.Memory) > most {
		return cli.Usagef(
			"--max-body, --max-unpacked, --max-data and --memory are in MB and must not exceed %d",
			int64(most))
	}
	return cli.NotNegative(c, "omit it to use the default", names...)
}
