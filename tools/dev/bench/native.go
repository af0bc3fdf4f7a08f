package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// taskLoop is a loop over given coalitions, the whole model for each.
const taskLoop = "loop"

// A Request is a request to the process of an engine.
type Request struct {
	Op      string   `json:"op"` // ready, measure or peak; in the browser also cold
	Engine  string   `json:"engine,omitempty"`
	Task    string   `json:"task,omitempty"`
	Subject *Subject `json:"subject,omitempty"`
	Repeat  int      `json:"repeat,omitempty"` // number of runs; the reply has their mean time
	Sample  [][]int  `json:"sample,omitempty"` // members of the coalitions of a loop
}

// A Reply is the reply to a Request.
type Reply struct {
	MS    float64 `json:"ms"`
	Bytes int64   `json:"bytes"` // largest resident set of the process so far
	After float64 `json:"after"` // time of a cold start after the arrival of all bytes
	Error string  `json:"error"`
}

// A nativeEngine is bagscope in this process.
type nativeEngine struct {
	folder string
	loaded map[string]*loaded // models by engine and subject
}

// loaded is a model with its bag and, if a task needed it, the bag's evaluator.
type loaded struct {
	model *onnxbackend.Model
	bag   *core.Bag
	bound core.Evaluator
}

// serveNative replies to the requests of in until it ends.
func serveNative(ctx context.Context, folder string, in io.Reader, out io.Writer) error {
	e := &nativeEngine{folder, map[string]*loaded{}}
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r Request
		// The browser and Node have the same protocol, see peers/.
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var reply Reply
		var err error
		switch r.Op {
		case "measure":
			reply.MS, err = e.measure(ctx, r)
		case "ready":
		case "peak":
			reply.Bytes = peakOf("self")
		default:
			err = fmt.Errorf("the native engine does not know the request %q", r.Op)
		}
		if err != nil {
			reply.Error = err.Error()
		}
		if err := replies.Encode(reply); err != nil {
			return err
		}
	}
}

// measure returns the mean time of a task in milliseconds.
func (e *nativeEngine) measure(ctx context.Context, r Request) (float64, error) {
	run, err := e.prepare(ctx, r)
	if err != nil {
		return 0, err
	}
	from := time.Now()
	for range r.Repeat {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(from).Seconds() * 1000 / float64(r.Repeat), nil
}

// prepare loads the model and bag of a request, and returns the function to measure.
func (e *nativeEngine) prepare(ctx context.Context, r Request) (func() error, error) {
	l, err := e.load(r)
	if err != nil {
		return nil, err
	}
	switch r.Task {
	case taskForward:
		return func() error { _, err := l.model.Predict(ctx, l.bag); return err }, nil
	case taskEncode:
		return func() error { _, err := l.model.Bind(ctx, l.bag); return err }, nil
	case taskConsensusEncoded, taskMILLIEncoded, taskLoop, taskCoalitions:
		// Binding encodes the bag, which these tasks do not measure.
		if l.bound == nil {
			if l.bound, err = l.model.Bind(ctx, l.bag); err != nil {
				return nil, err
			}
		}
	default:
		return func() error {
			ev, err := l.model.Bind(ctx, l.bag)
			if err != nil {
				return err
			}
			return runTask(ctx, r.Subject, r.Task, l.bag, ev)
		}, nil
	}
	if task, ok := strings.CutSuffix(r.Task, encoded); ok {
		return func() error { return runTask(ctx, r.Subject, task, l.bag, l.bound) }, nil
	}
	z, err := requested(ctx, r)
	if err != nil {
		return nil, err
	}
	return func() error {
		g, err := core.NewGame(l.bound, core.GameOptions{Workers: 1})
		if err != nil {
			return err
		}
		_, err = g.Values(ctx, z)
		return err
	}, nil
}

// requested returns the coalitions of a request: its sample, or all coalitions of its task.
func requested(ctx context.Context, r Request) (*core.Coalitions, error) {
	if r.Task == taskCoalitions {
		return coalitionsOf(ctx, r.Subject, taskSHAP)
	}
	z := core.NewCoalitions(r.Subject.Instances, len(r.Sample))
	for _, members := range r.Sample {
		z.AppendMembers(members...)
	}
	return z, nil
}

// load reads the model and the bag of a request, or returns those of an earlier request.
func (e *nativeEngine) load(r Request) (*loaded, error) {
	key := r.Engine + " " + r.Subject.ID
	if l := e.loaded[key]; l != nil {
		return l, nil
	}
	file := filepath.Join(e.folder, r.Subject.ID)
	data, modelErr := os.ReadFile(file + ".onnx")
	npy, bagErr := os.ReadFile(file + ".npy")
	if err := cmp.Or(modelErr, bagErr); err != nil {
		return nil, err
	}
	model, err := onnxbackend.Open(data,
		onnxbackend.Options{Name: r.Subject.Model, Plain: r.Engine == enginePlain})
	if err != nil {
		return nil, err
	}
	// The bytes of the file are this process's own, so the bag may refer to them.
	set, err := bagio.Read(r.Subject.ID+".npy", npy, bagio.Options{ZeroCopy: true})
	if err != nil {
		return nil, err
	}
	bag, err := set.Bag(0)
	if err != nil {
		return nil, err
	}
	e.loaded[key] = &loaded{model: model, bag: bag}
	return e.loaded[key], nil
}
