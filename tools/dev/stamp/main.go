// Stamp copies the version of version.txt to every file that repeats it. go generate runs it, and a
// test of tools/dev/arch fails if a file differs.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
)

// A place is a file with the version, and what precedes it there.
type place struct {
	file   string
	before string // regular expression of the text before the version, on the same line
	times  int    // how often the version occurs
}

// places lists the files. Lock files repeat the version of their own package in their head; later
// lines are those of other packages.
var places = []place{
	{"tools/cmd/internal/cli/version.txt", `^`, 1},
	{"tools/python/src/bagscope/__init__.py", `^__version__ = "`, 1},
	{"wasm/npm/package.json", `^  "version": "`, 1},
	{"wasm/npm/package-lock.json", `^ +"version": "`, 2},
	{"www/package.json", `^  "version": "`, 1},
	{"www/package-lock.json", `^ +"version": "`, 2},
}

func main() {
	log.SetFlags(0)
	root := "../../../.." // go generate runs in tools/cmd/internal/cli
	version, err := os.ReadFile(filepath.Join(root, "version.txt"))
	if err != nil {
		log.Fatal("stamp: ", err)
	}
	for _, p := range places {
		if err := p.stamp(root, string(bytes.TrimSpace(version))); err != nil {
			log.Fatal("stamp: ", err)
		}
	}
}

// stamp replaces the version in a file, and leaves a file that has it as it is.
func (p place) stamp(root, version string) error {
	file := filepath.Join(root, p.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	times := 0
	pattern := regexp.MustCompile(`(?m)(` + p.before + `)[^"\n]+`)
	stamped := pattern.ReplaceAllFunc(text, func(found []byte) []byte {
		if times == p.times {
			return found
		}
		times++
		return append(pattern.FindSubmatch(found)[1], version...)
	})
	if times != p.times {
		return fmt.Errorf("%s has the version %d times, not %d; correct the table of stamp",
			p.file, times, p.times)
	}
	if bytes.Equal(stamped, text) {
		return nil // make installs packages again if their lock file is newer
	}
	return os.WriteFile(file, stamped, 0o644)
}
