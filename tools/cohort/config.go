package cohort

import (
	"encoding/json"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.Emitter1[[]byte]()
	register.Emitter2[int, []byte]()
	register.Emitter2[string, Aggregate]()
	register.Iter1[[]byte]()
}

// A config is what every worker knows of the run. It travels as JSON, like everything but an Aggregate.
type config struct {
	Manifest string          `json:"manifest"`
	Out      string          `json:"out"`
	Request  json.RawMessage `json:"request,omitempty"`
	OwnSeeds bool            `json:"own_seeds"`
	Metrics  []string        `json:"metrics"`
	Workers  int             `json:"workers"`  // bags that a process explains at a time
	Batch    int             `json:"batch"`    // lines that a worker is handed at a time
	PerFile  int             `json:"per_file"` // lines of the manifest whose results share a file, 0 for all
}

// file returns in which of the files of results a line belongs.
func (c *config) file(line int) int {
	if c.PerFile == 0 {
		return 0
	}
	return (line - 1) / c.PerFile
}

// An entry is a line on its way to a worker.
type entry struct {
	Number int  `json:"number"`
	Line   Line `json:"line"`
}

// A place says which line of the manifest a bag is. The line 0 is nobody's: it only lets a file be written where it would be empty.
type place struct {
	Line  int    `json:"line"`
	Model string `json:"model"`
	Bag   string `json:"bag"`
	Index int    `json:"index"`
	Site  string `json:"site"`
}

func placeOf(l *Line) place { return place{l.Number, l.Model, l.Bag, l.Index, l.Site} }

// A finished bag has its record in the store.
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

// mustJSON is the JSON of what this package sends itself, which always has one.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
