// Package sizes compares the sizes of built files with the recorded ones in sizes.json. It is the
// twin of sizes.mjs, which updates them.
package sizes

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
)

//go:embed sizes.json
var file []byte

// Check returns an error if the size of name, in bytes, is not recorded or more than 10 % above the
// recorded one. It prints a warning if the size is more than 10 % below. If the environment
// variable SIZES names a file, the size is appended to it and not compared.
func Check(name string, bytes int64) error {
	if out := os.Getenv("SIZES"); out != "" {
		return record(out, name, bytes)
	}
	var recorded map[string]int64
	if err := json.Unmarshal(file, &recorded); err != nil {
		return fmt.Errorf("sizes.json: %w", err)
	}
	old := recorded[name]
	text := fmt.Sprintf("%s has %d bytes, recorded are %d; if the change is intended, record it "+
		"by: make sizes ARGS=-update", name, bytes, old)
	if 10*bytes > 11*old {
		return fmt.Errorf("%s", text)
	}
	if 10*bytes < 9*old {
		fmt.Fprintln(os.Stderr, text)
	}
	return nil
}

func record(out, name string, bytes int64) error {
	f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%d %s\n", bytes, name)
	return err
}
