//go:build !js

package bagio

import (
	"github.com/bagscope/bagscope/core/bagio/internal/arrow"
	"github.com/bagscope/bagscope/core/bagio/internal/parquet"
)

// readsColumnar states that formats with Format.Native are read.
const readsColumnar = true

// setFromParquet reads a table of Parquet, of which only the columns that a bag has are read.
func setFromParquet(s *source, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	f, err := parquet.Open(s, s.size, l.frameLimits(s.name))
	if err != nil {
		return nil, (&columnar{table: &table{file: s.name}}).error(err)
	}
	return setFromFrame(s.name, f, o)
}

// setFromFeather reads a table in the file form of Arrow as setFromParquet does.
func setFromFeather(s *source, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	f, err := arrow.Open(s, s.size, l.frameLimits(s.name))
	if err != nil {
		return nil, (&columnar{table: &table{file: s.name}}).error(err)
	}
	return setFromFrame(s.name, f, o)
}
