package slidetable

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// mostBytes bounds a table: a row of a hundred bytes for each of 160,000 slides.
const mostBytes = 1 << 24

// readRows returns the rows of a CSV, at least one. The text of an error follows the name of the
// file.
func readRows(r io.Reader) ([][]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return nil, msg.Errorf("cannot be read: %w", err)
	}
	if len(data) > mostBytes {
		return nil, msg.Errorf("has more than %d MB; split it", mostBytes>>20)
	}
	table := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
	table.FieldsPerRecord = -1
	rows, err := table.ReadAll()
	if err != nil {
		return nil, msg.Errorf("cannot be read as CSV: %w", err)
	}
	if len(rows) == 0 {
		return nil, msg.Errorf("is empty")
	}
	return rows, nil
}

// column returns where the first of names that a heading has is, or -1.
func column(heading []string, names ...string) int {
	for _, name := range names {
		at := slices.IndexFunc(heading, func(h string) bool {
			return strings.EqualFold(strings.TrimSpace(h), name)
		})
		if at >= 0 {
			return at
		}
	}
	return -1
}

// cell returns the text of a cell, "" if the row does not have it.
func cell(row []string, at int) string {
	if at < 0 || at >= len(row) {
		return ""
	}
	return strings.TrimSpace(row[at])
}
