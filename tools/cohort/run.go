package cohort

import (
	"cmp"
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
	// The imports register engines and file systems.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/msg"
)

// Options configure a run. Manifest or Folder, and Out are required.
type Options struct {
	// Folder is a job folder that replaces Manifest, whose lines are then written to Out.
	Folder   Folder
	Manifest string // path of a file, or of an object such as s3://bucket/manifest.jsonl
	// Out is a folder or a prefix of object names. Results of an earlier run there are reused.
	Out      string
	Request  json.RawMessage // settings for all bags: a JSON object with the keys of Request
	OwnSeeds bool            // derive each bag's seed from the request's seed and the bag's bytes
	Metrics  []string        // names of metrics in core/metric; the zero value means NDCG@n
	// Workers is the number of bags that a process explains concurrently, 0 for one per processor.
	// The results do not depend on it.
	Workers int
	// Batch is the number of lines of the manifest in a batch, 0 for 32. The results do not depend
	// on it.
	Batch   int
	PerFile int // lines of the manifest per file of results, 0 for all
	// Memory bounds what a process holds of models, bags and results, in MB; 0 for no limit. Lines
	// then share no models and files. The results do not depend on it.
	Memory int
	Runner string // one of Runners; "" for prism
	Drawing

	Errors   io.Writer // receives the progress; nil for none
	Terminal bool      // Errors is a terminal
}

// Runners returns the names of the engines that can run a cohort.
func Runners() []string { return []string{"prism", "direct", "flink", "spark", "dataflow"} }

// An OptionError describes an invalid option.
type OptionError struct{ Option, Reason string }

// Error begins with the flag of the option.
func (e *OptionError) Error() string {
	return msg.Sprintf("--%s %s", e.Option, msg.Text(e.Reason))
}

// An EngineError is the error of an engine for a failed run.
type EngineError struct{ Text string }

// Error returns the last line of the engine's text, which contains the cause.
func (e *EngineError) Error() string {
	text := strings.TrimSpace(e.Text)
	return msg.Sprintf("the run failed: %s", msg.Text(text[strings.LastIndex(text, "\n")+1:]))
}

// Run explains a cohort. It returns an *OptionError or a *ManifestError before it starts the run, a
// *FileError if the manifest cannot be read or results of an earlier run cannot be removed, and an
// *EngineError if the run fails. Failed bags are not an error. The caller must call beam.Init
// before. The progress supports only one run at a time.
func Run(ctx context.Context, o Options) (*Summary, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	if err := o.sendProgram(); err != nil {
		return nil, err
	}
	if o.Folder.given() {
		if err := o.Folder.write(ctx, c.Manifest); err != nil {
			return nil, err
		}
	}
	if err := c.checkManifest(ctx); err != nil {
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
		fmt.Fprintln(o.Errors, msg.Sprintf("submitted to %s; see its web page for the progress",
			o.Runner))
	}
	// Reset the address of Prism in the options. Otherwise a later run would use it as a given
	// endpoint.
	endpoint, environment := *jobopts.Endpoint, *jobopts.EnvironmentType
	if o.Runner == "prism" {
		if err := usePrism(); err != nil {
			return nil, &EngineError{err.Error()}
		}
	}
	// Beam's own error text is long; EngineError shows its last line.
	_, err = beam.Run(ctx, o.Runner, c.build())
	*jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, environment
	if err != nil {
		// The user has stopped the run, and the engine's error is only the consequence.
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, &EngineError{err.Error()}
	}
	// An asynchronous run has no summary yet.
	if *jobopts.Async {
		return nil, nil
	}
	s, err := readSummary(ctx, c.Out)
	if err != nil || s.Finished == 0 {
		return s, err
	}
	return s, c.draw(ctx, o.Drawing, s)
}

// embedded reports whether the workers are in this process.
func (o *Options) embedded() bool {
	return o.Runner == "direct" || o.Runner == "prism" &&
		(*jobopts.Endpoint == "" || jobopts.IsLoopback())
}

// sendProgram selects the program for workers of a remote engine. Otherwise Beam would compile the
// sources again, which may be absent.
func (o *Options) sendProgram() error {
	// Workers in this process need no program.
	if o.embedded() || *jobopts.WorkerBinary != "" {
		return nil
	}
	self, err := os.Executable()
	if runtime.GOOS != "linux" || err != nil {
		return &OptionError{"worker_binary", "is missing: the program for the engine's workers, " +
			"built from bagscope-cohort with GOOS=linux go build"}
	}
	*jobopts.WorkerBinary = self
	return nil
}

// config validates the options and fills in defaults.
func (o *Options) config() (*config, error) {
	o.Runner = cmp.Or(o.Runner, "prism")
	if err := o.Folder.check(); err != nil {
		return nil, err
	}
	if err := o.checkFiles(); err != nil {
		return nil, err
	}
	if err := o.checkRunner(); err != nil {
		return nil, err
	}
	if err := o.checkNumbers(); err != nil {
		return nil, err
	}
	if err := o.Drawing.check(o.Folder.given()); err != nil {
		return nil, err
	}
	for _, name := range []*string{&o.Manifest, &o.Out} {
		if inBucket(*name) {
			continue
		}
		whole, err := filepath.Abs(*name) // workers run in other folders
		if err != nil {
			return nil, &FileError{Path: *name, Err: err}
		}
		*name = whole
	}
	c := &config{Manifest: o.Manifest, Out: o.Out, Request: o.Request, OwnSeeds: o.OwnSeeds,
		Metrics: o.Metrics, Workers: o.Workers, Batch: cmp.Or(o.Batch, 32), PerFile: o.PerFile,
		Memory: o.Memory}
	if len(c.Request) == 0 {
		c.Request = nil // Beam encodes the settings as JSON, of which nothing is no value
	}
	if c.Metrics == nil {
		c.Metrics = []string{metric.NameNDCG}
	}
	return c, c.checkRequest()
}

