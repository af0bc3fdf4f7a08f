package jobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A DamagedError is a store whose file is not what was written.
type DamagedError struct {
	Path   string // path of the file
	Reason string
}

// Error names the file, the reason and the way out.
func (e *DamagedError) Error() string {
	return msg.Sprintf("the job store %s is damaged: %s; move the file away, or restore it from a "+
		"backup, and start the server again; without the file it starts with no jobs", e.Path,
		e.Reason)
}

// safely calls f. A memory fault or panic while bbolt reads its mapped file is a *DamagedError: the
// file may be cut off or changed while it is open.
func safely(path string, f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = &DamagedError{path, msg.Sprintf("%v", p)}
		}
		var d *damage
		if errors.As(err, &d) {
			err = &DamagedError{path, d.reason}
		}
	}()
	return f()
}

// damage is a DamagedError before the path is known.
type damage struct{ reason string }

// Error returns the reason.
func (d *damage) Error() string { return msg.Cut(d.reason) }

// damaged returns a *damage.
func damaged(reason string, args ...any) error { return &damage{msg.Sprintf(reason, args...)} }

// check verifies the structure of a file. It holds a shared lock meanwhile, so that no server
// writes; lock is the longest wait for the lock. A missing or empty file is valid.
func check(path string, lock time.Duration) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return safely(path, func() error {
		// A read-only database maps the file, but reads only its header.
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lock, ReadOnly: true})
		var denied syscall.Errno
		switch {
		case errors.As(err, &denied), errors.Is(err, bolterrors.ErrTimeout):
			return err
		case err != nil:
			return damaged("%v", err)
		}
		defer db.Close()
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err = f.Stat(); err != nil {
			return err
		}
		if err := verify(f, info.Size()); err != nil {
			return damaged("it has %v", err)
		}
		return nil
	})
}

// Values are sealed: a mark and a checksum of the key and the value follow the value. The jobs of
// earlier versions have no seals; sealedKey distinguishes them.
var (
	sealMark   = []byte("\x00crc")
	sealedKey  = []byte("sealed")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// sealSize is the number of bytes behind a sealed value.
const sealSize = 8

// seal returns a value with its seal.
func seal(key, value []byte) []byte {
	out := append(append(make([]byte, 0, len(value)+sealSize), value...), sealMark...)
	return binary.BigEndian.AppendUint32(out, checksum(key, value))
}

// checksum returns the CRC-32C of a key and its value.
func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// unseal returns a sealed value without its seal. A value that does not match its seal is a
// *damage.
func unseal(key, sealed []byte) ([]byte, error) {
	if n := len(sealed) - sealSize; isSealed(sealed) &&
		binary.BigEndian.Uint32(sealed[n+4:]) == checksum(key, sealed[:n]) {
		return sealed[:n:n], nil
	}
	return nil, damaged("the value of the key %q does not match its checksum", key)
}

// isSealed reports whether a value ends with a mark and four more bytes.
func isSealed(v []byte) bool {
	n := len(v) - sealSize
	return n >= 0 && bytes.Equal(v[n:n+len(sealMark)], sealMark)
}

// unsealIn is unseal for a value in the data of a job, which may have no seals.
func unsealIn(data *bbolt.Bucket, key, value []byte) ([]byte, error) {
	if data.Get(sealedKey) == nil {
		if isSealed(value) { // the key that distinguishes the versions is damaged
			return nil, damaged("the value of the key %q has a seal, and its job has none", key)
		}
		return value, nil
	}
	return unseal(key, value)
}
