package cohort

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// Both functions receive all values of one key.
func init() {
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&resultsFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&failuresFn{})
}

// A result is a line of the results.
type result struct {
	place
	Summary     []row           `json:"summary"`
	Explanation json.RawMessage `json:"explanation"` // the bytes of bagscope explain --json
}

// resultsFile returns the name of a file of results, by its number.
func (c *config) resultsFile(file int) string {
	if c.PerFile == 0 {
		return "results.jsonl"
	}
	return fmt.Sprintf("results-%05d.jsonl", file)
}

// resultsFn writes a file of results, in the order of the manifest, from the records in the store.
type resultsFn struct {
	Config config
}

// ProcessElement writes one file from the places of its lines.
func (f *resultsFn) ProcessElement(ctx context.Context, file int, next func(*[]byte) bool) error {
	c := &f.Config
	bags, err := sorted(next, func(b finished) int { return b.Line })
	if err != nil {
		return err
	}
	return writeFile(ctx, join(c.Out, c.resultsFile(file)), func(w io.Writer) error {
		for _, b := range bags {
			// Explanations are read again from the store, because Beam would have to send and sort
			// gigabytes.
			r, err := load(ctx, c.Out, b.Key)
			if err != nil {
				return err
			}
			if r == nil {
				return msg.Errorf(
					"the record %s of line %d is missing or was changed; run the command again",
					bagPath(c.Out, b.Key), b.Line)
			}
			if err := jsontext.Write(w, result{b.place, r.Rows, r.Explanation}); err != nil {
				return err
			}
		}
		return nil
	})
}

// failuresFn writes the dead letters, in the order of the manifest.
type failuresFn struct {
	Config config
}

// ProcessElement writes the file from all failures.
func (f *failuresFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool) error {
	letters, err := sorted(next, func(l failure) int { return l.Line })
	if err != nil {
		return err
	}
	return writeFile(ctx, join(f.Config.Out, "dead-letters.jsonl"), func(w io.Writer) error {
		for _, l := range letters {
			if err := jsontext.Write(w, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// sorted reads all values and sorts them by line. It drops values of line 0, which belong to no
// bag.
func sorted[T any](next func(*[]byte) bool, line func(T) int) ([]T, error) {
	var list []T
	var data []byte
	for next(&data) {
		var v T
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err
		}
		if line(v) > 0 {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(line(a), line(b)) })
	return list, nil
}
