package cohort

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// bagPath returns the path of a bag's record. Each bag has its own file, so that a killed run loses
// only the bags in work.
func bagPath(out, key string) string { return join(out, "bags", key[:2], key[2:]+".json") }

// A storedRecord is the file of a record. SHA256 is the hash of the bytes of Record, so that a
// record that was changed after it was written is not reused.
type storedRecord struct {
	SHA256 string          `json:"sha256"`
	Record json.RawMessage `json:"record"`
}

// load returns the record of a key, or nil if no record can be read, or if it differs from its
// checksum. The bag is then explained again.
func load(ctx context.Context, out, key string) (*record, error) {
	data, err := readFile(ctx, bagPath(out, key), maxFile)
	if notThere(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var stored storedRecord
	var r record
	// A record of an older format has no checksum and is explained again.
	if json.Unmarshal(data, &stored) != nil || stored.SHA256 != hashOf(stored.Record) ||
		json.Unmarshal(stored.Record, &r) != nil || len(r.Explanation) == 0 {
		return nil, nil
	}
	return &r, nil
}

// save writes a record with its checksum. A killed process leaves no incomplete record, because
// files are written whole.
func save(ctx context.Context, out, key string, r *record) error {
	return writeFile(ctx, bagPath(out, key), func(w io.Writer) error {
		var text bytes.Buffer
		if err := jsontext.Write(&text, r); err != nil {
			return err
		}
		body := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
		_, err := fmt.Fprintf(w, "{\"sha256\":%q,\"record\":%s}\n", hashOf(body), body)
		return err
	})
}
