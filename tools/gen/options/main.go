// Command options generates code and documentation of the options of methods and of reading bags,
// of what-ifs, and of the formats of bags:
//
//	go run ./tools/gen/options ROOT
//
// It writes onnxbackend/ask/options.go below ROOT, and rewrites the options, what-ifs and formats
// in tools/service/server/openapi.json. make generate runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/internal/source"
)

// The package of questions and the files that are written, below the root of the repository.
const (
	questions    = "onnxbackend/ask"
	requestFile  = questions + "/options.go"
	documentFile = "tools/service/server/openapi.json"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: options ROOT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "options:", err)
		os.Exit(1)
	}
}

// write writes both files below the root of the repository.
func write(root string) error {
	request, err := requestSource()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, requestFile), request, 0o666); err != nil {
		return err
	}
	file := filepath.Join(root, documentFile)
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	asked, err := source.Read(filepath.Join(root, questions))
	if err != nil {
		return err
	}
	if document, err = rewriteDocument(document, asked.Comments); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, document, 0o666)
}
