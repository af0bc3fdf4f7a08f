// Bagscope-cohort explains cohorts with Apache Beam. `bagscope cohort` runs it. It is a separate
// program, so that bagscope does not need Beam.
//
// Exit codes: 0 success, even if some bags failed; 1 failure; 2 wrong usage.
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
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cohort"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// Exit codes of every program. Scripts depend on them.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// flags holds the flags of this program. Beam registers the flags of its engines itself.
type flags struct {
	manifest, out, request, metrics string
	folder                          cohort.Folder
	workers, batch, perFile, memory int
	ownSeeds, asJSON, verbose       bool
	drawing                         cohort.Drawing
}

// register adds the flags of this program to a set.
func (f *flags) register(s *flag.FlagSet) {
	s.StringVar(&f.manifest, "manifest", "", "the `file` that lists models and bags, as JSON "+
		"lines or CSV; a local file or in a bucket (s3://, gs://)")
	s.StringVar(&f.folder.Trident, "trident", "", "a job `folder` of TRIDENT instead of a "+
		"manifest: every slide of COORDS/features_ENCODER is a bag")
	s.StringVar(&f.folder.Clam, "clam", "", "a `folder` of features of CLAM instead of a "+
		"manifest: every slide of h5_files, or else of pt_files, is a bag")
	s.StringVar(&f.folder.Stamp, "stamp", "", "a `folder` of features of STAMP instead of a "+
		"manifest: every slide of its .h5 files is a bag")
	s.StringVar(&f.folder.Model, "model", "", "the .onnx `file` for the slides of a "+
		"job folder, or a folder of models that are one")
	s.StringVar(&f.folder.Features, "features", "",
		"`name` of the folder of features, if the job folder has several")
	s.StringVar(&f.folder.Torchmil, "torchmil", "", "a `folder` of torchmil instead of a "+
		"manifest: each NAME.npy of features is a bag, with those of the folders labels, "+
		"patch_labels and coords")
	s.StringVar(&f.folder.Split, "split", "", "CSV `file` of CLAM (splits_0.csv) or torchmil "+
		"(splits.csv): only the slides of its part --part are explained")
	s.StringVar(&f.folder.Part, "part", "", "`name` of the part of --split: train, val or "+
		"test (default test)")
	s.StringVar(&f.folder.Labels, "slide-labels", "", "CSV `file` with the columns "+
		"slide_id and label, site or both for the slides of a job folder, or the two tables "+
		"of STAMP with a comma between them")
	s.StringVar(&f.out, "out", "", "the `folder` for results, local or in a bucket; bags with a "+
		"result there are not explained again")
	s.StringVar(&f.request, "request", "", "settings for all bags: a JSON object, or a `file` "+
		"with one, whose keys are the names of explain's flags")
	s.BoolVar(&f.ownSeeds, "own-seeds", false,
		"derive the seed of every bag without one from the request's seed and the bag's bytes")
	s.StringVar(&f.metrics, "metrics", "ndcg", "metrics of the explanations, `names` separated "+
		"by commas, or none; all except ndcg, auprc and r2 need further model evaluations")
	s.IntVar(&f.workers, "workers", 0, "bags that a process explains concurrently (default one "+
		"per processor); the results do not depend on it")
	s.IntVar(&f.memory, "memory", 0, "most MB that a process holds of models, bags and results "+
		"(default no limit); models and files are then read again for each bag")
	s.IntVar(&f.batch, "batch", 0, "lines of the manifest in a batch for a worker (default 32); "+
		"the results do not depend on it")
	s.IntVar(&f.perFile, "lines-per-file", 0,
		"lines of the manifest per file of results (default all)")
	s.StringVar(&f.drawing.Maps, "maps", "", "write a heat map over the slide of each bag with "+
		"places into a new `folder`, all on one scale of colours, and maps.csv, which lists them")
	s.StringVar(&f.drawing.MapForm, "map-form", "", "--maps: `ending` of the files: "+
		strings.Join(slidefiles.MapForms, ", ")+" (default "+slidefiles.MapForms[0]+")")
	s.Float64Var(&f.drawing.Scale, "scale", 0, "--maps: the `score` that has the strongest "+
		"colour (default that of all bags, the largest scale of tables/by_class.csv)")
	s.StringVar(&f.drawing.Colours, "colours", "", "--maps: colours for and against a class: "+
		"`names` "+strings.Join(draw.Palettes, " or ")+" (default "+draw.Palettes[0]+")")
	s.StringVar(&f.drawing.Tiles, "tiles-out", "", "write the patches with the highest and the "+
		"lowest scores of each class over all bags into a new `folder`: a PNG of each at full "+
		"resolution, tiles.csv with scores, places and bags, and those of a class on classN.png")
	s.IntVar(&f.drawing.Number, "tiles-number", 0, "--tiles-out: patches with the highest and "+
		"with the lowest scores of each class (default 8)")
	s.StringVar(&f.drawing.Slides, "tiles-slides", "", "--tiles-out: `folder` of the slides "+
		"that bags of features are from, named like the bags (default the bags' own files)")
	s.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	s.BoolVar(&f.verbose, "verbose", false, "also show the log of Beam and its engine")
}

func main() { os.Exit(program()) }

