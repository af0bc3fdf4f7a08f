package cohort

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// The reader has outputs for batches, places, failures and aggregates.
func init() {
	register.DoFn6x1[context.Context, []byte, func([]byte), func(int, []byte), func(int, []byte),
		func(string, Aggregate), error](&readFn{})
}

// readFn reads the manifest and emits its lines in batches of one model. It runs in a single
// worker, because lines must be numbered. A million lines take seconds.
type readFn struct {
	Config config
}

// waitingModels is the largest number of models with incomplete batches.
const waitingModels = 64

// ProcessElement reads the whole manifest. Its input is a single empty element. An invalid line
// becomes a dead letter, and reading continues.
func (f *readFn) ProcessElement(
	ctx context.Context, _ []byte, batches func([]byte), places, failures func(int, []byte),
	aggregates func(string, Aggregate),
) error {
	c := &f.Config
	manifest, err := openFile(ctx, c.Manifest)
	if err != nil {
		return err
	}
	defer manifest.Close()
	progress.begin()
	report := reporter{config: c, places: places, failures: failures, aggregates: aggregates}
	failures(0, mustJSON(failure{})) // so that the file exists even without failures
	waiting := map[string][]entry{}
	var order []string // models with incomplete batches, the oldest first
	// send emits the batch of one model and forgets the model.
	send := func(at int) {
		model := order[at]
		batches(mustJSON(waiting[model]))
		delete(waiting, model)
		order = slices.Delete(order, at, at+1)
	}
	file := -1 // the last file of results that has a place
	for l, err := range ReadManifest(manifest) {
		var broken *LineError
		if err != nil && !errors.As(err, &broken) {
			return err
		}
		progress.total.Add(1)
		// Every file of results exists, even if all its lines fail.
		for ; file < c.file(l.Number); file++ {
			places(file+1, mustJSON(finished{}))
		}
		if broken != nil {
			report.failed(&l, broken)
			continue
		}
		if waiting[l.Model] == nil {
			// The oldest batch is sent incomplete, so that memory stays bounded.
			if len(order) == waitingModels {
				send(0)
			}
			order = append(order, l.Model)
		}
		waiting[l.Model] = append(waiting[l.Model], entry{l.Number, l})
		if len(waiting[l.Model]) == c.Batch {
			send(slices.Index(order, l.Model))
		}
	}
	for len(order) > 0 {
		send(0)
	}
	progress.read()
	return ctx.Err()
}
