// Bagscope-cohort explains whole cohorts on Apache Beam. `bagscope cohort` runs it; it is a program of its own so that
// nobody else has to build Beam.
//
// Exit codes: 0 done, bags that failed included, 1 failed, 2 wrong usage.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/bagscope/bagscope/tools/cohort"
	"github.com/bagscope/bagscope/tools/service/query"
)

// Exit codes that scripts rely on.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// flags are ours; those of Beam's engines stand beside them, as Beam registers them itself.
type flags struct {
	manifest, out, request, metrics string
	workers, batch, perFile         int
	ownSeeds, asJSON, verbose       bool
}

func (f *flags) register(s *flag.FlagSet) {
	s.StringVar(&f.manifest, "manifest", "", "the `file` that lists models and bags, JSON lines or CSV; here or in a bucket (s3://, gs://)")
	s.StringVar(&f.out, "out", "", "the `folder` of results, here or in a bucket; finished bags found there are not explained again")
	s.StringVar(&f.request, "request", "", "settings of all bags: a JSON object, or a `file` that holds one, with the names of explain's flags as keys")
	s.BoolVar(&f.ownSeeds, "own-seeds", false, "give every bag without a seed one made of the request's seed and its own bytes")
	s.StringVar(&f.metrics, "metrics", "ndcg", "how explanations are judged, `names` separated by commas, or none; all but ndcg, auprc and r2 ask the model again")
	s.IntVar(&f.workers, "workers", 0, "bags that a process explains at a time (default one a processor); no result depends on it")
	s.IntVar(&f.batch, "batch", 0, "lines of the manifest that a worker is handed at a time (default 32); no result depends on it")
	s.IntVar(&f.perFile, "lines-per-file", 0, "lines of the manifest whose results share a file (default all)")
	s.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	s.BoolVar(&f.verbose, "verbose", false, "show the log of Beam and its engine, too")
}

func main() { os.Exit(program()) }

// program returns the exit code.
func program() int {
	var f flags
	f.register(flag.CommandLine)
	flag.CommandLine.Init("bagscope cohort", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.Usage = func() {}
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		help(os.Stdout)
		return exitDone
	case err != nil:
		return fail(exitUsage, fmt.Errorf("%w; bagscope cohort --help lists the flags", err))
	case flag.NArg() > 0:
		return fail(exitUsage, fmt.Errorf("cohort takes no argument %q; files are named with flags, see bagscope cohort --help", flag.Arg(0)))
	}
	leaveWithStarter()
	beam.Init() // a worker of an engine elsewhere goes no further
	f.quieten()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends the program at once.
	context.AfterFunc(ctx, stop)
	err := f.run(ctx)
	var option *cohort.OptionError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		return fail(exitFailed, errors.New("stopped before it was done; the same command goes on where it was"))
	case errors.As(err, &option):
		return fail(exitUsage, err)
	}
	return fail(exitFailed, err)
}

// fail says why in one line.
func fail(code int, err error) int {
	fmt.Fprintln(os.Stderr, "bagscope: "+strings.ReplaceAll(err.Error(), "\n", " "))
	return code
}

func (f *flags) run(ctx context.Context) error {
	o := cohort.Options{
		Manifest: f.manifest, Out: f.out, OwnSeeds: f.ownSeeds, Workers: f.workers, Batch: f.batch, PerFile: f.perFile,
		Runner: *runners.Runner, Errors: os.Stderr, Metrics: []string{},
	}
	if f.metrics != "none" {
		o.Metrics = strings.Split(f.metrics, ",")
	}
	if info, err := os.Stderr.Stat(); err == nil {
		o.Terminal = info.Mode()&os.ModeCharDevice != 0
	}
	var err error
	if o.Request, err = f.readRequest(); err != nil {
		return err
	}
	defer scratch()()
	s, err := cohort.Run(ctx, o)
	if err != nil || s == nil {
		return err
	}
	if f.asJSON {
		return query.WriteJSON(os.Stdout, s)
	}
	fmt.Printf("%d of %d bags explained into %s\n", s.Finished, s.Lines, f.out)
	if s.Failed > 0 {
		fmt.Printf("%d failed; dead-letters.jsonl has the reason of each\n", s.Failed)
	}
	if s.Finished == 0 {
		return errors.New("no bag could be explained")
	}
	return nil
}

// readRequest returns the JSON that was given, or that of the file that was named.
func (f *flags) readRequest() (json.RawMessage, error) {
	if f.request == "" || strings.HasPrefix(strings.TrimSpace(f.request), "{") {
		return json.RawMessage(f.request), nil
	}
	data, err := os.ReadFile(f.request)
	if err != nil {
		return nil, &cohort.OptionError{Option: "request", Reason: "is neither a JSON object nor a file that can be read: " + err.Error()}
	}
	return data, nil
}

// scratch gives Beam a temporary folder of its own, in which it leaves an empty file at each run, and returns what removes it.
func scratch() func() {
	folder, err := os.MkdirTemp("", "bagscope-cohort-*")
	if err != nil {
		return func() {} // Beam will say what is wrong there, if it matters
	}
	for _, name := range []string{"TMPDIR", "TMP"} {
		os.Setenv(name, folder)
	}
	return func() { os.RemoveAll(folder) }
}

// quieten keeps what Beam and an engine in this process have to say from the terminal. Why a run fails is told by its error.
func (f *flags) quieten() {
	if f.verbose {
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(&log.Standard{Level: log.SevFatal})
}

// help lists our flags in their order, and says where those of the engines are.
func help(w io.Writer) {
	fmt.Fprintf(w, "Explain a cohort: every bag of a manifest, and tables over all of them\n\nUsage:\n  bagscope cohort --manifest FILE --out FOLDER [flags]\n\nFlags:\n")
	var f flags
	ours := flag.NewFlagSet("", flag.ContinueOnError)
	f.register(ours)
	for _, name := range []string{"manifest", "out", "request", "own-seeds", "metrics", "workers", "batch", "lines-per-file", "json", "verbose"} {
		one := ours.Lookup(name)
		value, usage := flag.UnquoteUsage(one)
		fmt.Fprintf(w, "      --%-24s %s\n", strings.TrimSpace(name+" "+value), usage)
	}
	fmt.Fprintf(w, "      --%-24s %s (default prism, which needs nothing)\n", "runner name", strings.Join(cohort.Runners(), ", "))
	fmt.Fprintf(w, "      --%-24s HOST:PORT of the engine's job service\n", "endpoint address")
	fmt.Fprintf(w, "\nFlags of Beam's engines are passed on, such as --environment_type, --parallelism, --project, --region and --staging_location.\n")
}
