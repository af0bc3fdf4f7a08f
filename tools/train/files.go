package train

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/bagscope/bagscope/internal/atomicfile"
)

// writeJSON replaces a file atomically by v as indented JSON.
func writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(name, append(data, '\n'))
}

// readIfExists returns the content of a file, or nil without an error if it does not exist.
func readIfExists(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
