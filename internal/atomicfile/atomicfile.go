// Package atomicfile replaces files atomically, for results and checkpoints that must survive a
// crash of the program or the machine.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces a file with mode 0644. After a crash, the file has either its old or its new
// content. The folder must exist.
func Write(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	// After the rename there is no temporary file, and Remove does nothing.
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	// Sync must come before Rename. Otherwise a power failure can leave an empty file.
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
