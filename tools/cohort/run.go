package cohort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	// Engines and file systems register themselves.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bagscope/bagscope/core/metric"
)

// Options are one run. Manifest and Out must be set.
type Options struct {
	Manifest string          // a path, or an object such as s3://bucket/manifest.jsonl
	Out      string          // a folder or the beginning of objects' names; what an earlier run left there is used
	Request  json.RawMessage // settings of all bags: a JSON object with the keys of Request
	OwnSeeds bool            // every bag has a seed made of the request's and its own bytes
	Metrics  []string        // how explanations are judged, by name, of core/metric's table; the zero value means NDCG@n
	Workers  int             // bags that a process explains at a time, 0 for one a processor; no result depends on it
	Batch    int             // lines of the manifest that a worker is handed at a time, 0 for 32; no result depends on it
	PerFile  int             // lines of the manifest whose results share a file, 0 for all
	Runner   string          // of Runners; "" for prism

	Errors   io.Writer // takes the progress; nil for none
	Terminal bool      // it is a terminal
}

// Runners are the engines that a cohort can run on.
func Runners() []string { return []string{"prism", "direct", "flink", "spark", "dataflow"} }

// An OptionError says which option makes no sense.
type OptionError struct{ Option, Reason string }

func (e *OptionError) Error() string { return "--" + e.Option + " " + e.Reason }

// An EngineError is what an engine says of a run that it gave up.
type EngineError struct{ Text string }

// Error is the cause: an engine tells its whole pipeline first.
func (e *EngineError) Error() string {
	text := strings.TrimSpace(e.Text)
	return "the run failed: " + text[strings.LastIndex(text, "\n")+1:]
}

// Run explains a cohort. It returns an *OptionError or a *ManifestError before anything is done, a *FileError where the manifest
// cannot be read or an earlier run's results cannot be
// removed, and an *EngineError where the run fails. Bags that fail are no error.
// beam.Init must have been called. Only one run at a time is shown by its progress.
func Run(ctx context.Context, o Options) (*Summary, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	if err := o.sendProgram(); err != nil {
		return nil, err
	}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if err := c.clear(ctx); err != nil {
		return nil, err
	}
	switch {
	case o.Errors == nil:
	case o.embedded():
		defer progress.show(o.Errors, o.Terminal)()
	default:
		fmt.Fprintf(o.Errors, "handed to %s, whose own page shows how far it is\n", o.Runner)
	}
	// Where Prism listens stands in the options meanwhile: a later run would take it for what it was asked for.
	endpoint, environment := *jobopts.Endpoint, *jobopts.EnvironmentType
	if o.Runner == "prism" {
		if err := usePrism(); err != nil {
			return nil, &EngineError{err.Error()}
		}
	}
	_, err = beam.Run(ctx, o.Runner, c.build())
	*jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, environment
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, &EngineError{err.Error()}
	}
	if *jobopts.Async {
		return nil, nil
	}
	return readSummary(ctx, c.Out)
}

// embedded reports whether the workers are in this process.
func (o *Options) embedded() bool {
	return o.Runner == "direct" || o.Runner == "prism" && (*jobopts.Endpoint == "" || jobopts.IsLoopback())
}

// sendProgram chooses what the workers of an engine elsewhere run. Beam would compile the sources again, which need not be here.
func (o *Options) sendProgram() error {
	if o.embedded() || *jobopts.WorkerBinary != "" {
		return nil
	}
	self, err := os.Executable()
	if runtime.GOOS != "linux" || err != nil {
		return &OptionError{"worker_binary", "is missing: bagscope-cohort as GOOS=linux go build makes it, for the engine's workers"}
	}
	*jobopts.WorkerBinary = self
	return nil
}

