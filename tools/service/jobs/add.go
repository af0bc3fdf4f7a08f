package jobs

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"time"

	"go.etcd.io/bbolt"
)

// New is a job to be stored.
type New struct {
	Spec  []byte            // data that all items share; the store does not interpret it
	Files map[string][]byte // files by name; a name has no zero bytes
	Items [][]byte          // one or more
}

// bytes returns the size of the job, which counts against Limits.Bytes.
func (n *New) bytes() int64 {
	total := len(n.Spec)
	for name, data := range n.Files {
		total += len(name) + len(data)
	}
	for _, item := range n.Items {
		total += len(item)
	}
	return int64(total)
}

// chunk is the number of bytes of a file under one key. Large values need contiguous pages, which
// become rare as jobs are added and removed.
const chunk = 1 << 20

// Room returns a *FullError if a job with this number of items and bytes would exceed a limit.
func (s *Store) Room(items int, bytes int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.room(items, bytes)
}

// room is Room. The caller holds the lock.
func (s *Store) room(items int, bytes int64) error {
	l := s.limits
	switch {
	case items > l.Items:
		return s.full("the job has %d bags, but at most %d are allowed; split it into several jobs",
			items, l.Items)
	case s.count >= l.Jobs:
		return s.full("the store is full with %d jobs; remove finished jobs", s.count)
	case s.bytes+bytes > l.forJobs():
		return s.full("the stored jobs have %d bytes and this job has %d, but at most %d are "+
			"allowed in total, of which a fifth is kept for results; remove finished jobs",
			s.bytes, bytes, l.Bytes)
	}
	return nil
}

// Writing returns the bytes of memory that Add takes while it writes the job: a copy with seals,
// and the pages of the file.
func (n *New) Writing() int64 { return 2 * n.bytes() }

// Add stores a job. When it returns, the job is on disk. A job that would exceed a limit is a
// *FullError.
func (s *Store) Add(n New) (*Job, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never returns an error: it crashes the program instead
	j := &Job{ID: hex.EncodeToString(id[:]), State: Waiting, Created: time.Now().UTC(),
		Total: len(n.Items), Bytes: n.bytes()}

	s.mu.Lock()
	if err := s.room(j.Total, j.Bytes); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	// Reserve its place. Writing waits for the disk, so that the lock is not held.
	s.count, s.bytes = s.count+1, s.bytes+j.Bytes
	s.mu.Unlock()

	err := s.update(func(tx *bbolt.Tx) error { return n.write(tx, j) })

	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.count, s.bytes = s.count-1, s.bytes-j.Bytes
		return nil, err
	}
	w := newLive(j.ID)
	for i := range n.Items {
		w.pending = append(w.pending, i)
	}
	s.live = append(s.live, w)
	if now, err := s.Get(j.ID); err != nil || now.State.Ended() {
		s.drop(j.ID) // a client that listed it may have cancelled it already
	}
	s.broadcast()
	return j, nil
}

// write stores the data and the record of a job in one transaction.
func (n *New) write(tx *bbolt.Tx, j *Job) error {
	data, err := tx.Bucket(dataBucket).CreateBucket([]byte(j.ID))
	if err != nil {
		return err
	}
	if err := data.Put(sealedKey, nil); err != nil {
		return err
	}
	if err := data.Put(specKey, seal(specKey, n.Spec)); err != nil {
		return err
	}
	for _, name := range [][]byte{filesBucket, itemsBucket, doneBucket, resultsBucket,
		begunBucket} {
		if _, err := data.CreateBucket(name); err != nil {
			return err
		}
	}
	files, items := data.Bucket(filesBucket), data.Bucket(itemsBucket)
	for name, file := range n.Files {
		// An empty file has one empty chunk, so that it exists.
		for i := 0; i == 0 || i*chunk < len(file); i++ {
			key := fileKey(name, i)
			part := file[i*chunk : min((i+1)*chunk, len(file))]
			if err := files.Put(key, seal(key, part)); err != nil {
				return err
			}
		}
	}
	for i, item := range n.Items {
		if err := items.Put(number(i), seal(number(i), item)); err != nil {
			return err
		}
	}
	return j.save(tx)
}

// fileKey returns the key of a chunk of a file. The zero byte ends the name, so that no name is the
// prefix of another one.
func fileKey(name string, part int) []byte {
	return append(append([]byte(name), 0), number(part)...)
}

// Spec returns the data that all items of a job share.
func (s *Store) Spec(id string) (spec []byte, err error) {
	err = s.viewData(id, func(_ *Job, data *bbolt.Bucket) error {
		spec, err = unsealIn(data, specKey, data.Get(specKey))
		spec = bytes.Clone(spec)
		return err
	})
	return spec, err
}

// A Reserve reserves bytes of memory before a function of the store allocates them, which then
// returns its error. Nil reserves nothing.
type Reserve func(bytes int64) error

// bytes reserves n bytes.
func (r Reserve) bytes(n int) error {
	if r == nil {
		return nil
	}
	return r(int64(n))
}

// File returns a file of a job, or ErrUnknown.
func (s *Store) File(reserve Reserve, id, name string) (file []byte, err error) {
	err = s.viewData(id, func(_ *Job, data *bbolt.Bucket) error {
		prefix := append([]byte(name), 0)
		c := data.Bucket(filesBucket).Cursor()
		found, size := false, 0 // size includes the seals
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			size += len(v)
		}
		if err := reserve.bytes(size); err != nil {
			return err
		}
		file = make([]byte, 0, size)
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			part, err := unsealIn(data, k, v)
			if err != nil {
				return err
			}
			file, found = append(file, part...), true
		}
		if !found {
			return ErrUnknown
		}
		return nil
	})
	return file, err
}
