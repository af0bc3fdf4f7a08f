package cohort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/answer"
)

func init() {
	register.DoFn5x1[context.Context, []byte, func(int, []byte), func(int, []byte), func(string, Cell), error](&explainFn{})
}

// explainFn answers the lines of a batch, several at a time.
type explainFn struct {
	Config []byte
}

// hands bound how many bags this process explains at a time, whatever number of batches the engine gives it: a channel
// for each number of workers that a run asked for.
var hands sync.Map

func handsOf(workers int) chan struct{} {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	free, _ := hands.LoadOrStore(workers, make(chan struct{}, workers))
	return free.(chan struct{})
}

func (f *explainFn) ProcessElement(ctx context.Context, sent []byte, places, failures func(int, []byte), cells func(string, Cell)) error {
	var c config
	var entries []entry
	if err := errors.Join(json.Unmarshal(f.Config, &c), json.Unmarshal(sent, &entries)); err != nil {
		return err
	}
	free := handsOf(c.Workers)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	report := reporter{&c, places, failures, cells}
	var all sync.WaitGroup
	var one sync.Mutex // the engine's functions are called by one goroutine at a time
	for i := range entries {
		l := &entries[i].Line
		l.Number = entries[i].Number
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			key, r, err := c.work(ctx, l)
			one.Lock()
			defer one.Unlock()
			var ours *storeError
			switch {
			case ctx.Err() != nil:
			case errors.As(err, &ours):
				cancel(ours.error) // nothing is wrong with the bag: the run cannot go on
			case err != nil:
				report.failed(l, err)
			default:
				report.finished(l, key, r)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// A storeError is one of writing results, which no bag is to blame for.
type storeError struct{ error }

// work returns the record of a line, from the store if it is there.
func (c *config) work(ctx context.Context, l *Line) (key string, r *record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	q, err := c.ask(l)
	if err != nil {
		return "", nil, err
	}
	if key, err = q.key(); err != nil {
		return "", nil, err
	}
	if r, err = load(ctx, c.Out, key); err != nil {
		return "", nil, &storeError{err}
	}
	if r != nil {
		progress.reused.Add(1)
		return key, r, nil
	}
	if r, err = q.answer(ctx); err != nil {
		return "", nil, err
	}
	if err := save(ctx, c.Out, key, r); err != nil {
		return "", nil, &storeError{err}
	}
	return key, r, nil
}

// A panicError is a fault of the program, met at one bag.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the program fails: %v", e.value) }

// A reporter tells the rest of the pipeline what became of a line.
type reporter struct {
	config           *config
	places, failures func(int, []byte)
	cells            func(string, Cell)
}

func (r *reporter) finished(l *Line, key string, bag *record) {
	progress.done.Add(1)
	r.places(r.config.file(l.Number), mustJSON(finished{placeOf(l), key}))
	bag.cells(l, func(k cellKey, c Cell) { r.cells(k.text(), c) })
}

func (r *reporter) failed(l *Line, err error) {
	progress.done.Add(1)
	progress.failed.Add(1)
	f := failure{placeOf(l), kind(err), err.Error()}
	var line *LineError
	if errors.As(err, &line) {
		f.Reason = line.Reason // the letter has the line's number beside it
	}
	r.failures(0, mustJSON(f))
	r.cells(cellKey{Model: l.Model, Site: l.Site, Kind: f.Kind}.text(), Cell{Count: 1})
}

// kind is the word for why a line failed: one of answer.Kind, or manifest, file, scores or internal.
func kind(err error) string {
	if k := answer.Kind(err); k != "" {
		return k
	}
	var (
		line   *LineError
		file   *FileError
		scores *metric.ScoresError
	)
	switch {
	case errors.As(err, &line):
		return "manifest"
	case errors.As(err, &file):
		return "file"
	case errors.As(err, &scores):
		return "scores"
	}
	return "internal"
}
