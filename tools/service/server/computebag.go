package server

import (
	"context"
	"encoding/gob"
	"io"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// ComputeBag computes one bag of a job of another server, see Options.Isolate. It reads the bag
// from in, and writes the line of its result to out.
func (s *Server) ComputeBag(ctx context.Context, in io.Reader, out io.Writer) error {
	to := gob.NewEncoder(out)
	if err := to.Encode(bagOutput{Ready: true}); err != nil {
		return err
	}
	c := &childBag{files: map[string][]byte{}, memory: s.limits.part(), to: to}
	defer c.memory.Close()
	if err := c.receive(gob.NewDecoder(in)); err != nil {
		return msg.Errorf("the bag cannot be received: %w", err)
	}
	open, err := s.openSpec(c.bag.Job, c.bag.Spec, c, c.file)
	if err != nil {
		return err
	}
	defer open.close()
	w := &jobs.Work{Job: c.bag.Job, Item: c.bag.Item, Data: c.bag.Data}
	line, failed := s.answerSafely(ctx, open, w, func(int, int) {})
	defer open.item.Close()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = to.Encode(bagOutput{Size: int64(len(line))})
	for at := 0; err == nil && at < len(line); at += isolatedChunk {
		err = to.Encode(bagOutput{Chunk: line[at:min(at+isolatedChunk, len(line))]})
	}
	if err != nil {
		return err
	}
	return to.Encode(bagOutput{Last: true, Failed: failed, Blocked: open.blocked})
}

// A childBag is a bag in a process of its own. It implements partStore.
type childBag struct {
	bag    isolatedBag
	files  map[string][]byte
	parts  [][]byte
	memory *quota.Memory // of files and parts
	full   error         // why memory has no room for them, or nil
	to     *gob.Encoder
}

// receive receives the bag with its files and parts. It reads to the end if the memory has no room.
func (c *childBag) receive(from *gob.Decoder) error {
	for {
		var m bagInput
		if err := from.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Bag != nil:
			c.bag = *m.Bag
		case m.File != nil:
			f := m.File
			if _, begun := c.files[f.Name]; !begun && c.reserve(f.Size) {
				c.files[f.Name] = make([]byte, 0, f.Size)
			}
			if c.full == nil {
				c.files[f.Name] = append(c.files[f.Name], f.Chunk...)
			}
		case m.Last:
			return nil
		case c.reserve(int64(len(m.Part))):
			c.parts = append(c.parts, m.Part)
		}
	}
}

// reserve reserves memory for n bytes of the bag, and reports whether there is room for all so far.
func (c *childBag) reserve(n int64) bool {
	if c.full == nil {
		c.full = c.memory.Reserve(n, "the files of the bag")
	}
	return c.full == nil
}

// file returns a file of the job.
func (c *childBag) file(_ *quota.Memory, name string) ([]byte, error) {
	return c.files[name], c.full
}

// Keep implements partStore.
func (c *childBag) Keep(_ *jobs.Work, part []byte) error {
	return c.to.Encode(bagOutput{Part: part})
}

// Kept implements partStore.
func (c *childBag) Kept(_ *jobs.Work, read func(part []byte) error) error {
	for _, part := range c.parts {
		if err := read(part); err != nil {
			return err
		}
	}
	return nil
}

// Discard implements partStore.
func (c *childBag) Discard(*jobs.Work) error { return c.to.Encode(bagOutput{Discard: true}) }
