package cohort

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A Request is what is asked of a bag, with the keys of the command line's flags.
type Request struct {
	query.Cut
	query.Settings
}

// over returns r with what a JSON object gives over it. An unknown key, or a value of the wrong form, is a
// *core.SettingError.
func (r Request) over(text []byte) (Request, error) {
	if len(text) == 0 {
		return r, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, &core.SettingError{Setting: "request", Reason: strings.TrimPrefix(err.Error(), "json: ")}
	}
	if d.More() {
		return r, &core.SettingError{Setting: "request", Reason: "something follows its JSON object"}
	}
	return r, nil
}

// A question is one line of the manifest, ready to be answered.
type question struct {
	config  *config
	line    *Line
	request Request
	model   *model
	bags    *bagFile
}

// ask reads what a line names.
func (c *config) ask(l *Line) (*question, error) {
	q := &question{config: c, line: l}
	defaults, err := Request{}.over(c.Request)
	if err != nil {
		return nil, err
	}
	if q.request, err = defaults.over(l.Request); err != nil {
		return nil, err
	}
	if q.model, err = openModel(beside(c.Manifest, l.Model)); err != nil {
		return nil, err
	}
	if q.bags, err = readBags(beside(c.Manifest, l.Bag), q.model, q.request.Cut); err != nil {
		return nil, err
	}
	if l.Seed != nil {
		q.request.Seed = *l.Seed
	} else if c.OwnSeeds {
		q.request.Seed = ownSeed(q.request.Seed, q.bags.print, l.Index)
	}
	q.request.Workers = 1 // several bags are explained at a time
	return q, nil
}

// ownSeed gives every bag coalitions of its own: with one seed for all, bags of equal size would share them, and their
// errors would not average out. It has 53 bits, so that readers of JSON that know only float64 keep it.
func ownSeed(seed uint64, print string, index int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, print, index))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// key names the answer by a hash of all that it depends on, the program too: another build may compute otherwise.
func (q *question) key() (string, error) {
	request, err := json.Marshal(q.request)
	if err != nil {
		return "", err
	}
	l := q.line
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q %s\n%q %s %d\n%v\n%s\n%q", program(),
		base(l.Model), q.model.print, base(l.Bag), q.bags.print, l.Index, l.Labels, request, q.config.Metrics))
	return hex.EncodeToString(sum[:16]), nil
}

// program is the hash of the running program.
var program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))
})

// answer explains the bag as `bagscope explain --json` does, and judges the explanation.
func (q *question) answer(ctx context.Context) (*record, error) {
	plan, err := q.request.Plan()
	if err != nil {
		return nil, err
	}
	engine, err := q.model.open()
	if err != nil {
		return nil, err
	}
	set, err := q.bags.set()
	if err != nil {
		return nil, err
	}
	bag, err := set.Bag(q.line.Index)
	if err != nil {
		return nil, err
	}
	x, err := plan.Explain(ctx, &query.Input{Engine: engine, Set: set, Index: q.line.Index, Bag: bag}, nil)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := query.WriteJSON(&text, x.JSON()); err != nil {
		return nil, err
	}
	rows, err := q.judge(ctx, x)
	return &record{Rows: rows, Explanation: bytes.TrimSuffix(text.Bytes(), []byte("\n"))}, err
}
