// Command options generates code and documentation of the options of methods and of reading bags,
// and of the formats of bags:
//
//	go run ./tools/gen/options SERVICE
//
// It writes SERVICE/query/options.go, and rewrites the options and formats in
// SERVICE/server/openapi.json. make generate runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: options SERVICE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "options:", err)
		os.Exit(1)
	}
}

// write writes both files below the folder of the services.
func write(dir string) error {
	source, err := requestSource()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "query", "options.go"), source, 0o666); err != nil {
		return err
	}
	file := filepath.Join(dir, "server", "openapi.json")
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if document, err = rewriteDocument(document); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, document, 0o666)
}
