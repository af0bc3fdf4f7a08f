// Package otherfile recognises files that are opened instead of a bag or a model, by their content.
package otherfile

import (
	"bytes"
	"strings"
)

// A File is a kind of file.
type File struct {
	What string // "a GIF picture"
	// Bags is set if bags can be in such files, so that only their readers find what is wrong.
	Bags bool
	// Slide is set if it is a picture that libvips converts.
	Slide bool
	// How features in it become a bag, and a model in it an ONNX file; "" if there is no known way.
	Bag, Model string
}

// A row recognises a kind of file: how it begins at a byte, what it holds somewhere behind it, and
// what else must be true, unless that is nil.
type row struct {
	at            int
	begins, holds string
	test          func(head string) bool
	File
}

// Of returns what a file is from its first bytes, a few thousand or all of them, or nil if it is
// not in the table. It compares bytes and runs nothing: a pickle can run any program.
func Of(data []byte) *File {
	head := string(data[:min(len(data), headBytes)])
	for i := range rows {
		r := &rows[i]
		if len(data) > r.at && bytes.HasPrefix(data[r.at:], []byte(r.begins)) &&
			bytes.Contains(data, []byte(r.holds)) && (r.test == nil || r.test(head)) {
			return &r.File
		}
	}
	return nil
}

// InZip returns what a zip archive with members of these names is.
func InZip(names []string) *File {
	return Of([]byte("PK\x03\x04" + strings.Join(names, "\n")))
}

// headBytes is what tests of texts read.
const headBytes = 4096
