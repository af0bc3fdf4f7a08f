package bagio

import "github.com/bagscope/bagscope/internal/otherfile"

// readsColumnar states that formats with Format.Native are refused.
const readsColumnar = false

// setFromParquet returns the error that says how the table is converted: pages do not load a reader
// that most of them never need.
func setFromParquet(s *source, _ Options) (*Set, error) {
	return nil, refused(s.name, otherfile.Of(s.head))
}

// setFromFeather returns an error as setFromParquet does.
func setFromFeather(s *source, o Options) (*Set, error) { return setFromParquet(s, o) }
