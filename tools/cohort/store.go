package cohort

import (
	"context"
	"encoding/json"
	"io"

	"github.com/bagscope/bagscope/tools/service/query"
)

// bagPath returns the path of a bag's record. Each bag has its own file, so that a killed run loses
// only the bags in work.
func bagPath(out, key string) string { return join(out, "bags", key[:2], key[2:]+".json") }

// load returns the record of a key, or nil if no record can be read. The bag is then explained
// again.
func load(ctx context.Context, out, key string) (*record, error) {
	data, err := readFile(ctx, bagPath(out, key))
	if notThere(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	// A record of an older format is explained again.
	if json.Unmarshal(data, &r) != nil || len(r.Explanation) == 0 {
		return nil, nil
	}
	return &r, nil
}

// save writes a record. A killed process leaves no incomplete record, because files are written
// whole.
func save(ctx context.Context, out, key string, r *record) error {
	return writeFile(ctx, bagPath(out, key), func(w io.Writer) error {
		return query.WriteJSON(w, r)
	})
}
