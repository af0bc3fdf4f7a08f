// Run asks a server that runs already, and prints a line a minute: answers, times, and the server's
// memory.
//
//	bagscope serve --models examples/digits &
//	go run ./tools/service/server/crowd/run -url http://127.0.0.1:8018 -clients 64 -duration 30m
//
// It exits with 1 when an answer was not what it has to be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/bagscope/bagscope/tools/service/server/crowd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	o := crowd.Options{}
	folder, tokens := "", ""
	flag.StringVar(&o.URL, "url", "http://127.0.0.1:8018", "the server")
	flag.IntVar(&o.Clients, "clients", 64, "clients that ask at a time")
	flag.IntVar(&o.Requests, "requests", 0, "end after so many (default no end)")
	flag.DurationVar(&o.Duration, "duration", 0,
		"end after this time (default 1m, and with -requests no end)")
	flag.DurationVar(&o.Every, "every", time.Minute, "how often a line is printed")
	flag.StringVar(&folder, "folder", "examples/digits",
		"folder of model.onnx, which the server has as model, and of bags.npz")
	flag.StringVar(&tokens, "token-file", "", "file whose first line is a token of the server")
	flag.Parse()
	if o.Requests == 0 && o.Duration == 0 {
		o.Duration = time.Minute
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	var err error
	if o.Questions, err = crowd.Mixed(folder); err != nil {
		return err
	}
	if tokens != "" {
		data, err := os.ReadFile(tokens)
		if err != nil {
			return err
		}
		line, _, _ := strings.Cut(string(data), "\n")
		o.Token = strings.TrimSpace(line)
	}
	fmt.Println("  time   answers  /s    median   p99      told to wait  failed  resident MB  " +
		"heap MB  goroutines")
	line := func(r *crowd.Report) {
		m := r.Memory
		fmt.Printf("%6s  %8d  %4.0f  %-8s %-8s %12d  %6d  %11.1f  %7.1f  %10.0f\n",
			r.Took.Round(time.Second), len(r.Times), r.Rate(),
			r.Quantile(.5).Round(time.Millisecond), r.Quantile(.99).Round(time.Millisecond),
			r.Again, r.Failed, m.Resident/1e6, m.Heap/1e6, m.Goroutines)
	}
	o.Tell = line
	r := crowd.Run(ctx, o)
	line(r)
	if r.Failed > 0 {
		return fmt.Errorf("%d answers are wrong:\n%s", r.Failed, strings.Join(r.Failures, "\n"))
	}
	return nil
}
