package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/bagscope/bagscope/internal/atomicfile"
)

// fileVersion is the version of reports and of records of searches. It must increase if a field
// changes its meaning.
const fileVersion = 1

// checkVersion returns an error for a file of another version. A file without one has the first.
func checkVersion(v int) error {
	if v != 0 && v != fileVersion {
		return fmt.Errorf("has version %d, but this program needs version %d", v, fileVersion)
	}
	return nil
}

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
