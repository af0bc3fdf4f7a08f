// Run sends requests to a running server and prints a line per minute: responses, response times
// and the memory of the server.
//
//	bagscope serve --models examples/digits &
//	go run ./tools/service/server/crowd/run -url http://127.0.0.1:8018 -clients 64 -duration 30m
//
// It exits with 1 if a response was not as expected.
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
	// Ctrl-C ends the load, and the report so far is printed.
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
	flag.IntVar(&o.Clients, "clients", 64, "number of concurrent clients")
	flag.IntVar(&o.Requests, "requests", 0, "number of requests (default no limit)")
	flag.DurationVar(&o.Duration, "duration", 0,
		"end after this time (default 1m, or no limit with -requests)")
	flag.DurationVar(&o.Every, "every", time.Minute, "interval between lines")
	flag.StringVar(&folder, "folder", "examples/digits",
		"folder of model.onnx, which the server has as model, and of bags.npz")
	flag.StringVar(&tokens, "token-file", "", "file whose first line is a token of the server")
	flag.Parse()
	if o.Requests == 0 && o.Duration == 0 {
		o.Duration = time.Minute
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	var err error
	if o.Bodies, err = crowd.Mixed(folder); err != nil {
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
	fmt.Println("  time  responses  /s    median   p99        status 429  failed  resident MB  " +
		"heap MB  goroutines")
	line := func(r *crowd.Report) {
		m := r.Memory
		fmt.Printf("%6s %10d  %4.0f  %-8s %-8s %12d  %6d  %11.1f  %7.1f  %10.0f\n",
			r.Took.Round(time.Second), len(r.Times), r.Rate(),
			r.Quantile(.5).Round(time.Millisecond), r.Quantile(.99).Round(time.Millisecond),
			r.Busy, r.Failed, m.Resident/1e6, m.Heap/1e6, m.Goroutines)
	}
	o.OnReport = line
	r := crowd.Run(ctx, o)
	line(r)
	if r.Failed > 0 {
		return fmt.Errorf("%d responses are wrong:\n%s", r.Failed, strings.Join(r.Failures, "\n"))
	}
	return nil
}