// program runs the program and returns the exit code.
func program() int {
	var f flags
	f.register(flag.CommandLine)
	// Errors are printed below in the form of bagscope's other commands.
	flag.CommandLine.Init("bagscope cohort", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.Usage = func() {}
	// Help is a success and goes to standard output.
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		help(os.Stdout)
		return exitDone
	case err != nil:
		return fail(exitUsage, msg.Errorf("%w; bagscope cohort --help lists the flags", err))
	case flag.NArg() > 0:
		return fail(exitUsage, msg.Errorf("cohort does not take the argument %q; use flags to "+
			"name files, see bagscope cohort --help", flag.Arg(0)))
	}
	// A worker of a remote engine runs the same program with the flag --worker.
	leaveWithStarter(os.Getppid, time.Second)
	beam.Init() // does not return in a worker of a remote engine
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
		return fail(exitFailed, errors.New(
			"interrupted before it finished; run the same command again to continue"))
	case errors.As(err, &option):
		return fail(exitUsage, err)
	}
	return fail(exitFailed, err)
}

// fail prints the error in one line and returns the exit code.
func fail(code int, err error) int {
	fmt.Fprintln(os.Stderr, msg.Sprintf("bagscope: %s", msg.Text(ask.ErrorText(err,
		ask.Cohort))))
	return code
}

// run explains the cohort and prints the summary. Beam's flags have been parsed before.
func (f *flags) run(ctx context.Context) error {
	o := cohort.Options{
		Manifest: f.manifest, Folder: f.folder, Out: f.out, OwnSeeds: f.ownSeeds,
		Workers: f.workers, Batch: f.batch, Memory: f.memory,
		PerFile: f.perFile, Drawing: f.drawing,
		Runner: *runners.Runner, Errors: os.Stderr, Metrics: []string{},
	}
	if f.metrics != "none" {
		o.Metrics = strings.Split(f.metrics, ",")
	}
	// A line that is replaced is only readable on a terminal.
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
	// The summary goes to standard output, and everything else to standard error.
	if f.asJSON {
		return jsontext.Write(os.Stdout, s)
	}
	fmt.Printf("%d of %d bags explained into %s\n", s.Finished, s.Lines, f.out)
	if s.Failed > 0 {
		fmt.Printf("%d bags failed; dead-letters.jsonl contains the reasons\n", s.Failed)
	}
	if f.drawing.Maps != "" {
		fmt.Printf("%d heat maps in %s, where maps.csv lists them\n", s.Maps, f.drawing.Maps)
		if s.WithoutMap > 0 {
			fmt.Printf("%d bags have no map; maps.csv contains the reasons\n", s.WithoutMap)
		}
	}
	if f.drawing.Tiles != "" {
		fmt.Printf("the strongest patches are in %s\n", f.drawing.Tiles)
	}
	// Single failures are in the dead letters. Without any result the run itself has failed.
	if s.Finished == 0 {
		return errors.New("no bag could be explained; see dead-letters.jsonl")
	}
	return nil
}

// readRequest returns the JSON of --request, or of the file that it names.
func (f *flags) readRequest() (json.RawMessage, error) {
	if f.request == "" || strings.HasPrefix(strings.TrimSpace(f.request), "{") {
		return json.RawMessage(f.request), nil
	}
	data, err := os.ReadFile(f.request)
	if err != nil {
		return nil, &cohort.OptionError{Option: "request",
			Reason: msg.Sprintf("must be a JSON object or a readable file: %v", err)}
	}
	return data, nil
}

// scratch creates a temporary folder for Beam, which leaves an empty file in it at each run, and
// returns a function that removes the folder.
func scratch() func() {
	folder, err := os.MkdirTemp("", "bagscope-cohort-*")
	if err != nil {
		return func() {} // Beam reports the error if it needs the folder
	}
	// The first variable is for Unix, the second one for Windows.
	for _, name := range []string{"TMPDIR", "TMP"} {
		os.Setenv(name, folder)
	}
	return func() { os.RemoveAll(folder) }
}

// quieten hides the log of Beam and of an engine in this process. The error of a run contains the
// reason of its failure.
func (f *flags) quieten() {
	if f.verbose {
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(&log.Standard{Level: log.SevFatal})
}

// help prints the flags of this program in order, and mentions the flags of the engines.
func help(w io.Writer) {
	fmt.Fprintf(w, "Explain every bag of a manifest and write tables over the whole "+
		"cohort\n\nUsage:\n  bagscope cohort --manifest FILE --out FOLDER [flags]\n"+
		"  bagscope cohort --trident DIR --model FILE --out FOLDER [flags]\n\nFlags:\n")
	var f flags
	ours := flag.NewFlagSet("", flag.ContinueOnError)
	f.register(ours)
	for _, name := range []string{"manifest", "trident", "clam", "stamp", "torchmil", "model",
		"features", "slide-labels", "split", "part", "out", "request", "own-seeds", "metrics",
		"workers", "memory", "batch", "lines-per-file", "maps", "map-form", "scale", "colours",
		"tiles-out", "tiles-number", "tiles-slides", "json", "verbose"} {
		one := ours.Lookup(name)
		value, usage := flag.UnquoteUsage(one)
		fmt.Fprintf(w, "      --%-24s %s\n", strings.TrimSpace(name+" "+value), usage)
	}
	fmt.Fprintf(w, "      --%-24s %s (default prism, which needs no set-up)\n", "runner name",
		strings.Join(cohort.Runners(), ", "))
	fmt.Fprintf(w, "      --%-24s HOST:PORT of the engine's job service\n", "endpoint address")
	fmt.Fprintf(w, "\nFlags of Beam's engines are also accepted, such as --environment_type, "+
		"--parallelism, --project, --region and --staging_location.\n")
}
