package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// keepEvery is how much encoding a killed server loses: storing a part waits for the disk.
// keepBytes bounds a part.
const (
	keepEvery = 2 * time.Second
	keepBytes = 4 << 20
)

// A partStore stores parts of the work at an item, see jobs.Store.
type partStore interface {
	Keep(w *jobs.Work, part []byte) error
	Kept(w *jobs.Work, read func(part []byte) error) error
	Discard(w *jobs.Work) error
}

// keptFeatures keeps the features of a slide's patches in the store of jobs, as parts of the item
// that explains the slide. The first part is the digest of the description. The others have the
// number of features of a patch, and the features of some patches, row by row.
type keptFeatures struct {
	server  *Server
	parts   partStore
	work    *jobs.Work
	digest  [sha256.Size]byte
	begun   bool   // the digest is stored
	failed  bool   // the store has no room: nothing more is kept
	pending []byte // part that is not stored yet
	stored  time.Time
}

// keepFeatures returns where features of the item in work are kept.
func (o *opened) keepFeatures(description []byte) ask.Keeper {
	return &keptFeatures{server: o.server, parts: o.parts, work: o.work,
		digest: sha256.Sum256(description), stored: time.Now()}
}

// errOther means that parts have another description.
var errOther = errors.New("the parts of the item have another description")

// Kept implements ask.Keeper. Parts of another description are removed.
func (k *keptFeatures) Kept(add func(features *core.Bag) error) error {
	err := k.parts.Kept(k.work, func(part []byte) error {
		if !k.begun {
			if k.begun = bytes.Equal(part, k.digest[:]); !k.begun {
				return errOther
			}
			return nil
		}
		features, err := decodePart(part)
		if err != nil {
			return err
		}
		return add(features)
	})
	if errors.Is(err, errOther) {
		return k.parts.Discard(k.work)
	}
	return err
}

// Keep implements ask.Keeper. Work goes on if the store has no room.
func (k *keptFeatures) Keep(features *core.Bag) error {
	if k.failed {
		return nil
	}
	if len(k.pending) == 0 {
		k.pending = binary.LittleEndian.AppendUint32(nil, uint32(features.Stride()))
	}
	k.pending = append(k.pending, bagio.Float32Bytes(features.Values)...)
	if time.Since(k.stored) < k.server.keepEvery && len(k.pending) < keepBytes {
		return nil
	}
	if err := k.store(); err != nil {
		k.failed = true
		k.server.Log.Warn("features are not kept", "job", k.work.Job, "item", k.work.Item,
			"error", err.Error())
	}
	return nil
}

// store stores the pending part.
func (k *keptFeatures) store() error {
	if !k.begun {
		if err := k.parts.Keep(k.work, k.digest[:]); err != nil {
			return err
		}
		k.begun = true
	}
	err := k.parts.Keep(k.work, k.pending)
	k.pending, k.stored = nil, time.Now()
	return err
}

// decodePart returns the features of a part.
func decodePart(part []byte) (*core.Bag, error) {
	if len(part) < 4 {
		return nil, errors.New("a part of kept features is cut off")
	}
	d, data := int(binary.LittleEndian.Uint32(part)), part[4:]
	if d < 1 || len(data)%4 != 0 || len(data)/4%d != 0 {
		return nil, errors.New("a part of kept features has a wrong size")
	}
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return &core.Bag{Shape: []int{d}, Values: values}, nil
}
