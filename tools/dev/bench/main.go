package main

import (
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

// settings are the flags.
type settings struct {
	quick, full, json             bool
	save, only, page, serve, root string
	rounds                        int
}

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
		"measure nothing; write the page that measures the browser it is opened in to this `folder`")
	flag.StringVar(&o.root, "root", ".", "the repository")
	flag.StringVar(&o.serve, "serve", "",
		"be the native engine for the models in this `folder` (the program starts itself so)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

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
	shared := os.Getenv("BAGSCOPE_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "../shared")
	}
	if _, err := os.Stat(shared); err != nil {
		shared = filepath.Join(root, "testdata") // lacks the data that may not be shipped
	}
	if o.page != "" {
		_, skipped, err := stage(ctx, root, root, o.page, ownSubjects(), onPage)
		for _, s := range skipped {
			fmt.Fprintln(os.Stderr, "left out:", s)
		}
		return err
	}
	report, err := measure(ctx, o, root, shared, only)
	if err != nil {
		return err
	}
	if o.save != "" {
		if err := save(report, o.save); err != nil {
			return err
		}
	}
	if o.json {
		return report.writeJSON(os.Stdout)
	}
	return report.writeTable(os.Stdout)
}

func measure(
	ctx context.Context, o settings, root, shared string, only *regexp.Regexp,
) (*Report, error) {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	list, pace := subjects(), thorough
	if o.quick {
		list, pace = quickOnes(list), hasty
	}
	if o.rounds > 0 {
		pace.rounds = o.rounds
	}
	if o.full {
		pace.cellMS = math.Inf(1)
	}
	list, skipped, err := stage(ctx, root, shared, folder, list,
		slices.Concat(onPage, forColdStarts))
	if err != nil {
		return nil, err
	}
	place := place{root: root, folder: folder,
		chromium: output(filepath.Join(root, "tools/dev/chromium"))}
	b := &bench{engines: newEngines(place), only: only, pace: pace}
	defer b.engines.close()
	b.report = Report{Machine: describeMachine(place.chromium, ortVersion(root)), Rows: []Row{},
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

// all fills the report. A quick run weighs nothing: compressing well takes longer than all the
// rest.
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
		if s.weighed {
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

func save(r *Report, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := r.writeJSON(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
