package cohort

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// build returns the pipeline of the diagram in the package documentation.
func (c *config) build() *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	batches, places, failures, aggregates := beam.ParDo4(s.Scope("read"), &readFn{*c},
		beam.Impulse(s))
	// Without it, the worker that reads the manifest would explain all bags.
	batches = beam.Reshuffle(s, batches)
	donePlaces, doneFailures, doneAggregates := beam.ParDo3(s.Scope("explain"),
		&explainFn{*c}, batches)
	// Lines that the reader rejected are reported like lines that could not be explained.
	places = beam.Flatten(s, places, donePlaces)
	failures = beam.Flatten(s, failures, doneFailures)
	aggregates = beam.Flatten(s, aggregates, doneAggregates)

	beam.ParDo0(s.Scope("results"), &resultsFn{*c}, beam.GroupByKey(s, places))
	beam.ParDo0(s.Scope("dead letters"), &failuresFn{*c}, beam.GroupByKey(s, failures))
	merged := beam.CombinePerKey(s.Scope("combine"), &mergeFn{}, aggregates)
	gathered := beam.ParDo(s.Scope("gather"), &gatherFn{}, merged)
	beam.ParDo0(s.Scope("tables"), &tablesFn{*c}, beam.GroupByKey(s, gathered))
	return p
}
