package train

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file atomically: after a crash, the file has either its old or its new
// content.
func WriteFile(name string, data []byte) error {
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

// writeJSON replaces a file atomically by v as indented JSON.
func writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return WriteFile(name, append(data, '\n'))
}

// readIfExists returns the content of a file, or nil without an error if it does not exist.
func readIfExists(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
