package cli

import (
	"compress/gzip"
	"io"
	"os"

	"github.com/bagscope/bagscope/internal/csvfile"
	"github.com/bagscope/bagscope/internal/msg"
)

// WriteCSV writes rows to a file; the first row is the heading.
func WriteCSV(name string, rows [][]string) error {
	return WriteFile(name, func(w io.Writer) error { return csvfile.Write(w, rows) })
}

// WriteFile creates a file, which is compressed by gzip if it is a text whose name ends in ".gz",
// such as a.csv.gz. It returns the first error of creating, writing or closing it.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return msg.Errorf("%s cannot be written: %w", name, err)
	}
	// Closing can fail if the disk is full.
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = msg.Errorf("%s cannot be written: %w", name, closed)
		}
	}()
	if !compresses(name) {
		return write(f)
	}
	z := gzip.NewWriter(f)
	if err := write(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return msg.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}
