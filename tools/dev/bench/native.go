package main

import (
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

// A Request asks an engine for one measurement, or for what it alone knows.
type Request struct {
	// ready, measure or peak; cold and shipped of the browser alone
	Op      string   `json:"op"`
	Engine  string   `json:"engine,omitempty"` // of those that the process has
	Task    string   `json:"task,omitempty"`
	Subject *Subject `json:"subject,omitempty"`
	Repeat  int      `json:"repeat,omitempty"` // runs, of which the mean is told
	Sample  [][]int  `json:"sample,omitempty"` // of a loop
}

// A Reply is an engine's answer.
type Reply struct {
	MS    float64 `json:"ms"`
	Bytes int64   `json:"bytes"` // the largest resident set so far
	After float64 `json:"after"` // of a cold start: from the arrival of the bytes
	Error string  `json:"error"`

	Shipped *Shipped `json:"shipped"`
}

// A nativeEngine is bagscope in this process.
type nativeEngine struct {
	folder string
	models map[string]*onnxbackend.Model
	bags   map[string]*core.Bag
	bound  map[string]core.Evaluator
}

// serveNative answers requests, one a line, until the input ends.
func serveNative(ctx context.Context, folder string, in io.Reader, out io.Writer) error {
	e := &nativeEngine{folder, map[string]*onnxbackend.Model{}, map[string]*core.Bag{},
		map[string]core.Evaluator{}}
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r Request
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
			err = fmt.Errorf("%q is no request of the native engine", r.Op)
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

// prepare does what is not measured and returns what is.
func (e *nativeEngine) prepare(ctx context.Context, r Request) (func() error, error) {
	model, bag, err := e.load(r)
	if err != nil {
		return nil, err
	}
	switch r.Task {
	case taskForward:
		return func() error { _, err := model.Predict(ctx, bag); return err }, nil
	case taskEncode:
		return func() error { _, err := model.Bind(ctx, bag); return err }, nil
	case taskConsensusEncoded, taskMILLIEncoded:
		ev, err := e.bind(ctx, r, model, bag)
		if err != nil {
			return nil, err
		}
		return func() error {
			return perform(ctx, r.Subject, strings.TrimSuffix(r.Task, encoded),
				bag, ev)
		}, nil
	case taskLoop, taskCoalitions:
		ev, err := e.bind(ctx, r, model, bag)
		if err != nil {
			return nil, err
		}
		z, err := asked(ctx, r)
		if err != nil {
			return nil, err
		}
		return func() error {
			g, err := core.NewGame(ev, core.GameOptions{Workers: 1})
			if err != nil {
				return err
			}
			_, err = g.Values(ctx, z)
			return err
		}, nil
	}
	return func() error {
		ev, err := model.Bind(ctx, bag)
		if err != nil {
			return err
		}
		return perform(ctx, r.Subject, r.Task, bag, ev)
	}, nil
}

// asked returns the coalitions of a request: those that it names, or all of its task.
func asked(ctx context.Context, r Request) (*core.Coalitions, error) {
	if r.Task == taskCoalitions {
		return loopOf(ctx, r.Subject, taskSHAP)
	}
	z := core.NewCoalitions(r.Subject.Instances, len(r.Sample))
	for _, members := range r.Sample {
		z.AppendMembers(members...)
	}
	return z, nil
}

func (e *nativeEngine) load(r Request) (*onnxbackend.Model, *core.Bag, error) {
	key, file := r.Engine+" "+r.Subject.ID, filepath.Join(e.folder, r.Subject.ID)
	if e.models[key] == nil {
		data, err := os.ReadFile(file + ".onnx")
		if err != nil {
			return nil, nil, err
		}
		o := onnxbackend.Options{Name: r.Subject.Model, Plain: r.Engine == enginePlain}
		if e.models[key], err = onnxbackend.Open(data, o); err != nil {
			return nil, nil, err
		}
	}
	if e.bags[r.Subject.ID] == nil {
		data, err := os.ReadFile(file + ".npy")
		if err != nil {
			return nil, nil, err
		}
		set, err := bagio.Read(r.Subject.ID+".npy", data, bagio.Options{ZeroCopy: true})
		if err != nil {
			return nil, nil, err
		}
		if e.bags[r.Subject.ID], err = set.Bag(0); err != nil {
			return nil, nil, err
		}
	}
	return e.models[key], e.bags[r.Subject.ID], nil
}

func (e *nativeEngine) bind(
	ctx context.Context, r Request, model *onnxbackend.Model, bag *core.Bag,
) (core.Evaluator, error) {
	key := r.Engine + " " + r.Subject.ID
	if e.bound[key] == nil {
		ev, err := model.Bind(ctx, bag)
		if err != nil {
			return nil, err
		}
		e.bound[key] = ev
	}
	return e.bound[key], nil
}
