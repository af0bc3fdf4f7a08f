package bagio

import "github.com/bagscope/bagscope/internal/otherfile"

// isParquet reports whether a file is a table of Parquet, and not a text that begins alike.
func isParquet(s *source) bool { return begins(s.head, "PAR1") && !otherfile.IsText(s.head) }
