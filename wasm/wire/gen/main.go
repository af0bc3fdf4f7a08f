// Command gen writes the TypeScript side of the messages, the names of methods, settings and
// metrics, the options of methods and of reading bags, and the formats of bags:
//
//	go run ./wasm/wire/gen DIR
//
// writes wire.ts, methods.ts, options.ts, reading.ts and formats.ts into DIR. go generate runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files maps the name of each generated file to the function that returns its text.
var files = map[string]func() (string, error){
	"wire.ts": wireTS, "methods.ts": methodsTS, "options.ts": optionsTS, "formats.ts": formatsTS,
	"reading.ts": readingTS,
}

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
