// Command gen writes the TypeScript and the Python side of the messages, the types of answers, the
// names of methods, settings and metrics, the options of methods, of what-ifs and of reading bags,
// the formats of bags, and the colours of drawings:
//
//	go run ./wasm/wire/gen ROOT
//
// writes files into wasm/npm/src, tools/python/src/bagscope and www/src/styles below ROOT, the
// repository's root; see the function files. go generate runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folders of the generated files.
const (
	scripts = "wasm/npm/src/"
	python  = "tools/python/src/bagscope/"
	styles  = "www/src/styles/"
)

// files maps the path of each generated file to the function that returns its text. root is the
// repository's root.
func files(root string) map[string]func() (string, error) {
	return map[string]func() (string, error){
		scripts + "wire.ts":          func() (string, error) { return wireTS(root) },
		scripts + "requests.ts":      func() (string, error) { return requestsTS(root) },
		scripts + "types/answers.ts": func() (string, error) { return answersTS(root) },
		scripts + "methods.ts":       methodsTS,
		scripts + "options.ts":       optionsTS,
		scripts + "questions.ts":     questionsTS,
		scripts + "formats.ts":       formatsTS,
		scripts + "readoptions.ts":   readingTS,
		scripts + "colours.ts":       coloursTS,
		styles + "colours.css":       coloursCSS,
		python + "_wire.py":          wirePy,
		python + "_tables.py":        tablesPy,
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen ROOT")
		os.Exit(2)
	}
	for name, text := range files(os.Args[1]) {
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
