package cohort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/bagscope/bagscope/tools/service/query"
)

// A bag that ends its process, by taking all memory or by a fault that nothing recovers, leaves no word of it, and whoever tries
// the same batch again, an engine or the next run, would end likewise. So a batch leaves a mark among the results while it is
// worked at. Who finds that mark knows that a process ended, and tries the lines of the batch one by one, each with a mark of its
// own and alone in its process. A line whose mark says that it ended a process mostAlone times is given up, and so is a model
// that ended as many processes as mostModel with no line finished between.
const (
	mostAlone = 2
	mostModel = 3 * mostAlone
)

// A mark says how often something was begun and did not end.
type mark struct {
	name string // of its file, in the folder of results
	Of   string `json:"of"`
	Ends int    `json:"ends"`
}

// markOf names a mark by a hash of what it is of, and of the program: another build may not fail.
func markOf(sort, of string, parts ...any) mark {
	sum := sha256.Sum256(append([]byte(program()), mustJSON(parts)...))
	return mark{name: fmt.Sprintf("attempts/%s-%s.json", sort, hex.EncodeToString(sum[:16])), Of: of}
}

func (c *config) batchMark(sent []byte) mark {
	return markOf("batch", "a batch of lines", c.Request, c.Metrics, c.OwnSeeds, sent)
}

func (c *config) modelMark(l *Line) mark {
	return markOf("model", "the model "+l.Model, beside(c.Manifest, l.Model))
}

func (c *config) lineMark(l *Line) mark {
	return markOf("bag", fmt.Sprintf("bag %d of %s under %s", l.Index, l.Bag, l.Model), c.Request, c.Metrics, c.OwnSeeds, beside(c.Manifest, l.Bag), l)
}

// ends returns how often a mark was left behind.
func (c *config) ends(ctx context.Context, m mark) (int, error) {
	data, err := readFile(ctx, join(c.Out, m.name))
	if notThere(err) {
		return 0, nil
	}
	if err != nil {
		return 0, &storeError{err}
	}
	_ = json.Unmarshal(data, &m) // one that was cut off was left behind, too
	return max(1, m.Ends), nil
}

// begin leaves a mark that says so often.
func (c *config) begin(ctx context.Context, m mark, ends int) error {
	m.Ends = ends
	if err := writeFile(ctx, join(c.Out, m.name), func(w io.Writer) error { return query.WriteJSON(w, m) }); err != nil {
		return &storeError{err}
	}
	return nil
}

// end takes a mark away. It does so for a run that is stopped, too: that is nobody's fault.
func (c *config) end(ctx context.Context, m mark) error {
	if err := removeFile(context.WithoutCancel(ctx), join(c.Out, m.name)); err != nil && !notThere(err) {
		return &storeError{err}
	}
	return nil
}

// A crashError says that a line is given up.
type crashError struct {
	what string
	ends int
	mark string
}

func (e *crashError) Error() string {
	return fmt.Sprintf("the program ended %d times while it worked at this %s, and does not try again; it may want more memory than there is, or break the program; without the file %s among the results it is tried again",
		e.ends, e.what, e.mark)
}

// givenUp returns why a line must not be begun: a *crashError, or nil.
func (c *config) givenUp(ctx context.Context, l *Line) error {
	for _, m := range []struct {
		mark
		what string
		most int
	}{{c.modelMark(l), "model", mostModel}, {c.lineMark(l), "bag", mostAlone}} {
		ends, err := c.ends(ctx, m.mark)
		if err != nil {
			return err
		}
		if ends >= m.most {
			return &crashError{m.what, ends + 1, m.name} // and once before, in a batch
		}
	}
	return nil
}

// careful leaves the mark of a batch, and reports whether its lines are to be tried one by one.
func (c *config) careful(ctx context.Context, batch, model mark) (bool, error) {
	ofBatch, err := c.ends(ctx, batch)
	if err != nil || ofBatch > 0 {
		return true, err
	}
	ofModel, err := c.ends(ctx, model)
	if err != nil || ofModel >= mostModel {
		return true, err
	}
	return false, c.begin(ctx, batch, 1)
}

// workMarked is work for a line of a batch in which a process ended.
func (c *config) workMarked(ctx context.Context, l *Line) (key string, r *record, err error) {
	if err := c.givenUp(ctx, l); err != nil {
		return "", nil, err
	}
	marks := []mark{c.modelMark(l), c.lineMark(l)}
	for _, m := range marks {
		ends, err := c.ends(ctx, m)
		if err == nil {
			err = c.begin(ctx, m, ends+1)
		}
		if err != nil {
			return "", nil, err
		}
	}
	key, r, err = c.work(ctx, l)
	for _, m := range marks {
		if ended := c.end(ctx, m); ended != nil {
			return "", nil, ended
		}
	}
	return key, r, err
}
