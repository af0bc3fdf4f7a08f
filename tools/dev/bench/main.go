package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
)

// settings are the values of the flags.
type settings struct {
	quick             bool
	only, page, serve string
	rounds            int
}

// main parses the flags. The program ends with exit code 1 after an error, such as an interrupt.
func main() {
	var o settings
	flag.BoolVar(&o.quick, "quick", false, "three rounds of the smaller bags, in about a minute")
	flag.StringVar(&o.only, "only", "",
		"jobs to measure, a regular `expression` such as 'crc|cold'")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of each job; 0 for 7, or 3 of a quick run")
	flag.StringVar(&o.page, "page", "",
		"write the page that measures a visitor's browser to this `folder`, and measure nothing")
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
	if o.page != "" {
		_, skipped, err := stage(ctx, ".", o.page, ownSubjects(), onPage)
		for _, s := range skipped {
			fmt.Fprintln(os.Stderr, "skipped:", s)
		}
		return err
	}
	report, err := measure(ctx, o, only)
	if err == nil {
		_, err = os.Stdout.WriteString(report.table())
	}
	return err
}

// measure stages models, bags and programs in a temporary folder, and measures all jobs.
func measure(ctx context.Context, o settings, only *regexp.Regexp) (*Report, error) {
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
	list, skipped, err := stage(ctx, ".", folder, list, slices.Concat(onPage, forColdStarts))
	if err != nil {
		return nil, err
	}
	paths := paths{folder: folder, chromium: output("tools/dev/need", "chromium")}
	b := &bench{only: only, pace: pace,
		engines: &engines{paths, map[runner]*child{}, map[runner]error{}}}
	defer b.engines.close()
	b.report = Report{Machine: describeMachine(paths.chromium, ortVersion())}
	for _, s := range skipped {
		b.skip(s)
	}
	if err := b.all(ctx, list, o.quick); err != nil {
		return nil, err
	}
	compare(b.report.Rows)
	return &b.report, nil
}

// all measures all jobs. A quick run omits memory.
func (b *bench) all(ctx context.Context, list []*Subject, quick bool) error {
	for _, s := range list {
		if err := b.subject(ctx, s); err != nil {
			return err
		}
	}
	if err := b.coldStart(ctx); err != nil || quick {
		return err
	}
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
func ortVersion() string {
	var p struct{ Dependencies map[string]string }
	text, err := os.ReadFile("tools/dev/bench/package.json")
	if err != nil || json.Unmarshal(text, &p) != nil {
		return ""
	}
	return p.Dependencies["onnxruntime-web"]
}
