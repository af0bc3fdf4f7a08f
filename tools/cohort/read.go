package cohort

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn6x1[context.Context, []byte, func([]byte), func(int, []byte), func(int, []byte),
		func(string, Aggregate), error](&readFn{})
}

// readFn reads the manifest and emits its lines in batches of one model. It runs in a single
// worker, because lines must be numbered. A million lines take seconds.
type readFn struct{}

// waitingModels is the largest number of models with incomplete batches.
const waitingModels = 64

func (*readFn) ProcessElement(
	ctx context.Context, sent []byte, batches func([]byte), places, failures func(int, []byte),
	aggregates func(string, Aggregate),
) error {
	var c config
	if err := json.Unmarshal(sent, &c); err != nil {
		return err
	}
	manifest, err := openFile(ctx, c.Manifest)
	if err != nil {
		return err
	}
	defer manifest.Close()
	progress.begin()
	report := reporter{config: &c, places: places, failures: failures, aggregates: aggregates}
	failures(0, mustJSON(failure{}))
	waiting := map[string][]entry{}
	var order []string // models with incomplete batches, the oldest first
	send := func(at int) {
		model := order[at]
		batches(mustJSON(waiting[model]))
		delete(waiting, model)
		order = append(order[:at], order[at+1:]...)
	}
	file := -1
	for l, err := range ReadManifest(manifest) {
		var broken *LineError
		if err != nil && !errors.As(err, &broken) {
			return err
		}
		progress.total.Add(1)
		for ; file < c.file(l.Number); file++ {
			places(file+1, mustJSON(finished{}))
		}
		if broken != nil {
			report.failed(&l, broken)
			continue
		}
		if waiting[l.Model] == nil {
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
