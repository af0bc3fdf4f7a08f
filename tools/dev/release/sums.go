package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sumsFile has the form that sha256sum --check reads.
const sumsFile = "SHA256SUMS"

// writeSums writes the digests of all files of a folder into the folder, and returns them by name.
func writeSums(dir string) (map[string]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	var text strings.Builder
	for _, f := range files {
		if sums[f.Name()], err = digest(filepath.Join(dir, f.Name())); err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s  %s\n", sums[f.Name()], f.Name())
	}
	return sums, os.WriteFile(filepath.Join(dir, sumsFile), []byte(text.String()), 0o644)
}

// digest returns the SHA-256 of a file in hexadecimal.
func digest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// compareSums returns the names of files that are not in both releases with equal bytes, sorted.
func compareSums(a, b map[string]string) []string {
	different := map[string]bool{}
	for name := range a {
		different[name] = a[name] != b[name]
	}
	for name := range b {
		different[name] = a[name] != b[name]
	}
	maps.DeleteFunc(different, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(different))
}