// wrong returns the error of an option.
func wrong(option, reason string, args ...any) error {
	return &OptionError{option, msg.Sprintf(reason, args...)}
}

// checkFiles checks where bags and results are. A job folder without a manifest gets one beside the
// results.
func (o *Options) checkFiles() error {
	if o.Folder.given() && o.Manifest == "" && o.Out != "" {
		o.Manifest = join(o.Out, manifestFile)
	} else if o.Folder.given() && o.Manifest != "" {
		return wrong("manifest", "and a job folder both name bags; use only one of them")
	}
	switch {
	case o.Manifest == "" && !o.Folder.given():
		return wrong("manifest", "is missing: the file that lists models and bags; or name "+
			"a job folder by --trident or --clam")
	case o.Folder.given() && o.Runner == "dataflow":
		return wrong("runner", "dataflow cannot read a local job folder; use --manifest with "+
			"bags in a bucket")
	case o.Out == "":
		return wrong("out", "is missing: the folder for results")
	case inBucket(o.Out) && strings.ContainsAny(o.Out, `*?[\`):
		return wrong("out", "%s must not contain * ? [ or \\, which are pattern characters", o.Out)
	}
	return nil
}

// checkRunner checks the engine and what its workers need.
func (o *Options) checkRunner() error {
	switch {
	case !slices.Contains(Runners(), o.Runner):
		return wrong("runner", "%q is unknown; use one of %s", o.Runner,
			strings.Join(Runners(), ", "))
	case (o.Runner == "flink" || o.Runner == "spark") && *jobopts.Endpoint == "":
		return wrong("endpoint", "is missing: HOST:PORT of the job service of %s", o.Runner)
	case (o.Runner == "direct" || o.Runner == "dataflow") && *jobopts.Endpoint != "":
		return wrong("endpoint", "does not apply to %s; it is for flink, spark and prism", o.Runner)
	case o.Runner == "dataflow" && !(inBucket(o.Manifest) && inBucket(o.Out)):
		return wrong("runner",
			"dataflow needs buckets: use --manifest and --out of the form gs://bucket/name")
	case *jobopts.EnvironmentType == "PROCESS" && *jobopts.EnvironmentConfig == "":
		return wrong("environment_config",
			`is missing: {"command":"FILE"}, with the path of Beam's start program on every `+
				"worker machine")
	}
	return nil
}

// checkNumbers checks the ranges of numbers.
func (o *Options) checkNumbers() error {
	switch {
	case o.Workers < 0:
		return wrong("workers", "must not be negative, got %d; omit it to use one per processor",
			o.Workers)
	case o.Batch < 0:
		return wrong("batch", "must not be negative, got %d; omit it to use 32", o.Batch)
	case o.Memory < 0 || o.Memory > maxMemory:
		return wrong("memory", "must be between 0 and %d MB, got %d; omit it for no limit",
			maxMemory, o.Memory)
	case o.PerFile < 0:
		return wrong("lines-per-file", "must not be negative, got %d; omit it for a single file",
			o.PerFile)
	}
	return nil
}

// checkRequest returns an error for unknown metrics and for an invalid request, which would
// otherwise fail at every line.
func (c *config) checkRequest() error {
	// Evaluations rejects unknown names of metrics.
	if _, err := (metric.Options{Metrics: c.Metrics}).Evaluations(1, 1); err != nil &&
		len(c.Metrics) > 0 {
		return wrong("metrics", "%v", err)
	}
	r, err := Request{}.over(c.Request)
	if err == nil {
		_, err = r.Plan()
	}
	if err != nil {
		return wrong("request", "%v", err)
	}
	return nil
}

// checkManifest returns an error if no line of the manifest can be read, before the run starts. It
// reads the first line only.
func (c *config) checkManifest(ctx context.Context) error {
	manifest, err := openFile(ctx, c.Manifest)
	if err != nil {
		return err
	}
	defer manifest.Close()
	for _, err := range ReadManifest(manifest) {
		if errors.As(err, new(*LineError)) {
			return nil // an invalid line becomes a dead letter
		}
		return err
	}
	return &ManifestError{"has no lines"}
}

// clear removes the results of an earlier run, so that the results are never from two runs. It
// keeps the records of finished bags. It also removes incomplete files of a killed run.
func (c *config) clear(ctx context.Context) error {
	patterns := []string{"results*.jsonl", "dead-letters.jsonl", "tables/*.csv", summaryFile}
	if !inBucket(c.Out) {
		patterns = append(patterns, ".writing-*", "tables/.writing-*", "attempts/.writing-*",
			"bags/*/.writing-*")
	}
	for _, pattern := range patterns {
		if err := removeFiles(ctx, c.Out, pattern); err != nil {
			return err
		}
	}
	return nil
}
