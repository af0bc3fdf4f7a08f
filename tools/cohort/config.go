package cohort

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// Beam generates faster calls for the registered types of emitters and iterators.
func init() {
	register.Emitter1[[]byte]()
	register.Emitter2[int, []byte]()
	register.Emitter2[string, Aggregate]()
	register.Iter1[[]byte]()
}

// A config holds the settings of a run for its workers. Beam sends it as JSON inside the functions
// of the pipeline. Everything else is also sent as JSON, except an Aggregate.
type config struct {
	Manifest string          `json:"manifest"`
	Out      string          `json:"out"`
	Request  json.RawMessage `json:"request,omitempty"`
	OwnSeeds bool            `json:"own_seeds"`
	Metrics  []string        `json:"metrics"`
	Workers  int             `json:"workers"`  // bags that a process explains concurrently
	Batch    int             `json:"batch"`    // lines of a batch for a worker
	PerFile  int             `json:"per_file"` // lines per file of results, 0 for all
	Memory   int             `json:"memory"`   // MB of a process, 0 for no limit
}

// file returns the number of the results file of a line.
func (c *config) file(line int) int {
	if c.PerFile == 0 {
		return 0
	}
	return (line - 1) / c.PerFile
}

// An entry is a line that is sent to a worker.
type entry struct {
	Number int  `json:"number"`
	Line   Line `json:"line"`
}

// A place holds the line of a bag in the manifest. The line 0 belongs to no bag: it makes sure that
// an empty file is written.
type place struct {
	Line  int    `json:"line"`
	Model string `json:"model"`
	Bag   string `json:"bag"`
	Index int    `json:"index"`
	Site  string `json:"site"`
	Label string `json:"label,omitempty"`
}

// placeOf returns the place of a line.
func placeOf(l *Line) place { return place{l.Number, l.Model, l.Bag, l.Index, l.Site, l.Label} }

// A finished bag has a record in the store.
type finished struct {
	place
	Key string `json:"key"`
}

// A failure is a line of the dead letters.
type failure struct {
	place
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// hashOf returns the SHA-256 of data in hexadecimal digits.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// decodeObject decodes one JSON object into v. It rejects unknown keys, so that a misspelled
// setting is an error, and what else jsontext.DecodeStrict rejects. The text of an error is for the
// author of the JSON.
func decodeObject(text []byte, v any) error {
	if err := jsontext.DecodeStrict(text, v); err != nil {
		return msg.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// mustJSON returns the JSON of values of this package, which can always be marshalled.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
