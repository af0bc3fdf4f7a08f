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
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// A Request holds the settings for a bag. The keys correspond to the flags of the command line.
type Request struct {
	Layout
	ask.Settings
}

// A Layout says how bags are made of pictures and slides.
type Layout struct {
	ask.ReadOptions
	ask.Tiling
}

// over returns r, overridden by the keys of a JSON object. An unknown key or a value of the wrong
// type is a *core.SettingError.
func (r Request) over(text []byte) (Request, error) {
	if len(text) == 0 {
		return r, nil
	}
	if err := decodeObject(text, &r); err != nil {
		return r, &core.SettingError{Setting: "request", Reason: err.Error()}
	}
	return r, nil
}

// A task is a line of the manifest with its model and bags.
type task struct {
	config  *config
	line    *Line
	request Request
	model   *model
	bags    *bagFile
}

// prepare opens the model and the bags of a line. Settings of the line override those of the run.
func (c *config) prepare(ctx context.Context, l *Line) (*task, error) {
	t := &task{config: c, line: l}
	defaults, err := Request{}.over(c.Request)
	if err != nil {
		return nil, err
	}
	if t.request, err = defaults.over(l.Request); err != nil {
		return nil, err
	}
	if l.Inputs != "" {
		t.request.Inputs = &l.Inputs
	}
	if t.model, err = openModel(ctx, beside(c.Manifest, l.Model)); err != nil {
		return nil, err
	}
	if t.bags, err = readBags(ctx, beside(c.Manifest, l.Bag), t.model,
		t.request.Layout); err != nil {
		return nil, err
	}
	if l.Seed != nil {
		t.request.Seed = *l.Seed
	} else if c.OwnSeeds {
		t.request.Seed = ownSeed(t.request.Seed, t.bags.hash, l.Index)
	}
	t.request.Workers = 1 // several bags are explained concurrently
	return t, nil
}

// ownSeed returns a separate seed for every bag. With one seed, bags of equal size would have the
// same coalitions, and their errors would not average out. The seed has 53 bits, so that JSON
// readers that only have float64 preserve it.
func ownSeed(seed uint64, hash string, index int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, hash, index))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// key returns a hash of everything that the explanation depends on, including the program, because
// another build may compute differently.
func (t *task) key() (string, error) {
	request, err := json.Marshal(t.request)
	if err != nil {
		return "", err
	}
	l := t.line
	return hashOf(fmt.Appendf(nil, "%s\n%q %s\n%q %s %d\n%v\n%s\n%q", program(),
		base(l.Model), t.model.hash, base(l.Bag), t.bags.hash, l.Index, l.Labels, request,
		t.config.Metrics))[:32], nil
}

// program returns a hash of the running program.
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
		return "unknown" // results of other builds may then be reused
	}
	return hex.EncodeToString(h.Sum(nil))
})

// explain explains the bag as `bagscope explain --json` does, and computes the metrics.
func (t *task) explain(ctx context.Context) (*record, error) {
	plan, err := t.request.Plan()
	if err != nil {
		return nil, err
	}
	engine, err := t.model.open()
	if err != nil {
		return nil, err
	}
	set, err := t.bags.set()
	if err != nil {
		return nil, err
	}
	in, err := ask.NewInput(ctx, engine, set, t.line.Index)
	if err != nil {
		return nil, err
	}
	x, err := plan.Explain(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	result := x.JSON()
	// The record is encoded once more, to be stored.
	if err := quota.MemoryOf(ctx).Reserve(3*jsontext.Bytes(result),
		"the JSON of the result"); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := jsontext.Write(&text, result); err != nil {
		return nil, err
	}
	rows, err := t.judge(ctx, x)
	return &record{Rows: rows, Explanation: bytes.TrimSuffix(text.Bytes(), []byte("\n"))}, err
}
