package server

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// A server that ends during a bag can have been ended by the bag, or by something else, such as a
// client or the system. The next server therefore computes the bag in a process of its own, and
// only deaths of that process count as attempts at the bag:
//
//	server                                       process of the bag
//	answerIsolated ◄───────── ready ──────────── ComputeBag
//	               ── bag, files, parts, last ─►
//	               ◄── parts, then the line ────
//
// The messages are encoded by encoding/gob, in chunks of isolatedChunk bytes.
const isolatedChunk = 1 << 20

// A bagInput is a message to the process of a bag. One of Bag, File, Part and Last is set.
type bagInput struct {
	Bag  *isolatedBag
	File *isolatedFile
	Part []byte // see jobs.Store.Kept
	Last bool   // nothing follows
}

// An isolatedBag is an item of a job.
type isolatedBag struct {
	Job        string
	Item       int
	Data, Spec []byte
}

// An isolatedFile is a chunk of a file of the job. Size is that of the whole file.
type isolatedFile struct {
	Name  string
	Size  int64
	Chunk []byte
}

// A bagOutput is a message from the process of a bag.
type bagOutput struct {
	Ready           bool   // the first message
	Part            []byte // see jobs.Store.Keep
	Discard         bool   // see jobs.Store.Discard
	Size            int64  // of the line of the result, before its chunks
	Chunk           []byte
	Failed, Blocked bool // of the last message, which has Last
	Last            bool
}

var (
	// errDied means that the process of a bag ended without a result.
	errDied = errors.New("the process of the bag ended")
	// errNotReady means that it ended before it received the bag, which says nothing about the bag.
	errNotReady = errors.New("the process of a bag ended before it received the bag")
)

// answerIsolated is answerSafely for an item in a process of its own. It returns finished = false
// if the process ended without a result, or could not be started.
func (s *Server) answerIsolated(
	ctx context.Context, open *opened, w *jobs.Work,
) (line []byte, failed, finished bool) {
	open.item, open.work, open.blocked = open.part(), w, false
	var item jobItem
	err := json.Unmarshal(w.Data, &item)
	if err == nil {
		err = s.Isolate(ctx, func(in io.Writer, out io.Reader) (err error) {
			line, failed, err = open.talk(in, out, item)
			return err
		})
	}
	switch {
	case ctx.Err() != nil:
		return open.problemLine(w, item, asProblem(context.Cause(ctx))), true, false
	case err == nil:
		return line, failed, !open.blocked
	case errors.As(err, new(*quota.MemoryBusyError)):
		open.blocked = true
	case errors.As(err, new(*quota.MemoryError)):
		return open.problemLine(w, item, asProblem(err)), true, true
	case errors.Is(err, errDied):
		s.Log.Error("bag died", "job", w.Job, "item", w.Item)
		s.persist(ctx, w, func() error { return s.Jobs.Died(w) })
	default:
		s.Log.Error("bag not computed", "job", w.Job, "item", w.Item, "error", err.Error())
		wait(ctx, retryAfter)
	}
	return nil, false, false
}

// talk sends the item in work to its process, stores the parts that it returns, and returns its
// line.
func (o *opened) talk(in io.Writer, out io.Reader, item jobItem) (
	line []byte, failed bool, err error,
) {
	receive := gob.NewDecoder(out)
	var m bagOutput
	if receive.Decode(&m) != nil || !m.Ready {
		return nil, false, errNotReady
	}
	if err := o.sendBag(gob.NewEncoder(in), item); err != nil {
		return nil, false, err
	}
	keeps := true
	for {
		m = bagOutput{}
		if receive.Decode(&m) != nil {
			return nil, false, errDied
		}
		switch {
		case m.Last:
			o.blocked = m.Blocked
			return line, m.Failed, nil
		case m.Discard:
			err = o.parts.Discard(o.work)
		case m.Size > 0:
			err = o.item.Reserve(storeShare*m.Size, "the result of the bag")
			line = make([]byte, 0, m.Size)
		case m.Chunk != nil:
			line = append(line, m.Chunk...)
		case keeps:
			if full := o.parts.Keep(o.work, m.Part); full != nil {
				keeps = false // later parts would follow a gap
				o.server.Log.Warn("features are not kept", "job", o.work.Job, "item", o.work.Item,
					"error", full.Error())
			}
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// sendBag sends the item in work with the files and parts that its process needs.
func (o *opened) sendBag(to *gob.Encoder, item jobItem) error {
	send := func(m bagInput) error {
		if to.Encode(m) != nil {
			return errDied
		}
		return nil
	}
	spec, err := json.Marshal(o.spec)
	if err != nil {
		return err
	}
	if err := send(bagInput{Bag: &isolatedBag{Job: o.work.Job, Item: o.work.Item,
		Data: o.work.Data, Spec: spec}}); err != nil {
		return err
	}
	for _, name := range o.filesOf(item) {
		m := o.part()
		data, err := o.file(m, name)
		for at := 0; err == nil && (at == 0 || at < len(data)); at += isolatedChunk {
			err = send(bagInput{File: &isolatedFile{Name: name, Size: int64(len(data)),
				Chunk: data[at:min(at+isolatedChunk, len(data))]}})
		}
		m.Close()
		if err != nil {
			return err
		}
	}
	err = o.parts.Kept(o.work, func(part []byte) error { return send(bagInput{Part: part}) })
	if err != nil {
		return err
	}
	return send(bagInput{Last: true})
}

// filesOf returns the names of the stored files that an item needs.
func (o *opened) filesOf(item jobItem) (names []string) {
	if m := &o.spec.Models[item.Model]; m.Sent {
		names = append(names, "model")
		if m.Card {
			names = append(names, "card")
		}
		for _, name := range m.External {
			names = append(names, "external/"+name)
		}
	}
	if g := &o.spec.Groups[item.Group]; !g.Below {
		for _, at := range g.At {
			names = append(names, bagFile(at))
		}
	}
	return names
}