// config checks the options and fills in what is left out.
func (o *Options) config() (*config, error) {
	wrong := func(option, reason string, args ...any) error {
		return &OptionError{option, fmt.Sprintf(reason, args...)}
	}
	if o.Runner == "" {
		o.Runner = "prism"
	}
	switch {
	case o.Manifest == "":
		return nil, wrong("manifest", "is missing: the file that lists models and bags")
	case o.Out == "":
		return nil, wrong("out", "is missing: the folder of results")
	case !slices.Contains(Runners(), o.Runner):
		return nil, wrong("runner", "%q is none of %s", o.Runner, strings.Join(Runners(), ", "))
	case (o.Runner == "flink" || o.Runner == "spark") && *jobopts.Endpoint == "":
		return nil, wrong("endpoint", "is missing: HOST:PORT of the job service of %s", o.Runner)
	case (o.Runner == "direct" || o.Runner == "dataflow") && *jobopts.Endpoint != "":
		return nil, wrong("endpoint", "is for flink, spark and prism; %s has none", o.Runner)
	case o.Runner == "dataflow" && !(inBucket(o.Manifest) && inBucket(o.Out)):
		return nil, wrong("runner", "dataflow reaches buckets only: --manifest and --out must be such as gs://bucket/name")
	case *jobopts.EnvironmentType == "PROCESS" && *jobopts.EnvironmentConfig == "":
		return nil, wrong("environment_config", `is missing: {"command":"FILE"}, Beam's program that starts workers, on each machine that has some`)
	case inBucket(o.Out) && strings.ContainsAny(o.Out, `*?[\`):
		return nil, wrong("out", "%s has one of * ? [ \\, which the stores take for a pattern", o.Out)
	case o.Workers < 0:
		return nil, wrong("workers", "%d is below 0; leave it out for one a processor", o.Workers)
	case o.Batch < 0:
		return nil, wrong("batch", "%d is below 0; leave it out for 32", o.Batch)
	case o.PerFile < 0:
		return nil, wrong("lines-per-file", "%d is below 0; leave it out for one file of all results", o.PerFile)
	}
	for _, name := range []*string{&o.Manifest, &o.Out} {
		if inBucket(*name) {
			continue
		}
		whole, err := filepath.Abs(*name) // workers are in folders of their own
		if err != nil {
			return nil, &FileError{Path: *name, Err: err}
		}
		*name = whole
	}
	c := &config{Manifest: o.Manifest, Out: o.Out, Request: o.Request, OwnSeeds: o.OwnSeeds, Metrics: o.Metrics, Workers: o.Workers, Batch: o.Batch, PerFile: o.PerFile}
	if c.Batch == 0 {
		c.Batch = 32
	}
	if c.Metrics == nil {
		c.Metrics = []string{metric.NameNDCG}
	}
	if _, err := (metric.Options{Metrics: c.Metrics}).Evaluations(1, 1); err != nil && len(c.Metrics) > 0 {
		return nil, wrong("metrics", "%v", err)
	}
	r, err := Request{}.over(c.Request)
	if err == nil {
		_, err = r.Plan()
	}
	if err != nil {
		return nil, wrong("request", "%v", err)
	}
	return c, nil
}

// look refuses a manifest of which no line can be read, before anything is begun.
func (c *config) look(ctx context.Context) error {
	manifest, err := openFile(ctx, c.Manifest)
	if err != nil {
		return err
	}
	defer manifest.Close()
	var broken *LineError
	for _, err := range ReadManifest(manifest) {
		if err != nil && !errors.As(err, &broken) {
			return err
		}
		return nil
	}
	return &ManifestError{"has no lines"}
}

// clear removes what an earlier run wrote, all but the records of finished bags, so that results are never those of two
// runs; and what a run that was killed was just writing.
func (c *config) clear(ctx context.Context) error {
	patterns := []string{"results*.jsonl", "dead-letters.jsonl", "tables/*.csv", summaryFile}
	if !inBucket(c.Out) {
		patterns = append(patterns, ".writing-*", "tables/.writing-*", "attempts/.writing-*", "bags/*/.writing-*")
	}
	for _, pattern := range patterns {
		if err := removeFiles(ctx, c.Out, pattern); err != nil {
			return err
		}
	}
	return nil
}
