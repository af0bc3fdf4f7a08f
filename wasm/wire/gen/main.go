// Command gen writes the TypeScript side of the messages, and the names of methods and settings:
//
//	go run ./wasm/wire/gen DIR
//
// writes DIR/wire.ts and DIR/methods.ts. It is run by go generate.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files maps what is written to who writes it.
var files = map[string]func() (string, error){"wire.ts": wireTS, "methods.ts": methodsTS}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen DIR")
		os.Exit(2)
	}
	for name, text := range files {
		if err := write(filepath.Join(os.Args[1], name), text); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func write(path string, text func() (string, error)) error {
	s, err := text()
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(s), 0o666)
}
