// Command card writes what is known of the keys of model cards:
//
//	go run ./tools/gen/card ONNXBACKEND
//
// It writes ONNXBACKEND/card.schema.json, a JSON Schema, and the tables of keys in
// ONNXBACKEND/README.md. make generate runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/onnxbackend/signature"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: card ONNXBACKEND")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "card:", err)
		os.Exit(1)
	}
}

// write writes both files below the engine's folder.
func write(dir string) error {
	keys := signature.CardKeys()
	schema, err := schemaText(keys)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "card.schema.json"), schema, 0o666); err != nil {
		return err
	}
	file := filepath.Join(dir, "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if text, err = withTables(text, keys); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o666)
}
