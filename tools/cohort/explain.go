package cohort

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Beam looks up the type of a function by its registration when a worker decodes the pipeline.
func init() {
	register.DoFn5x1[context.Context, []byte, func(int, []byte), func(int, []byte),
		func(string, Aggregate), error](&explainFn{})
}

// explainFn explains the lines of a batch, several concurrently.
type explainFn struct {
	Config config
}

// ProcessElement explains the batch in sent. It writes a mark before the work and removes it after
// the work, so that a later process finds out whether this one has ended in between.
func (f *explainFn) ProcessElement(
	ctx context.Context, sent []byte, places, failures func(int, []byte),
	aggregates func(string, Aggregate),
) error {
	c := &f.Config
	var entries []entry
	if err := json.Unmarshal(sent, &entries); err != nil {
		return err
	}
	for i := range entries {
		// The JSON of a line does not contain its number.
		entries[i].Line.Number = entries[i].Number
	}
	report := &reporter{config: c, places: places, failures: failures, aggregates: aggregates}
	// all lines of a batch have the same model
	batch, model := c.batchMark(sent), c.modelMark(&entries[0].Line)
	// If an earlier process ended during this batch or with this model, the lines run one by one.
	careful, err := c.careful(ctx, batch, model)
	if err != nil {
		return err
	}
	err = c.explain(ctx, entries, careful, report)
	if !careful {
		err = errors.Join(err, c.end(ctx, model)) // the model did not end the process
	}
	if report.givenUp {
		return err // keep the mark, so that the next run does not retry the line either
	}
	return errors.Join(err, c.end(ctx, batch))
}

// explain explains the lines of a batch, several concurrently. If a process has ended during the
// batch before, it explains them one by one and alone in the process.
func (c *config) explain(
	ctx context.Context, entries []entry, careful bool, report *reporter,
) error {
	work := c.work
	if careful {
		work = c.workMarked
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i := range entries {
		l := &entries[i].Line
		// All batches of the process share the slots.
		slots := semaphoreFor(c.Workers)
		release, err := slots.acquire(ctx, careful)
		if err != nil {
			break
		}
		all.Go(func() {
			key, r, err := c.bounded(ctx, l, work)
			release()
			if isBusy(err) {
				if release, err = slots.acquire(ctx, true); err == nil {
					key, r, err = c.bounded(ctx, l, work)
					release()
				}
			}
			var store *storeError
			switch {
			case ctx.Err() != nil: // the error is that of another line, or the run was stopped
			case errors.As(err, &store):
				cancel(store.error) // the bag is not the cause, and the run cannot continue
			default:
				report.ended(l, key, r, err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// A storeError is an error of writing results, which is independent of the bag.
type storeError struct{ error }

// asStoreError returns a *storeError with err, or nil for nil.
func asStoreError(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{err}
}

// work returns the record of a line, from the store if present.
func (c *config) work(ctx context.Context, l *Line) (key string, r *record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	t, err := c.prepare(ctx, l)
	if err != nil {
		return "", nil, err
	}
	// The store contains the record if an earlier run, or an earlier line with the same inputs,
	// explained this bag.
	if key, err = t.key(); err != nil {
		return "", nil, err
	}
	if r, err = load(ctx, c.Out, key); err != nil {
		return "", nil, &storeError{err}
	}
	if r != nil {
		progress.reused.Add(1)
		return key, r, nil
	}
	if r, err = t.explain(ctx); err != nil {
		return "", nil, err
	}
	if busy := quota.MemoryOf(ctx).Busy(); busy != nil {
		return "", nil, busy // the result could depend on the lines beside it
	}
	return key, r, asStoreError(save(ctx, c.Out, key, r))
}

// A panicError is a panic of the program at one bag.
type panicError struct{ value any }

// Error returns the value of the panic.
func (e *panicError) Error() string { return msg.Sprintf("internal error: %v", e.value) }

// A reporter sends the outcome of a line to the rest of the pipeline.
type reporter struct {
	config           *config
	places, failures func(int, []byte)
	aggregates       func(string, Aggregate)
	givenUp          bool       // a line failed because it ended processes
	mu               sync.Mutex // the engine's functions are called by one goroutine at a time
}

// ended reports a line with its record, or with its error.
func (r *reporter) ended(l *Line, key string, bag *record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed(l, err)
		return
	}
	progress.done.Add(1)
	r.places(r.config.file(l.Number), mustJSON(finished{placeOf(l), key}))
	bag.aggregates(l, func(k aggregateKey, c Aggregate) { r.aggregates(k.text(), c) })
}

// failed reports a line as a dead letter.
func (r *reporter) failed(l *Line, err error) {
	progress.done.Add(1)
	progress.failed.Add(1)
	f := failure{placeOf(l), failureKind(err), ask.ErrorText(err, ask.Cohort)}
	r.givenUp = r.givenUp || f.Kind == "crashed"
	var line *LineError
	if errors.As(err, &line) {
		f.Reason = line.Reason // the failure contains the line's number separately
	}
	r.failures(0, mustJSON(f))
	r.aggregates(aggregateKey{Model: l.Model, Site: l.Site, Kind: f.Kind}.text(),
		Aggregate{Count: 1})
}

// failureKind returns the kind of a line's error: one of package kind, or manifest, file, scores,
// crashed or internal.
func failureKind(err error) string {
	// The kinds of the command line come first, so that a reason has the same kind everywhere.
	if k := kind.Of(err); k != "" {
		return k
	}
	switch {
	case errors.As(err, new(*LineError)):
		return "manifest"
	case errors.As(err, new(*FileError)):
		return "file"
	case errors.As(err, new(*metric.ScoresError)):
		return "scores"
	case errors.As(err, new(*crashError)):
		return "crashed"
	}
	return "internal"
}
