package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// settings are the values of the flags.
type settings struct {
	quick, full, json             bool
	save, only, page, serve, root string
	rounds                        int
}

// main parses the flags. The program ends with exit code 1 after an error, such as an interrupt.
func main() {
	var o settings
	flag.BoolVar(&o.quick, "quick", false, "three rounds of the smaller bags, in about a minute")
	flag.BoolVar(&o.full, "full", false, "all rounds of every job, however slow")
	flag.BoolVar(&o.json, "json", false, "print JSON instead of the table")
	flag.StringVar(&o.save, "save", "", "write the JSON to this `file` as well")
	flag.StringVar(&o.only, "only", "",
		"jobs to measure, a regular `expression` such as 'crc|cold'")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of each job; 0 for 7, or 3 of a quick run")
	flag.StringVar(&o.page, "page", "",
		"write the page that measures a visitor's browser to this `folder`, and measure nothing")
	flag.StringVar(&o.root, "root", ".", "the repository")
	flag.StringVar(&o.serve, "serve", "",
		"run as the native engine for the models in this `folder`; the program starts itself "+
			"with it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the mode that the flags choose: the native engine, the page or a measurement.
func run(ctx context.Context, o settings) error {
	if o.serve != "" {
		return serveNative(ctx, o.serve, os.Stdin, os.Stdout)
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	if o.page != "" {
		_, skipped, err := stage(ctx, root, o.page, ownSubjects(), onPage)
		for _, s := range skipped {
			fmt.Fprintln(os.Stderr, "skipped:", s)
		}
		return err
	}
	report, err := measure(ctx, o, root, only)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if o.save != "" {
		if err := os.WriteFile(o.save, text, 0o644); err != nil {
			return err
		}
	}
	if !o.json {
		text = []byte(report.table())
	}
	_, err = os.Stdout.Write(text)
	return err
}

// measure stages models, bags and programs in a temporary folder, and measures all jobs.
func measure(ctx context.Context, o settings, root string, only *regexp.Regexp) (*Report, error) {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	list, pace := subjects(), fullPace
	if o.quick {
		list, pace = quickSubjects(list), quickPace
	}
	pace.rounds = cmp.Or(o.rounds, pace.rounds)
	if o.full {
		pace.rowMS = math.Inf(1)
	}
	list, skipped, err := stage(ctx, root, folder, list, slices.Concat(onPage, forColdStarts))
	if err != nil {
		return nil, err
	}
	paths := paths{root: root, folder: folder,
		chromium: output(filepath.Join(root, "tools/dev/need"), "chromium")}
	b := &bench{only: only, pace: pace,
		engines: &engines{paths, map[runner]*child{}, map[runner]error{}}}
	defer b.engines.close()
	b.report = Report{Machine: describeMachine(paths.chromium, ortVersion(root)), Rows: []Row{},
		Skipped: []string{}}
	for _, s := range skipped {
		b.skip(s)
	}
	if err := b.all(ctx, list, o.quick); err != nil {
		return nil, err
	}
	compare(b.report.Rows)
	return &b.report, nil
}

// all measures all jobs. A quick run omits sizes and memory, because compressing the programs takes
// longer than all its measurements.
func (b *bench) all(ctx context.Context, list []*Subject, quick bool) error {
	for _, s := range list {
		if err := b.subject(ctx, s); err != nil {
			return err
		}
	}
	if err := b.coldStart(ctx); err != nil || quick {
		return err
	}
	b.shipped()
	for _, s := range list {
		if s.measureMemory {
			if err := b.memory(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// ortVersion returns the version of ONNX Runtime that package.json pins.
func ortVersion(root string) string {
	var p struct{ Dependencies map[string]string }
	text, err := os.ReadFile(filepath.Join(root, "tools/dev/bench/package.json"))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return ""
	}
	return p.Dependencies["onnxruntime-web"]
}
