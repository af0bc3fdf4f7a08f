package cohort

import (
	"context"
	"encoding/json"

	"github.com/bagscope/bagscope/internal/msg"
)

// summaryFile is the name of the file with the summary in the folder of results.
const summaryFile = "summary.json"

// A Summary holds the counts of a run.
type Summary struct {
	Lines    int64            `json:"lines"` // lines of the manifest
	Finished int64            `json:"finished"`
	Failed   int64            `json:"failed"` // failed lines, listed in the dead letters
	Kinds    map[string]int64 `json:"kinds"`  // number of errors by kind
	// Maps and WithoutMap are the bags with a heat map and those without one; not in summary.json.
	Maps       int `json:"maps,omitempty"`
	WithoutMap int `json:"without_map,omitempty"`
}

// summarize counts the bags of a run by their outcome.
func summarize(aggregates map[aggregateKey]Aggregate) *Summary {
	s := &Summary{Kinds: map[string]int64{}}
	for k, c := range aggregates {
		switch {
		case k.Kind != "":
			s.Failed += c.Count
			s.Kinds[k.Kind] += c.Count
		case k.Method == "":
			s.Finished += c.Count
		}
	}
	s.Lines = s.Finished + s.Failed
	return s
}

// readSummary reads the summary that the pipeline wrote, possibly on another machine.
func readSummary(ctx context.Context, out string) (*Summary, error) {
	data, err := readFile(ctx, join(out, summaryFile), maxFile)
	if err != nil {
		return nil, err
	}
	var s Summary
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, msg.Errorf("%s: %w", join(out, summaryFile), err)
	}
	return &s, nil
}
