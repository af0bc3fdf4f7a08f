package jobs

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
	"go.etcd.io/bbolt"
)

// Version is the version of a store's file: of its layout, and of what the server keeps in it. It
// must increase if old bytes get another meaning.
const Version = 1

// versionKey is the key of the version in the bucket info. Files of earlier programs have none;
// their version is 1.
var versionKey = []byte("version")

// A VersionError is a store whose file has a version that this program does not read.
type VersionError struct {
	Path    string // path of the file
	Version uint64
}

// Error names the file, both versions and the way out.
func (e *VersionError) Error() string {
	return msg.Sprintf("the job store %s has version %d, and this program reads version %d; start "+
		"the program that wrote it, or use another folder", e.Path, e.Version, Version)
}

// checkVersion returns a *VersionError for a file of another version, and writes the version into
// a file without one.
func (s *Store) checkVersion(tx *bbolt.Tx) error {
	info, err := tx.CreateBucketIfNotExists(infoBucket)
	if err != nil {
		return err
	}
	sealed := info.Get(versionKey)
	if sealed == nil {
		return info.Put(versionKey, seal(versionKey, number(Version)))
	}
	v, err := unseal(versionKey, sealed)
	if err != nil {
		return err
	}
	if len(v) != 8 {
		return damaged("its version has %d bytes", len(v))
	}
	if n := binary.BigEndian.Uint64(v); n != Version {
		return &VersionError{s.path, n}
	}
	return nil
}
