package cohort

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// A bag can end its process, because it uses all memory or because of an error that cannot be
// recovered. The process then cannot report it, and an engine or a later run that tries the same
// batch would end in the same way. Therefore a batch has a mark among the results while it is
// computed. If a process finds such a mark, an earlier process has ended. It then tries the lines
// of the batch one by one, each with its own mark and alone in the process. A line fails without
// another attempt after maxLineEnds such ends. So do all lines of a model that ended maxModelEnds
// processes without a finished line in between.
const (
	maxLineEnds  = 2
	maxModelEnds = 3 * maxLineEnds
)

// A mark counts how often a batch, a model or a line was begun and not finished.
type mark struct {
	name string // name of its file, in the folder of results
	Of   string `json:"of"`
	Ends int    `json:"ends"`
}

// markOf returns a mark whose name is a hash of parts and of the program, because another build may
// not fail.
func markOf(sort, of string, parts ...any) mark {
	hash := hashOf(append([]byte(program()), mustJSON(parts)...))
	return mark{name: fmt.Sprintf("attempts/%s-%s.json", sort, hash[:32]), Of: of}
}

// batchMark returns the mark of a batch, which is identified by its lines and the settings.
func (c *config) batchMark(sent []byte) mark {
	return markOf("batch", "a batch of lines", c.Request, c.Metrics, c.OwnSeeds, sent)
}

// modelMark returns the mark of the model of a line.
func (c *config) modelMark(l *Line) mark {
	return markOf("model", "the model "+l.Model, beside(c.Manifest, l.Model))
}

// lineMark returns the mark of a line.
func (c *config) lineMark(l *Line) mark {
	return markOf("bag", fmt.Sprintf("bag %d of %s under %s", l.Index, l.Bag, l.Model), c.Request,
		c.Metrics, c.OwnSeeds, beside(c.Manifest, l.Bag), l)
}

// ends returns how often a process ended and left this mark.
func (c *config) ends(ctx context.Context, m mark) (int, error) {
	data, err := readFile(ctx, join(c.Out, m.name), maxFile)
	if notThere(err) {
		return 0, nil
	}
	_ = json.Unmarshal(data, &m) // an incomplete mark also means that a process has ended
	return max(1, m.Ends), asStoreError(err)
}

// begin writes a mark with the given count.
func (c *config) begin(ctx context.Context, m mark, ends int) error {
	m.Ends = ends
	return asStoreError(writeFile(ctx, join(c.Out, m.name),
		func(w io.Writer) error { return jsontext.Write(w, m) }))
}

// end removes a mark, also if the run is stopped, because a stop is not a failure.
func (c *config) end(ctx context.Context, m mark) error {
	err := removeFile(context.WithoutCancel(ctx), join(c.Out, m.name))
	if notThere(err) {
		return nil
	}
	return asStoreError(err)
}

// A crashError means that a line fails without another attempt.
type crashError struct {
	what string // model or bag
	ends int    // how often a process ended
	mark string // name of the file that counts the ends
}

// Error states how to try the line again.
func (e *crashError) Error() string {
	return msg.Sprintf("the program stopped %d times at this %s and does not try again; the "+
		"%[2]s may crash the program or need more memory than is available; to try again, delete "+
		"the file %[3]s among the results",
		e.ends, e.what, e.mark)
}

// givenUp returns a *crashError if a line must not be begun, otherwise nil.
func (c *config) givenUp(ctx context.Context, l *Line) error {
	for _, m := range []struct {
		mark
		what string
		most int
	}{{c.modelMark(l), "model", maxModelEnds}, {c.lineMark(l), "bag", maxLineEnds}} {
		ends, err := c.ends(ctx, m.mark)
		if err != nil {
			return err
		}
		if ends >= m.most {
			return &crashError{m.what, ends + 1, m.name} // plus one end within a batch
		}
	}
	return nil
}

// careful writes the mark of a batch and reports whether its lines must be tried one by one.
func (c *config) careful(ctx context.Context, batch, model mark) (bool, error) {
	// A mark of this batch means that a process ended during it.
	ofBatch, err := c.ends(ctx, batch)
	if err != nil || ofBatch > 0 {
		return true, err
	}
	// A model that ends processes must not end those that work on other batches.
	ofModel, err := c.ends(ctx, model)
	if err != nil || ofModel >= maxModelEnds {
		return true, err
	}
	return false, c.begin(ctx, batch, 1)
}

// workMarked is work for a line of a batch that has ended a process.
func (c *config) workMarked(ctx context.Context, l *Line) (key string, r *record, err error) {
	if err := c.givenUp(ctx, l); err != nil {
		return "", nil, err
	}
	// The marks are written before the work. The next process counts them if this one ends.
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
	// From here on the process may end.
	key, r, err = c.work(ctx, l)
	for _, m := range marks {
		if ended := c.end(ctx, m); ended != nil {
			return "", nil, ended
		}
	}
	return key, r, err
}
